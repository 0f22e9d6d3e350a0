import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BehaviorSubject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectPage } from '../../../src/sdk/bridge/connect-page.ts';
import { MainConnection } from '../../../src/sdk/bridge/main-connection.ts';
import { isOwnPage } from '../../../src/sdk/bridge/own-pages.ts';
import { exposeRallypoint } from '../../../src/sdk/bridge/preload.ts';
import { type SenderFrame, serveShared, type WindowServer } from '../../../src/sdk/bridge/serve-windows.ts';
import { WindowStandIn } from '../../support/electron/window-stand-in.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

let window: WindowStandIn;
let server: WindowServer;
let log: ReturnType<typeof recordingLog>;
let checks = 0;
const state = new BehaviorSubject('current');
const shared = {
  states: { state: () => state },
  events: {},
  calls: {
    add: async ([a, b]: readonly unknown[]) => Number(a) + Number(b),
    checkConnection: async () => void checks++,
  },
};

beforeEach(() => {
  window = new WindowStandIn();
  log = recordingLog();
  server = serveShared(shared, { ipcMain: window.ipcMain, logger: log.log, pages: ['game://app/'] });
  for (const [name, value] of Object.entries(window.globals)) vi.stubGlobal(name, value);
});
afterEach(async () => {
  await server.close();
  window.close();
  vi.unstubAllGlobals();
});

/** Runs the preload script and then the page, as Electron does. */
function openPage(name?: string): MainConnection {
  exposeRallypoint(window.contextBridge, window.ipcRenderer, { name });
  for (const [exposed, api] of Object.entries(window.exposed)) vi.stubGlobal(exposed, api);
  const connection = new MainConnection();
  connectPage(connection, name);
  return connection;
}

it('a page reaches the main process by what its preload script exposes, and by nothing else', async () => {
  const page = openPage();
  expect(await page.call('add', [1, 2])).toBe(3);
  expect(window.exposed).toEqual({ rallypoint: { connect: expect.any(Function) } });
  expect(server.connections).toBe(1);
});

it('a page whose browser engine finds a network makes the main process check the connection', async () => {
  const page = openPage();
  await page.call('add', [1, 2]);
  checks = 0;
  window.online();
  await page.call('add', [1, 2]);
  expect(checks).toBe(1);
});

it('the name in the page can be chosen', async () => {
  expect(await openPage('social').call('add', [2, 2])).toBe(4);
  expect(Object.keys(window.exposed)).toEqual(['social']);
});

it('a page without a preload script gets an error that names it', () => {
  expect(() => connectPage(new MainConnection())).toThrow(expect.objectContaining({ code: 'missing_preload' }));
});

it('a port that anything but the preload script posts is not taken', async () => {
  exposeRallypoint(window.contextBridge, window.ipcRenderer);
  const forged = new MessageChannel();
  const { connect } = window.exposed.rallypoint as { connect(key: string): void };
  vi.stubGlobal('rallypoint', {
    connect(key: string) {
      window.globals.postMessage({ rallypoint: 'a guess' }, '*', [forged.port1]);
      connect(key);
    },
  });
  const connection = new MainConnection();
  connectPage(connection);
  expect(await connection.call('add', [1, 1])).toBe(2);
  forged.port2.close();
});

it('the preload script ignores a key that is no short text', () => {
  exposeRallypoint(window.contextBridge, window.ipcRenderer);
  const { connect } = window.exposed.rallypoint as { connect(key: unknown): void };
  for (const key of [undefined, 7, {}, 'x'.repeat(65)]) connect(key);
  expect(server.connections).toBe(0);
});

describe('a frame that is not trusted', () => {
  it.each([
    ['a page of the web', { url: 'https://example.com/', parent: null }],
    ['a development server', { url: 'http://localhost:5173/', parent: null }],
    ['a scheme that is not named', { url: 'other://app/index.html', parent: null }],
    ['another host of the scheme', { url: 'game://evil/index.html', parent: null }],
    ['a file', { url: 'file:///opt/game/index.html', parent: null }],
    ['a frame within the page', { url: 'game://app/index.html', parent: {} }],
    ['a frame that is gone', null],
  ])('%s is rejected, and learns why', async (_, frame) => {
    window.frame = frame;
    await expect(openPage().call('add', [1, 2])).rejects.toMatchObject({
      code: 'untrusted_window',
      message: expect.stringContaining('isTrusted'),
    });
    expect(server.connections).toBe(0);
    expect(log.lines).toMatchObject([{ level: 'warn' }]);
  });

  it.each<readonly [what: string, isTrusted: (frame: SenderFrame) => boolean]>([
    ['throws', ({ url }) => new URL(url).origin === 'game://app'],
    ['returns a promise', (async () => true) as unknown as () => boolean],
  ])('is one for which isTrusted() %s', async (_, isTrusted) => {
    await server.close();
    server = serveShared(shared, { ipcMain: window.ipcMain, logger: log.log, isTrusted });
    window.frame = { url: '', parent: null };
    await expect(openPage().call('add', [1, 2])).rejects.toMatchObject({ code: 'untrusted_window' });
    expect(server.connections).toBe(0);
  });

  it('is one that is gone while it is looked at', async () => {
    window.frame = {
      get url(): string {
        throw new Error('Render frame was disposed before WebFrameMain could be accessed');
      },
      parent: null,
    };
    await expect(openPage().call('add', [1, 2])).rejects.toMatchObject({ code: 'untrusted_window' });
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'warn']);
  });

  it('is whichever isTrusted() says', async () => {
    await server.close();
    server = serveShared(shared, { ipcMain: window.ipcMain, isTrusted: ({ url }) => url === 'http://localhost:5173/' });
    window.frame = { url: 'http://localhost:5173/', parent: null };
    expect(await openPage().call('add', [1, 2])).toBe(3);
    window.frame = { url: 'game://app/index.html', parent: null };
    await expect(openPage().call('add', [1, 2])).rejects.toMatchObject({ code: 'untrusted_window' });
  });
});

