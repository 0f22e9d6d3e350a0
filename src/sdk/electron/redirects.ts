import type { App } from 'electron';
import { customSchemeRedirect } from '../../wire/oauth/authorize-url.ts';
import type { SchemeReceiver } from '../redirect/listen.ts';
import { addressesIn, isAddressOf, parseScheme, type SchemeChoice } from '../redirect/scheme.ts';
import { type ElectronRegistration, Registrar, type RegistrarOptions } from './registrar.ts';

/** The part of Electron's `app` that is called. */
export type RedirectApp = Pick<App, 'on' | 'off' | 'requestSingleInstanceLock' | 'setAsDefaultProtocolClient'>;

export interface RedirectOptions extends SchemeChoice, RegistrarOptions {
  /** From the `electron` module of the main process. */
  readonly app: RedirectApp;
  /** The arguments of this process. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
}

/** Receives custom-scheme redirects from the system for the client. */
export interface ElectronReceiver extends SchemeReceiver {
  /**
   * False in a second copy of the game: the redirect that it was started with has been passed to the first one, and it should
   * quit.
   */
  readonly isFirstInstance: boolean;
  /**
   * As in {@link SchemeReceiver}. macOS delivers the address of a start as an event: the first one that no authorization waits
   * for is stored here until this property is read. Later addresses are passed to `onUnclaimed`, and none to both.
   */
  readonly startAddress: string | undefined;
  /** Whether the game is registered for the scheme by now. Registering the forwarder takes a moment. */
  readonly isRegistered: boolean;
  /** The result of the registration. Never rejects. A second copy registers nothing. */
  readonly registration: Promise<ElectronRegistration>;
}

/**
 * Receives custom-scheme redirects in Electron's main process: from the `open-url` event (macOS), from the arguments of a
 * second copy that the system starts (Windows, Linux), from the arguments of this process, and from the forwarder. Call it
 * before the app is ready, because macOS delivers the address of a start before that.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 * @see docs/spec/client.md#authorization-arguments
 */
export function receiveRedirects(options: RedirectOptions): ElectronReceiver {
  const { app, client, argv = process.argv } = options;
  const scheme = parseScheme(options);
  const own = addressesIn(argv, scheme);
  // Chromium reorders the arguments of a second copy and may drop some; this data arrives unchanged.
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
  const close = async () => {
    app.off('open-url', onOpenUrl);
    app.off('second-instance', onSecondInstance);
    await registrar?.close();
  };

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
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The key of the data that one copy of the game sends to the other. */
const dataKey = 'rallypointRedirects';
