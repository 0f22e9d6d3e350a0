import type { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from '@rallypoint/sdk';
import { serveWindows, type WindowServer } from '@rallypoint/sdk/electron/main';
import type { WindowClient } from '@rallypoint/sdk/electron/renderer';
import { type Service, startService } from '@rallypoint/sdk/service';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStandIn } from '../../samples/electron-lobby/host/stand-in.ts';
import type { ElectronParts } from '../../samples/electron-lobby/main/electron-parts.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { needs } from '../support/runs/parts.ts';
import { starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

/** What the page below keeps in its globals. */
declare const client: WindowClient;
declare const seen: string[];

const [application] = starfall.applications;
const [ada, grace] = starfall.users;
const browser = await needs('browser');
const root = resolve(import.meta.dirname, '../..');

describe.skipIf(browser.missing)(`pages in a browser${browser.note}`, { timeout: 30_000 }, () => {
  let folder: string;
  let chromium: Browser;
  let service: Service;
  let main: Client;
  let friend: Client;
  let electron: ElectronParts;
  let windows: WindowServer;
  let pages: Page[];
  /** The main process' ends of the pages' ports, in their order. */
  let ports: { close(): void }[];

  beforeAll(async () => {
    mkdirSync(join(root, 'test-output'), { recursive: true });
    // Within the package, where a bundler finds it by its name.
    folder = mkdtempSync(join(root, 'test-output/windows-'));
    const bundle = (name: string, contents: string, format: 'esm' | 'cjs') =>
      build({
        stdin: { contents, resolveDir: folder },
        bundle: true,
        format,
        external: ['electron'],
        outfile: join(folder, name),
      });
    await Promise.all([
      bundle(
        'page.js',
        `import { openClient } from '@rallypoint/sdk/electron/renderer'; 
        Object.assign(globalThis, { client: openClient(), seen: [] });`,
        'esm',
      ),
      bundle(
        'preload.cjs',
        `import { contextBridge, ipcRenderer } from 'electron';
        import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
        exposeRallypoint(contextBridge, ipcRenderer);`,
        'cjs',
      ),
      build({
        entryPoints: [join(root, 'samples/electron-lobby/host/page.ts')],
        bundle: true,
        format: 'iife',
        outfile: join(folder, 'host-page.js'),
      }),
    ]);
    chromium = await launchChromium();
  });

  afterAll(async () => {
    await chromium.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
    [main, friend] = await Promise.all([connected(ada.id), connected(grace.id)]);
    pages = [];
    electron = createStandIn({
      pageScript: join(folder, 'host-page.js'),
      async showWindow(address) {
        const page = await (await chromium.newContext()).newPage();
        pages.push(page);
        await page.goto(address);
        return { close: () => void page.close() };
      },
      openPage: async () => {},
    });
    const types = { '/index.html': 'text/html', '/page.js': 'text/javascript' } as const;
    electron.protocol.handle('game', async ({ url }) => {
      const path = new URL(url).pathname as keyof typeof types;
      const body =
        path === '/page.js'
          ? await readFile(join(folder, 'page.js'))
          : '<!doctype html><script type="module" src="page.js"></script>';
      const policy = "default-src 'none'; script-src 'self'; connect-src 'none'";
      return new Response(body, { headers: { 'content-type': types[path], 'content-security-policy': policy } });
    });
    windows = serveWindows({ pages: ['game://app/'], ipcMain: electron.ipcMain, client: main });
    ports = [];
    (electron.ipcMain as unknown as EventEmitter).on('rallypoint:connect', ({ ports: [port] }) => ports.push(port));
  });

  afterEach(async () => {
    await windows.close();
    electron.app.quit();
    for (const page of pages) await page.context().close();
    for (const one of [main, friend]) await one.close();
    await service.close();
  });

  async function connected(userId: string): Promise<Client> {
    const client = new Client({ applicationId: application.id, baseUrl: service.webBase });
    client.updateToken(await playerToken(service, userId));
    await client.connect();
    return client;
  }

  async function openWindow(): Promise<Page> {
    const preload = join(folder, 'preload.cjs');
    const window = new electron.BrowserWindow({ webPreferences: { preload } });
    await window.loadURL('game://app/index.html');
    const page = pages.at(-1) as Page;
    await page.evaluate(() => client.opened);
    return page;
  }

  it('shows the lobbies, members and messages of the main process', async () => {
    const page = await openWindow();
    const id = await page.evaluate(async () => {
      const lobby = await client.lobbies.join('the harbour', { lobbyMetadata: { title: 'Harbour' } });
      await lobby.send('Anybody there?');
      return lobby.id;
    });
    await (await friend.lobbies.join('the harbour')).send('Me!');
    await isEqual(page);
    expect(await page.evaluate(lobbyId => client.lobbies.get(lobbyId)?.messages.map(one => one.content), id)).toEqual([
      'Anybody there?',
      'Me!',
    ]);
  });

  it('stays equal to the main process when the connection to the service is lost', async () => {
    const page = await openWindow();
    const { id } = await main.lobbies.join('the harbour');
    await page.evaluate(lobbyId => {
      client.lobbies.get(lobbyId);
      client.status$.subscribe(({ status }) => seen.push(status));
    }, id);
    for (let drops = 0; drops < 3; drops++) {
      service.faults.add({ kind: 'drop', match: { user_id: ada.id } });
      await expect.poll(() => page.evaluate(() => seen.splice(0).join(' '))).toMatch(/ready$/);
    }
    service.faults.add({ kind: 'drop', match: { user_id: ada.id, event: 'LOBBY_MEMBER_ADD' } });
    await (await friend.lobbies.join('the harbour')).send('While you were away');
    await expect.poll(() => main.lobbies.get(id)?.messages.length).toBe(1);
    await isEqual(page);
  });

  it('shows the present state after a reload, which takes the place of the earlier connection', async () => {
    const page = await openWindow();
    const lobby = await main.lobbies.join('the harbour');
    await lobby.send('Before');
    await isEqual(page);
    await page.reload();
    await page.evaluate(() => client.opened);
    await lobby.send('After');
    await isEqual(page);
    await expect.poll(() => windows.connections).toBe(1);
  });

  it('connects again by itself when its port is lost, and shows what it missed', async () => {
    const page = await openWindow();
    const { id } = await main.lobbies.join('the harbour');
    const other = await friend.lobbies.join('the harbour');
    await page.evaluate(lobbyId => {
      client.lobbies.get(lobbyId);
      client.events$.subscribe(({ type }) => seen.push(type));
    }, id);
    for (let drops = 1; drops <= 3; drops++) {
      ports.at(-1)?.close();
      await other.send(`While you were away ${drops}`);
      await expect.poll(() => ports.length).toBe(drops + 1);
      await isEqual(page);
    }
    expect(await page.evaluate(() => seen.filter(type => type === 'eventsMissed').length)).toBe(3);
    await page.evaluate(async lobbyId => void (await client.lobbies.get(lobbyId)?.send('Back')), id);
    await isEqual(page);
  });

  it('connects again when the main process serves windows anew', async () => {
    const page = await openWindow();
    await windows.close();
    windows = serveWindows({ pages: ['game://app/'], ipcMain: electron.ipcMain, client: main });
    await main.lobbies.join('the harbour');
    await isEqual(page);
    expect(windows.connections).toBe(1);
  });

  it('shows the present state when it is frozen for a while, and after a navigation and back', async () => {
    const page = await openWindow();
    const lobby = await main.lobbies.join('the harbour');
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    for (let n = 0; n < 30; n++) await lobby.send(`Message ${n}`);
    await session.send('Page.setWebLifecycleState', { state: 'active' });
    await isEqual(page);
    await page.goto(new URL('/index.html?other', page.url()).href);
    await lobby.send('Elsewhere');
    await page.goBack();
    await page.evaluate(() => client.opened);
    await lobby.send('Back');
    await isEqual(page);
    await expect.poll(() => windows.connections).toBe(1);
  });

  it('shows two windows the same, and what one of them does', async () => {
    const [one, other] = [await openWindow(), await openWindow()];
    expect(windows.connections).toBe(2);
    await one.evaluate(async () => void (await (await client.lobbies.join('the harbour')).send('From one')));
    await isEqual(one);
    await isEqual(other);
    await one.close();
    await expect.poll(() => windows.connections).toBe(1);
    await (await friend.lobbies.join('the harbour')).send('Still there?');
    await isEqual(other);
  });

  it('rejects with the error of the main process: class, code and fields', async () => {
    const page = await openWindow();
    const error = await page.evaluate(() =>
      client.lobbies.join('').catch(({ name, code, issues }) => ({ name, code, issues })),
    );
    const reason = await main.lobbies.join('').catch(({ name, code, issues }) => ({ name, code, issues }));
    expect(error).toEqual(reason);
  });

  /** Until the page shows what the main process does: status, lobbies with members, messages, unread counts. */
  async function isEqual(page: Page): Promise<void> {
    const inPage = () =>
      page.evaluate(() => {
        const lobbies = client.lobbies.snapshot.map(({ id }) => client.lobbies.get(id));
        const news = lobbies.map(lobby => [lobby?.messages, lobby?.unreadCount, lobby?.hasOlder]);
        return JSON.stringify([client.status, client.lobbies.snapshot, news]);
      });
    const inMain = () => {
      const lobbies = main.lobbies.snapshot.map(({ id }) => main.lobbies.get(id));
      const news = lobbies.map(lobby => [lobby?.messages, lobby?.unreadCount, lobby?.hasOlder]);
      return JSON.stringify([main.status, main.lobbies.snapshot, news]);
    };
    await expect.poll(async () => (await inPage()) === inMain()).toBe(true);
  }
});