describe('a page', () => {
  const app = { getAppPath: () => '/opt/my game/resources/app.asar' };
  const pages = ['game://app/', 'http://localhost:5173/ui/', 'shell://ui/index.html'];

  it.each([
    'file:///opt/my%20game/resources/app.asar/index.html',
    'file:///opt/my%20game/resources/app.asar/deep/er/index.html?a=1#b',
    'file://localhost/opt/my%20game/resources/app.asar/..index.html',
    'game://app/index.html',
    'game://app/',
    'http://localhost:5173/ui/a',
    'shell://ui/index.html?a=1',
  ])('%s is the own one of a game that names it', url => {
    expect(isOwnPage(url, { app, pages })).toBe(true);
  });

  it.each([
    'file://evil.example/share/index.html',
    'file://evil.example/opt/my%20game/resources/app.asar/index.html',
    'file:///opt/my%20game/resources/app.asar',
    'file:///opt/my%20game/resources/app.asar.evil/index.html',
    'file:///opt/my%20game/resources/app.asar/../index.html',
    'file:///opt/my%20game/resources/app.asar/%2e%2e/index.html',
    'file:///opt/my%20game/resources/app.asar/a%2f..%2f..%2findex.html',
    'file:///home/player/Downloads/index.html',
    'file:///',
    'mhtml:file:///opt/my%20game/resources/app.asar/index.html',
    'chrome-untrusted://app/index.html',
    'chrome://app/',
    'devtools://app/',
    'blob:game://app/1',
    'filesystem:game://app/1',
    'view-source:game://app/index.html',
    'data:text/html,x',
    'about:blank',
    'javascript:1',
    'other://app/',
    'game://app.evil/',
    'game:app/',
    'http://localhost:5174/ui/a',
    'http://localhost:5173/',
    'https://localhost:5173/ui/a',
    'shell://ui/index.html/more',
    'x',
    '',
  ])('%s is foreign', url => {
    expect(isOwnPage(url, { app, pages })).toBe(false);
  });

  it.each(['file:///opt/game/index.html', 'game://app/', 'app:///index.html'])(
    '%s is foreign to a game that names none',
    url => {
      expect(isOwnPage(url)).toBe(false);
    },
  );

  it('below the real path of an app folder that is a link is the own one', async () => {
    const folder = await temporaryFolder();
    const real = join(await realpath(folder.path), 'real');
    await mkdir(real);
    await symlink(real, join(folder.path, 'link'));
    const linked = { getAppPath: () => join(folder.path, 'link') };
    expect(isOwnPage(pathToFileURL(join(real, 'index.html')).href, { app: linked })).toBe(true);
    expect(isOwnPage(pathToFileURL(join(folder.path, 'link/index.html')).href, { app: linked })).toBe(true);
    expect(isOwnPage(pathToFileURL(join(folder.path, 'index.html')).href, { app: linked })).toBe(false);
    await folder.remove();
  });

  it.each(['game', 'game:app', '//app/', 7])('cannot be named as %j', page => {
    const options = { ipcMain: window.ipcMain, pages: [page as string] };
    expect(() => serveShared(shared, options)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});

it('a window that is closed or reloaded leaves nothing behind', async () => {
  const page = openPage();
  page.state$('state').subscribe();
  await page.call('add', [1, 2]);
  expect(state.observed).toBe(true);
  window.close();
  await expect.poll(() => server.connections).toBe(0);
  expect(state.observed).toBe(false);
});

it('a window that connects a fifth time loses its oldest connection', async () => {
  const pages = Array.from({ length: 5 }, () => openPage());
  await expect(pages[0]?.call('add', [1, 2])).rejects.toMatchObject({ code: 'connection_lost' });
  expect(await pages[4]?.call('add', [1, 2])).toBe(3);
  expect(server.connections).toBe(4);
});

it('a server that is closed ends its windows and takes no others', async () => {
  const page = openPage();
  await page.call('add', [1, 2]);
  await server.close();
  await expect(page.call('add', [1, 2])).rejects.toMatchObject({ code: 'connection_lost' });
  expect(server.connections).toBe(0);
  expect(window.ipcMain.listenerCount('rallypoint:connect')).toBe(0);
});
