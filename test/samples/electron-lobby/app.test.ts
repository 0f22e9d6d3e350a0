import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SenderFrame } from '@rallypoint/sdk/electron/main';
import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
import { openClient } from '@rallypoint/sdk/electron/renderer';
import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningApp, startApp } from '../../../samples/electron-lobby/main/app.ts';
import { appOrigin, appPage, appScheme } from '../../../samples/electron-lobby/main/app-files.ts';
import type { GameCalls } from '../../../samples/electron-lobby/main/game.ts';
import { type AppOptions, readOptions, variables } from '../../../samples/electron-lobby/main/options.ts';
import type { GameState } from '../../../samples/electron-lobby/shared/state.ts';
import { WindowStandIn } from '../../support/electron/window-stand-in.ts';
import { RecordedElectron } from '../../support/sample/recorded-electron.ts';

let folder: string;
let electron: RecordedElectron;
let app: RunningApp;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfall-app-'));
  writeFileSync(join(folder, 'index.html'), '<p>Starfall</p>');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  electron = new RecordedElectron();
});

afterEach(async () => {
  await app?.close();
  // The folder of the sign-in may still be being opened: the app does not wait for a keychain when it closes.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(options: Partial<AppOptions> = {}): Promise<void> {
  const all: AppOptions = {
    applicationId: '1',
    baseUrl: 'http://127.0.0.1:9',
    backendBase: 'http://127.0.0.1:9',
    scheme: 'discord-1',
    redirect: 'loopback',
    profile: folder,
    keychain: ['memory'],
    keychainService: 'Starfall tests',
    ...options,
  };
  app = await startApp(electron.parts, all, { preload: '/built/preload.cjs', pages: folder });
}

/** The page's client, in a frame. */
function openPage(frame: SenderFrame | null = { url: appPage, parent: null }) {
  const standIn = new WindowStandIn(electron.ipcMain);
  standIn.frame = frame;
  const client = standIn.open(
    () => exposeRallypoint(standIn.contextBridge, standIn.ipcRenderer),
    () => openClient(),
  );
  onTestFinished(async () => {
    await client.close();
    standIn.close();
  });
  return { client, game: client.gameCalls<GameCalls>(), crossed: standIn.crossed };
}

function window() {
  const [first] = electron.windows;
  if (!first) throw new Error('There is no window.');
  return first;
}

const prevented = (emit: (event: { preventDefault(): void }) => void): boolean => {
  let isPrevented = false;
  emit({
    preventDefault() {
      isPrevented = true;
    },
  });
  return isPrevented;
};

describe('the window', () => {
  it('runs its page in a sandbox, apart from the preload script, without Node', async () => {
    await start();
    expect(electron.app.isSandboxed).toBe(true);
    expect(window().options.webPreferences).toMatchObject({
      preload: '/built/preload.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
    });
    expect(window().url).toBe(appPage);
  });

  it('stays where it is: no navigation, no frame, no webview, no other window', async () => {
    await start();
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview']) {
      expect(prevented(event => window().webContents.emit(name, event))).toBe(true);
    }
    for (const url of ['https://example.com', 'file:///etc/passwd', appPage]) {
      expect(window().openHandler({ url })).toEqual({ action: 'deny' });
    }
  });

  it('is given no permission, no device and no download, whatever asks', async () => {
    await start();
    const { permissions } = electron;
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'hid']) {
      let answer: unknown;
      permissions.get('request')?.({}, permission, (allowed: boolean) => {
        answer = allowed;
      });
      expect(answer).toBe(false);
      expect(permissions.get('check')?.({}, permission)).toBe(false);
    }
    expect(permissions.get('device')?.({})).toBe(false);
    expect(prevented(event => permissions.get('will-download')?.(event))).toBe(true);
  });

  it('is shown with its first picture, and comes to the front when a second copy is started', async () => {
    await start();
    expect(window().options.show).toBe(false);
    window().emit('ready-to-show');
    electron.app.emit('second-instance', {}, []);
    expect(window().acts).toEqual(['show', 'restore', 'show', 'focus']);
  });
});

