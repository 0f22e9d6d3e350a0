import type { App } from 'electron';
import type { Logger } from '../../wire/ports.ts';
import { addressesIn, isAddressOf } from '../redirect/address.ts';
import { listenForRedirects, type SchemeReceiver } from '../redirect/listen.ts';
import type { RedirectTaker } from '../redirect/receiver.ts';
import { registerScheme } from '../redirect/register.ts';
import { customSchemeRedirect, parseScheme, type SchemeChoice } from '../redirect/scheme.ts';

/** The part of Electron's `app` that is called. */
export type RedirectApp = Pick<App, 'on' | 'off' | 'requestSingleInstanceLock' | 'setAsDefaultProtocolClient'>;

export interface RedirectOptions extends SchemeChoice {
  /** From the `electron` module of the main process. */
  readonly app: RedirectApp;
  /** Who waits for the redirect: a {@link Client}. */
  readonly client: RedirectTaker;
  /** Called when a redirect ended an authorization: the moment to bring the game's window to the front. */
  readonly onAccepted?: (() => void) | undefined;
  /** What the system is to start; needed while the game is run by `electron .` on Windows and Linux. */
  readonly launch?: { readonly path: string; readonly args: readonly string[] } | undefined;
  /** How this process was started. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
  /**
   * Registers the forwarder, so that a redirect starts no second copy of Electron. Where there is none, and on macOS,
   * which hands addresses to the running app by itself, Electron's own way is taken.
   */
  readonly forwarder?: { readonly name: string; readonly folder?: string | undefined } | undefined;
  readonly logger?: Logger | undefined;
}

/** How the scheme came to be registered. */
export interface ElectronRegistration {
  /** Whether the system took us for the scheme's program. */
  readonly isRegistered: boolean;
  /** What the system starts: `forwarder`, or `game`, a second copy that hands the address to the first one. */
  readonly through: 'forwarder' | 'game';
  /** Why it is not the forwarder, though it was asked for. */
  readonly reason?: string;
}

/** Redirects on their way from the system to the client. */
export interface ElectronReceiver extends SchemeReceiver {
  /**
   * False in a second copy of the game: the redirect it was started with has gone to the first one, and it should quit.
   */
  readonly isFirstInstance: boolean;
  /** Never rejects. In a second copy nothing is registered. */
  readonly registration: Promise<ElectronRegistration>;
}

/**
 * Receives custom-scheme redirects in Electron's main process, wherever a system puts them: the `open-url` event
 * (macOS), the arguments of a second copy that the system starts (Windows, Linux), the arguments of this one, the
 * forwarder. Call it early, before the app is ready: macOS brings the address of a start before that.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 * @see interface.md, CustomSchemeParam
 */
export function receiveRedirects(options: RedirectOptions): ElectronReceiver {
  const { app, client, argv = process.argv } = options;
  const scheme = parseScheme(options);
  const own = addressesIn(argv, scheme);
  // Chromium sorts the arguments of a second copy and may drop some; this arrives as it was sent.
  const isFirstInstance = app.requestSingleInstanceLock({ [dataKey]: own.slice(0, 1) });
  let startAddress: string | undefined;

  const take = (candidates: readonly string[]) => {
    const accepted = candidates.find(text => client.handleRedirect(text));
    if (accepted === undefined) return false;
    if (accepted === startAddress) startAddress = undefined;
    options.onAccepted?.();
    return true;
  };
  const onOpenUrl = (event: { preventDefault(): void }, url: unknown) => {
    if (!isAddressOf(scheme, url)) return;
    if (take([url])) event.preventDefault();
    else startAddress ??= url;
  };
  const onSecondInstance = (_event: unknown, otherArgv: unknown, _folder: unknown, data: unknown) => {
    const sent = addressesIn((Object(data) as Record<string, unknown>)[dataKey], scheme);
    take([...new Set([...sent, ...addressesIn(otherArgv, scheme)])]);
  };
  app.on('open-url', onOpenUrl);
  app.on('second-instance', onSecondInstance);
  if (isFirstInstance && !take(own)) startAddress = own[0];
  const registrar = isFirstInstance ? register(scheme, options) : notRegistered;

  return {
    redirectUri: customSchemeRedirect(scheme),
    isFirstInstance,
    get startAddress() {
      return startAddress;
    },
    registration: registrar.registration,
    close() {
      app.off('open-url', onOpenUrl);
      app.off('second-instance', onSecondInstance);
      registrar.close();
    },
  };
}

/** Of what one copy of the game tells the other. */
const dataKey = 'rallypointRedirects';

interface Registrar {
  readonly registration: Promise<ElectronRegistration>;
  close(): void;
}

const notRegistered: Registrar = {
  registration: Promise.resolve({ isRegistered: false, through: 'game' }),
  close() {},
};

function register(scheme: string, options: RedirectOptions): Registrar {
  const { forwarder } = options;
  if (!forwarder || process.platform === 'darwin') {
    return { registration: Promise.resolve(registerGame(scheme, options)), close() {} };
  }
  const socket = Promise.withResolvers<SchemeReceiver>();
  const { client, onAccepted, logger, launch: game = { path: process.execPath, args: [] } } = options;
  const { name, folder } = forwarder;
  const registerForwarder = async (): Promise<ElectronRegistration> => {
    try {
      await listenForRedirects({ client, scheme, folder, onAccepted, logger, argv: [] }).then(socket.resolve);
      const { through, missing } = await registerScheme({ scheme, name, game, folder });
      return { isRegistered: true, through, ...(missing.length > 0 && { reason: missing.join(' ') }) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger?.warn({ reason }, 'the forwarder cannot be registered; Electron registers the game');
      return { ...registerGame(scheme, options), reason };
    }
  };
  return {
    registration: registerForwarder(),
    close: () => void socket.promise.then(receiver => receiver.close()),
  };
}

function registerGame(scheme: string, { app, launch }: RedirectOptions): ElectronRegistration {
  const isRegistered = launch
    ? app.setAsDefaultProtocolClient(scheme, launch.path, [...launch.args])
    : app.setAsDefaultProtocolClient(scheme);
  return { isRegistered, through: 'game' };
}
