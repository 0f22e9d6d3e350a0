import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltFiles, buildSample } from '../../../samples/electron-lobby/build.ts';
import { botToken } from '../../../samples/electron-lobby/starfall.ts';

const output = resolve(import.meta.dirname, '../../../test-output');
let folder: string;
let files: BuiltFiles;

beforeAll(async () => {
  mkdirSync(output, { recursive: true });
  folder = mkdtempSync(join(output, 'bundle-'));
  files = await buildSample(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what is built', () => {
  it('asks in the preload script for Electron alone: a sandboxed one has nothing else', () => {
    const preload = readFileSync(files.preload, 'utf8');
    expect([...preload.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(['electron']);
    expect(preload).not.toMatch(/^\s*(import|export) /m);
  });

  it('has pages of one script and one style, without anything inline or from elsewhere', () => {
    expect(readdirSync(files.pages).sort()).toEqual(['icon.svg', 'index.html', 'main.js', 'style.css']);
    const page = readFileSync(join(files.pages, 'index.html'), 'utf8');
    expect(page).not.toMatch(/\s(style|on\w+)="|<style|https?:|<script>/);
    expect(readFileSync(join(files.pages, 'main.js'), 'utf8')).not.toMatch(
      /^import |https?:\/\/(?!www\.w3\.org\/2000\/svg)/m,
    );
    expect(readFileSync(join(files.pages, 'style.css'), 'utf8')).not.toMatch(/url\(|@import/);
  });

  it('holds no bot token, and nothing of the backend module', () => {
    for (const file of [files.main, files.preload, join(files.pages, 'main.js')]) {
      const text = readFileSync(file, 'utf8');
      expect(text).not.toContain(botToken);
      expect(text).not.toContain('@rallypoint/sdk/backend');
    }
  });

  it('has a main process that loads, and says what is missing', () => {
    const { status, stderr } = runMain({});
    expect(stderr).toContain('Starfall cannot start: STARFALL_APPLICATION_ID is missing.');
    expect(status).toBe(1);
  });
});

/** Runs the bundle in plain Node, with names in the place of Electron. */
function runMain(env: NodeJS.ProcessEnv) {
  const names = 'BrowserWindow, clipboard, ipcMain, powerMonitor, protocol, safeStorage, session, shell';
  const electron = `data:text/javascript,${encodeURIComponent(`export const app = { exit: process.exit };
    const nothing = {}; export { ${names.replace(/\w+/g, 'nothing as $&')} };`)}`;
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) =>
      name === 'electron' ? { url: ${JSON.stringify(electron)}, shortCircuit: true } : next(name, context) });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, files.main];
  return spawnSync(process.execPath, args, { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' });
}
