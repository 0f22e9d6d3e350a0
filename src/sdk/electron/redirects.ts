import type { App } from 'electron';
import { addressesIn, isAddressOf } from '../redirect/address.ts';
import type { SchemeReceiver } from '../redirect/listen.ts';
import { customSchemeRedirect, parseScheme, type SchemeChoice } from '../redirect/scheme.ts';
import { type ElectronRegistration, Registrar, type RegistrarOptions } from './registrar.ts';

/** The part of Electron's `app` that is called. */
export type RedirectApp = Pick<App, 'on' | 'off' | 'requestSingleInstanceLock' | 'setAsDefaultProtocolClient'>;

export interface RedirectOptions extends SchemeChoice, RegistrarOptions {
  /** From the `electron` module of the main process. */
  readonly app: RedirectApp;
  /** How this process was started. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
}

/** Redirects on their way from the system to the client. */
export interface ElectronReceiver extends SchemeReceiver {
  /**
   * False in a second copy of the game: the redirect it was started with has gone to the first one, and it should quit.
   */
  readonly isFirstInstance: boolean;
  /**
   * As in {@link SchemeReceiver}. macOS tells of the address of a start by an event: the first that nobody waits for, and
   * that comes before this was looked at, is kept here; whatever comes later goes to `onUnclaimed`. None goes to both.
   */
  readonly startAddress: string | undefined;
  /** Whether the system has taken us for the scheme's program by now; the forwarder takes a moment. */
  readonly isRegistered: boolean;
  /** How that went. Never rejects. In a second copy nothing is registered. */
  readonly registration: Promise<ElectronRegistration>;
}

/**
 * Receives custom-scheme redirects in Electron's main process, wherever a system puts them: the `open-url` event
 * (macOS), the arguments of a second copy that the system starts (Windows, Linux), the arguments of this one, the
 * forwarder. Call it early, before the app is ready: macOS brings the address of a start before that.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 * @see docs/spec/client.md#authorization-arguments
 */
export function receiveRedirects(options: RedirectOptions): ElectronReceiver {
  const { app, client, argv = process.argv } = options;
  const scheme = parseScheme(options);
  const own = addressesIn(argv, scheme);
  // Chromium sorts the arguments of a second copy and may drop some; this arrives as it was sent.
  const isFirstInstance = app.requestSingleInstanceLock({ [dataKey]: own.slice(0, 1) });
  let startAddress: string | undefined;
  let isStarting = true;

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
    else if (isStarting && startAddress === undefined) startAddress = url;
    else options.onUnclaimed?.(url);
  };
  const onSecondInstance = (_event: unknown, otherArgv: unknown, _folder: unknown, data: unknown) => {
    const sent = addressesIn((Object(data) as Record<string, unknown>)[dataKey], scheme);
    const all = [...new Set([...sent, ...addressesIn(otherArgv, scheme)])];
    const [first] = all;
    if (!take(all) && first !== undefined) options.onUnclaimed?.(first);
  };
  app.on('open-url', onOpenUrl);
  app.on('second-instance', onSecondInstance);
  if (isFirstInstance && !take(own)) startAddress = own[0];
  const registrar = isFirstInstance ? new Registrar(scheme, options) : undefined;

  return {
    redirectUri: customSchemeRedirect(scheme),
    isFirstInstance,
    get startAddress() {
      isStarting = false;
      return startAddress;
    },
    get isRegistered() {
      return registrar?.outcome?.isRegistered ?? false;
    },
    registration: registrar?.registration ?? Promise.resolve({ isRegistered: false, through: 'game' }),
    close() {
      app.off('open-url', onOpenUrl);
      app.off('second-instance', onSecondInstance);
      registrar?.close();
    },
  };
}

/** Of what one copy of the game tells the other. */
const dataKey = 'rallypointRedirects';
