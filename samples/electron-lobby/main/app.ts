import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  type ClientOptions,
  type Credentials,
  type KeychainTier,
  type OpenBrowser,
  openCredentials,
  openKeychain,
} from '@rallypoint/sdk';
import { checkOnWake, type GameWindowServer, openWithShell, serveWindows } from '@rallypoint/sdk/electron/main';
import { problemNamed } from '../shared/problem.ts';
import type { GameState } from '../shared/state.ts';
import { appOrigin, claimAppScheme, serveAppFiles } from './app-files.ts';
import type { AppWindow, ElectronParts } from './electron-parts.ts';
import { Game } from './game.ts';
import { Journal } from './journal.ts';
import type { AppOptions } from './options.ts';
import { electronRedirects, type OpenRedirects, signInOptionsOf } from './redirects.ts';
import { StateStore } from './state-store.ts';
import { bringToFront, denyPermissions, openAppWindow } from './window.ts';

/** Where the built files are. */
export interface AppFiles {
  /** The bundled preload script. */
  readonly preload: string;
  /** The folder of the pages. */
  readonly pages: string;
}

/** What another host, or a test, replaces. */
export interface AppSeams {
  readonly openRedirects?: OpenRedirects;
  readonly client?: Pick<ClientOptions, 'fetch' | 'openBrowser' | 'clock'>;
}

/** The app, from its start to its end. */
export interface RunningApp {
  readonly store: StateStore;
  /** False: it runs already, and this one has ended. */
  readonly isFirstInstance: boolean;
  close(): Promise<void>;
}

/**
 * Starts the game: its scheme before anything else, then one window, then the player of last time. A second copy hands
 * over what it was started with and ends.
 */
export async function startApp(
  electron: ElectronParts,
  options: AppOptions,
  files: AppFiles,
  seams: AppSeams = {},
): Promise<RunningApp> {
  const { app } = electron;
  app.setName('Starfall');
  // Before the lock, which is kept per profile.
  if (options.profile !== undefined) {
    mkdirSync(options.profile, { recursive: true, mode: 0o700 });
    app.setPath('userData', options.profile);
  }
  app.enableSandbox();
  claimAppScheme(electron);

  const page = new SignInPage(seams.client?.openBrowser ?? openWithShell(electron.shellApi));
  const { applicationId, baseUrl } = options;
  const redirectPage = { gameName: 'Starfall' };
  const client = new Client({
    applicationId,
    baseUrl,
    redirectPage,
    ...seams.client,
    openBrowser: url => page.open(url),
  });
  let window: AppWindow | undefined;
  const openRedirects = seams.openRedirects ?? electronRedirects(app);
  const onAccepted = () => bringToFront(window);
  let windows: GameWindowServer | undefined;
  // The answer to what an earlier run asked, perhaps. Or it is anybody's, and nothing happens.
  const onUnclaimed = (address: string) => void windows?.continueSignIn(address).then(onAccepted, () => {});
  const redirects = await openRedirects({ client, options, onAccepted, onUnclaimed });
  const store = new StateStore(firstState(electron, options));
  if (!redirects.isFirstInstance) {
    app.quit();
    return { store, isFirstInstance: false, close: () => client.close() };
  }

  await app.whenReady();
  denyPermissions(electron);
  serveAppFiles(electron, files.pages);
  const journal = new Journal(store);
  const game = new Game({
    client,
    backendBase: options.backendBase,
    store,
    journal,
    reopenPage: () => page.reopen(),
    copy: text => electron.clipboard.writeText(text),
  });
  windows = serveWindows({
    ipcMain: electron.ipcMain,
    client,
    credentials: ({ forThisRun }) => openKept(forThisRun ? ['memory'] : options.keychain),
    signInOptions: async () => signInOptionsOf(await redirects.view),
    game: { calls: game.calls, states: { game: store } },
    pages: [`${appOrigin}/`],
  });
  page.endsWith(windows.credentials$);
  game.start(windows);
  void redirects.view.then(({ way, scheme, reason }) => {
    store.set({ redirect: { way, scheme } });
    if (way === 'loopback') journal.note('The browser comes back by an address of this computer.');
    if (reason !== undefined) console.warn(`${scheme}: is not used for sign-ins. ${reason}`);
  });
  const waking = checkOnWake({ powerMonitor: electron.powerMonitor, client });
  const onSecondInstance = () => bringToFront(window);
  const onAllClosed = () => app.quit();
  // What is under way is brought to its end first; then quitting is asked for again, and goes through.
  const onQuit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    void close().finally(() => app.quit());
  };
  app.on('second-instance', onSecondInstance);
  app.on('window-all-closed', onAllClosed);
  app.on('before-quit', onQuit);

  /** The folder alone signs nobody in: the keychain holds the keys, or its tier says that it does not. */
  async function openKept(allow: readonly KeychainTier[]): Promise<Credentials> {
    const folder = join(app.getPath('userData'), 'sign-in');
    const { safeStorage } = electron;
    const keychain = await openKeychain({ service: options.keychainService, allow, folder, safeStorage });
    return openCredentials({ client, keychain, folder });
  }

  async function close(): Promise<void> {
    app.off('second-instance', onSecondInstance);
    app.off('window-all-closed', onAllClosed);
    app.off('before-quit', onQuit);
    await waking.close();
    await windows?.close();
    await redirects.close();
    await game.close();
    if (options.profile !== undefined) removeIfEmpty(join(options.profile, 'sign-in'), options.profile);
  }

  const { startAddress } = redirects;
  if (startAddress !== undefined) {
    windows.continueSignIn(startAddress).catch(({ code }) => {
      if (code === 'foreign_redirect') store.set({ problem: problemNamed('late_redirect') });
    });
  }
  window = await openAppWindow(electron, files.preload);
  return { store, isFirstInstance: true, close };
}

/** A player who never signed in leaves no folder behind, unless the lock between processes is a file in it. */
function removeIfEmpty(...folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      // It holds something, or is not there.
    }
  }
}

/** The page of the sign-in under way. Its address carries what the redirect is known by, so no window gets to see it. */
class SignInPage {
  readonly #opener: OpenBrowser;
  #url: string | undefined;

  constructor(opener: OpenBrowser) {
    this.#opener = opener;
  }

  async open(url: string): Promise<void> {
    this.#url = url;
    await this.#opener(url);
  }

  async reopen(): Promise<void> {
    if (this.#url !== undefined) await this.#opener(this.#url);
  }

  endsWith(signIn$: GameWindowServer['credentials$']): void {
    signIn$.subscribe(snapshot => {
      if (snapshot?.status !== 'signing-in') this.#url = undefined;
    });
  }
}

function firstState({ shell }: ElectronParts, { applicationId, scheme }: AppOptions): GameState {
  return {
    app: { name: 'Starfall', applicationId, shell },
    redirect: { way: 'checking', scheme },
    codes: {},
    entryPoint: { status: 'idle', entryPoint: null, players: [], mayEdit: false },
    log: [],
  };
}