describe('the pages', () => {
  const read = (path: string, method = 'GET') =>
    electron.protocols.get(appScheme)?.(new Request(new URL(path, `${appOrigin}/`), { method }));

  it('come by a scheme of their own, under a strict content policy', async () => {
    await start();
    expect(electron.privileged).toEqual([appScheme]);
    const page = await read('/index.html');
    expect(await page?.text()).toBe('<p>Starfall</p>');
    const policy = page?.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it.each(['/../index.html/..%2f', '/secret.txt', '/none.html', '/a/index.html', '//index.html', '/'])(
    'show nothing at %s',
    async path => {
      await start();
      const answer = await electron.protocols.get(appScheme)?.(new Request(appOrigin + path));
      expect(answer?.status).toBe(404);
    },
  );

  it('show nothing to another host of the scheme, nor by another method', async () => {
    await start();
    const elsewhere = await electron.protocols.get(appScheme)?.(new Request(`${appScheme}://elsewhere/index.html`));
    expect(elsewhere?.status).toBe(404);
    expect((await read('/index.html', 'POST'))?.status).toBe(404);
  });
});

describe('the client', () => {
  it.each([
    ['a frame within the page', { url: appPage, parent: {} }],
    ['a page of the web', { url: 'https://example.com/', parent: null }],
    ['a page whose host begins as ours', { url: `${appOrigin}.example.com/index.html`, parent: null }],
    ['a file', { url: 'file:///index.html', parent: null }],
    ['a page without an address', { url: 'about:blank', parent: null }],
    ['a frame that is gone', null],
  ])('is not to be had by %s', async (_, frame) => {
    await start();
    const { client, game } = openPage(frame);
    await expect(client.opened).rejects.toMatchObject({ code: 'untrusted_window' });
    await expect(game.reopenPage()).rejects.toMatchObject({ code: 'untrusted_window' });
  });

  it('is there for our page, with the state of the game', async () => {
    await start();
    const { client } = openPage();
    const state = await firstValueFrom(
      client.gameState$<GameState>('game').pipe(filter(({ redirect }) => redirect.way === 'loopback')),
    );
    expect(state).toMatchObject({ app: { name: 'Starfall' }, codes: {} });
    await firstValueFrom(client.credentials$.pipe(filter(snapshot => snapshot?.status === 'signed-out')));
  });

  it('takes texts where the game takes texts', async () => {
    await start();
    const { game } = openPage();
    const wrong = { code: 'invalid_call_arguments' };
    for (const given of [5, null, ['a'], {}] as unknown[] as string[]) {
      await expect(game.createLobby(given)).rejects.toMatchObject(wrong);
      await expect(game.joinLobby(given, true)).rejects.toMatchObject(wrong);
      await expect(game.copyCode(given)).rejects.toMatchObject(wrong);
    }
    // A name that every object has is no lobby's.
    await game.copyCode('__proto__');
    expect(electron.copied).toEqual([]);
  });

  it('is not served any more once the app has ended', async () => {
    await start();
    await app.close();
    expect(electron.ipcMain.eventNames()).toEqual([]);
  });
});

describe('the app', () => {
  it('ends at once as a second copy, without a window', async () => {
    electron.app.isFirst = false;
    await start();
    expect(app.isFirstInstance).toBe(false);
    expect(electron.app.hasQuit).toBe(true);
    expect(electron.windows).toEqual([]);
  });

  it('keeps its profile, and so its lock, where it is told', async () => {
    await start();
    expect(electron.app.getPath('userData')).toBe(folder);
  });

  it('quits when the last window is closed, after it has let go of everything', async () => {
    await start();
    electron.app.emit('window-all-closed');
    expect(electron.app.hasQuit).toBe(true);
    electron.app.hasQuit = false;
    expect(prevented(event => electron.app.emit('before-quit', event))).toBe(true);
    await expect.poll(() => electron.app.hasQuit).toBe(true);
    expect(prevented(event => electron.app.emit('before-quit', event))).toBe(false);
  });

  it('opens pages of the web for nobody but itself, and only safe ones', async () => {
    await start();
    const { client, crossed } = openPage();
    const signIn = client.signIn().catch(({ code }) => code);
    await expect.poll(() => electron.opened.length).toBe(1);
    expect(electron.opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:9\/oauth2\/authorize\?/);
    // Its state is what the redirect is known by.
    expect(JSON.stringify(crossed)).not.toContain('oauth2/authorize');
    await client.cancelSignIn();
    expect(await signIn).toBe('aborted');
    expect(client.credentials).toMatchObject({ status: 'signed-out' });
  });
});

describe('the options', () => {
  const environment = {
    [variables.applicationId]: '1',
    [variables.baseUrl]: 'http://127.0.0.1:9',
    [variables.backendBase]: 'http://127.0.0.1:1',
  };

  it('need an application, the service and the game’s server; the rest has defaults', () => {
    expect(readOptions(environment)).toEqual({
      applicationId: '1',
      baseUrl: 'http://127.0.0.1:9',
      backendBase: 'http://127.0.0.1:1',
      scheme: 'discord-1',
      redirect: 'auto',
      keychain: ['system'],
      keychainService: 'Starfall',
    });
    expect(() => readOptions({})).toThrow(`${variables.applicationId} is missing`);
    for (const name of [variables.baseUrl, variables.backendBase]) {
      expect(() => readOptions({ ...environment, [name]: '' })).toThrow(`${name} is missing`);
    }
  });

  it('name a redirect or a profile that cannot be', () => {
    expect(() => readOptions({ ...environment, [variables.redirect]: 'pigeon' })).toThrow(
      'auto, custom-scheme, loopback',
    );
    expect(() => readOptions({ ...environment, [variables.profile]: 'here' })).toThrow('absolute');
  });

  it('are all read', () => {
    const all = Object.entries(variables).map(([name, variable]) => [
      variable,
      name === 'redirect' ? 'loopback' : '/x',
    ]);
    expect(Object.keys(readOptions(Object.fromEntries(all))).sort()).toEqual(Object.keys(variables).sort());
  });
});
