import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningApp, startApp } from '../../../samples/electron-lobby/main/app.ts';
import { appOrigin, appPage, appScheme } from '../../../samples/electron-lobby/main/app-files.ts';
import { type AppOptions, readOptions, variables } from '../../../samples/electron-lobby/main/options.ts';
import { callNames, channelOf, stateChannel } from '../../../samples/electron-lobby/shared/bridge.ts';
import { RecordedElectron } from '../../support/sample/recorded-electron.ts';

const ours = { url: appPage, parent: null };

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
  rmSync(folder, { recursive: true, force: true });
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

describe('the calls of a window', () => {
  it.each([
    ['a frame within the page', { url: appPage, parent: {} }],
    ['a page of the web', { url: 'https://example.com/', parent: null }],
    ['a page whose host begins as ours', { url: `${appOrigin}.example.com/index.html`, parent: null }],
    ['a file', { url: 'file:///index.html', parent: null }],
    ['a page without an address', { url: 'about:blank', parent: null }],
    ['a frame that is gone', null],
  ])('are refused to %s', async (_, frame) => {
    await start();
    for (const name of callNames) {
      expect(() => electron.invoke(channelOf(name), undefined, frame)).toThrow('may not ask');
    }
  });

  it('are answered to our page', async () => {
    await start();
    expect(electron.invoke(channelOf('readState'), undefined, ours)).toMatchObject({ session: { step: 'signed-out' } });
  });

  const id = '1054951789318909972';
  it.each([
    ['readState', {}],
    ['signIn', undefined],
    ['signIn', { keep: 'yes' }],
    ['signIn', { keep: true, more: 1 }],
    ['createLobby', 'Crew'],
    ['createLobby', { title: 5 }],
    ['createLobby', { title: 'a'.repeat(4001) }],
    ['joinLobby', { code: ['a'], create: false }],
    ['joinLobby', { code: 'a', create: 1 }],
    ['joinLobby', null],
    ['copyCode', { lobbyId: '../1' }],
    ['copyCode', { lobbyId: 5 }],
    ['copyCode', Object.create({ lobbyId: id })],
    ['copyCode', [id]],
    ['saveEntryPoint', { name: 'Launch', description: 'Opens it', handler: 3 }],
    ['saveEntryPoint', { name: 'Launch', description: 'Opens it', handler: '1' }],
    ['saveEntryPoint', { name: 'Launch', description: 'Opens it', handler: 1, nsfw: true }],
  ] as const)('are refused with another payload: %s, %#', async (name, payload) => {
    await start();
    expect(() => electron.invoke(channelOf(name), payload, ours)).toThrow(`not what ${name} takes`);
  });

  it('are answered no more once the app has ended', async () => {
    await start();
    await app.close();
    expect(electron.handlers.size).toBe(0);
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

  it('tells the window of every change', async () => {
    await start();
    await expect
      .poll(() => window().sent.at(-1))
      .toMatchObject({
        channel: stateChannel,
        payload: { session: { step: 'signed-out' }, redirect: { way: 'loopback' } },
      });
  });

  it('opens pages of the web for nobody but itself, and only safe ones', async () => {
    await start();
    void electron.invoke(channelOf('signIn'), { keep: true }, ours);
    await expect.poll(() => electron.opened.length).toBe(1);
    expect(electron.opened[0]).toMatch(/^http:\/\/127\.0\.0\.1:9\/oauth2\/authorize\?/);
    // Its state is what the redirect is known by.
    expect(JSON.stringify(window().sent)).not.toContain('oauth2/authorize');
    await electron.invoke(channelOf('cancelSignIn'), undefined, ours);
    await expect.poll(() => app.store.value.session).toEqual({ step: 'signed-out' });
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
