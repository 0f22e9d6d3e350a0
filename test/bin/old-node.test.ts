import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/runs/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const { isNewEnough, oldestNode } = await import(pathToFileURL(join(root, 'bin', 'oldest-node.js')).href);
const { exports: entryPoints } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const names = Object.keys(entryPoints)
  // A preload script loads no other file, so that it works in a sandbox.
  .filter(entry => !/\.json$|\/preload$/.test(entry))
  .map(entry => `@rallypoint/sdk${entry.slice(1)}`);

const older = findOlderNode();
const noOlder = older ? '' : ' (skipped: no Node.js on PATH is too old)';
const told = new RegExp(`^Error: @rallypoint/sdk needs Node\\.js ${oldestNode} or newer, and this is (.*)\\.$`, 'm');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const own = join(folder.path, 'node_modules', '@rallypoint', 'sdk');
  mkdirSync(own, { recursive: true });
  for (const part of ['package.json', 'bin', 'dist']) cpSync(join(root, part), join(own, part), { recursive: true });
  for (const name of ['react', 'rxjs', 'tslib']) {
    symlinkSync(join(root, 'node_modules', name), join(folder.path, 'node_modules', name), 'junction');
  }
});
afterAll(() => folder.remove());

describe('an entry point under a Node that is too old', () => {
  it.skipIf(!older).each(names)(`says so, imported and required: %s${noOlder}`, async name => {
    for (const program of programs(name)) {
      const { code, stderr } = await run(older?.path ?? '', program);
      expect(code).toBe(1);
      expect(told.exec(stderr)?.[1]).toBe(`Node.js ${older?.version}`);
    }
  });

  it.skipIf(!older)(`is not loaded by the command either${noOlder}`, async () => {
    const command = join(folder.path, 'node_modules', '@rallypoint', 'sdk', 'bin', 'rallypoint.js');
    const { code, stdout, stderr } = await run(older?.path ?? '', [command, '--version']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^rallypoint: it needs Node\.js \S+ or newer, and this is v[^\n]*\n$/);
  });

  it('names Electron, whose Node it is', async () => {
    const pretend =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.18.0",electron:"34.0.0"}})';
    for (const program of programs('@rallypoint/sdk')) {
      const { stderr } = await run(process.execPath, ['--import', pretend, ...program]);
      expect(told.exec(stderr)?.[1]).toBe('Electron 34.0.0 with Node.js 20.18.0');
    }
  });
});

/** Two programs that do nothing but load the entry point: as an ES module and as CommonJS. */
function programs(name: string): string[][] {
  return [
    { file: 'import.mjs', text: `import ${JSON.stringify(name)};` },
    { file: 'require.cjs', text: `require(${JSON.stringify(name)});` },
  ].map(({ file, text }) => {
    const path = join(folder.path, file);
    writeFileSync(path, text);
    return [path];
  });
}

function run(node: string, args: readonly string[]) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>(done => {
    execFile(node, [...args], { cwd: folder.path }, (error, stdout, stderr) =>
      done({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

function findOlderNode(): { readonly path: string; readonly version: string } | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin'];
  const files = folders.map(place => join(place, process.platform === 'win32' ? 'node.exe' : 'node'));
  for (const path of new Set(files.filter(file => existsSync(file)).map(file => realpathSync(file)))) {
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
    if (/^v\d/.test(version) && !isNewEnough(version)) return { path, version: version.slice(1) };
  }
  return undefined;
}
