import { execFileSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client, LobbyId } from '@rallypoint/sdk';
import { type Service, startService } from '@rallypoint/sdk/service';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createStandIn } from '../../samples/electron-lobby/host/stand-in.ts';
import type { ElectronParts } from '../../samples/electron-lobby/main/electron-parts.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { Guide } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

/** docs/electron.md, done as it says, but for Electron itself: a stand-in takes its place. */
const root = resolve(import.meta.dirname, '../..');
const sources = ['main.mjs', 'game.mjs', 'preload.cjs'];
const guide = new Guide('docs/electron.md');
const browser = await needs('browser');

beforeAll(() => {
  // The other guide's, as this one says.
  const fixtures = new Guide('docs/authorization.md');
  cpSync(fixtures.write('fixtures.json'), join(guide.folder, 'fixtures.json'));
  const others = ['pages/index.html', 'pages/page.js', 'game.test.mjs'];
  for (const name of [...sources, ...others]) guide.write(name);
  for (const line of guide.block('sh', 'npx esbuild').trim().split('\n')) {
    const [, name, ...args] = line.split(' ');
    if (name === 'esbuild')
      execFileSync(join(root, 'node_modules/.bin/esbuild'), args, { cwd: guide.folder, stdio: 'pipe' });
  }
  return fixtures.close();
});
afterAll(() => guide.close());

describe('the guide to Electron', { timeout: 60_000 }, () => {
  it('shows a test that passes', async () => {
    const program = guide.run(guide.said('node --test'), process.env);
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });

  it('calls Electron as its types say', async () => {
    guide.install('electron');
    expect(await guide.check(sources)).toBe('');
  });

  it.skipIf(browser.missing)(
    `shows a window in which a player signs in, joins a lobby and signs out${browser.note}`,
    async () => {
      const fixtures = JSON.parse(readFileSync(join(guide.folder, 'fixtures.json'), 'utf8'));
      const service = await startService({ fixtures, limits: 'off' });
      const chromium = await launchChromium();
      const page = await chromium.newPage();
      onTestFinished(async () => {
        await chromium.close();
        await service.close();
      });
      const electron = await openStandIn(service, address => page.goto(address));
      const { startGame } = (await import(pathToFileURL(join(guide.folder, 'game.mjs')).href)) as Game;
      const { client } = await startGame(electron, { base: service.webBase, keychain: ['memory'] });

      const who = page.getByRole('status');
      await expect.poll(() => who.textContent()).toBe('Not signed in.');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect.poll(() => who.textContent()).toBe('Signed in as Ada. Stored in: memory.');
      await expect.poll(() => client.status.status).toBe('ready');
      await page.getByRole('button', { name: 'Join' }).click();
      await expect.poll(() => page.getByRole('listitem').textContent()).toBe('Ada');
      const [lobby] = client.lobbies;
      const messages = () => client.lobbies.get(lobby?.id ?? ('' as LobbyId))?.messages.map(({ content }) => content);
      await expect.poll(messages).toEqual(['Hello!']);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expect.poll(() => who.textContent()).toBe('Not signed in. signed-out');
      expect(await page.evaluate('Object.keys(rallypoint)')).toEqual(['connect']);

      const ended = new Promise<void>(resolve => electron.app.on('quit', () => resolve()));
      electron.app.quit();
      await ended;
    },
  );

  it.skipIf(browser.missing)(
    `shows a keychain that cannot be used, and goes on without one${browser.note}`,
    async () => {
      const fixtures = JSON.parse(readFileSync(join(guide.folder, 'fixtures.json'), 'utf8'));
      const service = await startService({ fixtures, limits: 'off' });
      const chromium = await launchChromium();
      const page = await chromium.newPage();
      onTestFinished(async () => {
        await chromium.close();
        await service.close();
      });
      const electron = await openStandIn(service, address => page.goto(address));
      const { startGame } = (await import(pathToFileURL(join(guide.folder, 'game.mjs')).href)) as Game;
      await startGame(electron, { base: service.webBase, keychain: [] });

      const who = page.getByRole('status');
      await expect.poll(() => who.textContent()).toBe('Your sign-in cannot be stored. (invalid_tiers)');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect.poll(() => who.textContent()).toBe('Your sign-in cannot be stored. (invalid_tiers)');
      await page.getByRole('button', { name: 'Sign in for this run only' }).click();
      await expect.poll(() => who.textContent()).toBe('Signed in as Ada. Stored in: memory.');

      const ended = new Promise<void>(resolve => electron.app.on('quit', () => resolve()));
      electron.app.quit();
      await ended;
    },
  );

  it('shows no code that is not run', () => {
    const blocks = guide.text.match(/^```(js|html)$/gm) ?? [];
    expect(blocks).toHaveLength(guide.files.size);
  });
});

type Game = {
  startGame(electron: unknown, options: { base: string; keychain: readonly string[] }): Promise<{ client: Client }>;
};

/** The sample's stand-in, with a player who agrees at once and is handed back as on Windows and Linux. */
async function openStandIn(service: Service, show: (address: string) => Promise<unknown>) {
  const pageScript = join(guide.folder, 'host-page.js');
  const entry = join(root, 'samples/electron-lobby/host/page.ts');
  await build({ entryPoints: [entry], bundle: true, format: 'iife', outfile: pageScript });
  const parts: ElectronParts = createStandIn({
    pageScript,
    async showWindow(address) {
      await show(address);
      return { close() {} };
    },
    async openPage(url) {
      const answer = await fetch(`${service.controlBase}/consent`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ authorize_url: url, user_id: '9', decision: 'approve' }),
      });
      const { redirect_to } = (await answer.json()) as { redirect_to: string };
      (parts.app as unknown as EventEmitter).emit('second-instance', {}, ['game', redirect_to], '/', {});
    },
  });
  Object.assign(parts.app, { isPackaged: true, setAsDefaultProtocolClient: () => true });
  return { ...parts, shell: parts.shellApi };
}
