import { RedirectError } from '../../model/errors/errors.ts';
import { requireType } from '../../wire/arguments.ts';
import { type Clock, type Logger, silentLogger, systemClock } from '../../wire/clock/ports.ts';
import { reportErrors } from '../../wire/error-report.ts';
import { customSchemeRedirect } from '../../wire/oauth/authorize-url.ts';
import { checkFolder } from '../folder-option.ts';
import { parseScheme, type SchemeChoice } from './scheme.ts';

/** Receives the redirects: a {@link Client}. */
export interface RedirectTarget {
  /** Returns whether the address ended an authorization in progress. Accepts any address. */
  handleRedirect(address: string): boolean;
}

/** Listens for redirects and passes them on unchecked: the client decides which of them belong to an authorization. */
export interface RedirectReceiver {
  /** The address that the authorization page sends the player to. */
  readonly redirectUri: string;
  /** Stops listening. Idempotent. */
  close(): Promise<void>;
  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RedirectListenerOptions extends SchemeChoice {
  /** The {@link Client} that signs the player in. */
  readonly client: RedirectTarget;
  /** The arguments of this process. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
  /** Called when a redirect ended an authorization of this window; bring it to the front then. */
  readonly onAccepted?: (() => void) | undefined;
  /**
   * Called, in the first instance only, with an address of the scheme that no window waited for. Any program can have sent
   * it. It may belong to a sign-in that an earlier run of the game began ({@link Credentials.continueSignIn}).
   */
  readonly onUnclaimed?: ((address: string) => void) | undefined;
  /**
   * Absolute path of the socket's folder, which is created if it does not exist and which only this user may access. Pass the same folder
   * to {@link registerScheme}. Default: `rallypoint-<uid>` in XDG_RUNTIME_DIR or the folder for temporary files. Unused on
   * Windows.
   */
  readonly folder?: string | undefined;
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** Receives custom-scheme redirects from the system for the client. */
export interface SchemeReceiver extends RedirectReceiver {
  /**
   * False when another copy of the game was already running. The redirect that this process was started with has been
   * delivered to it. A game with one window should quit then. A game with several windows can keep this one: it receives the
   * redirects of its own sign-ins, also after the first instance has quit.
   */
  readonly isFirstInstance: boolean;
  /**
   * The redirect that this process was started with, unless a window has accepted it: the game was closed during a sign-in.
   * Pass it to {@link Credentials.continueSignIn}, or, with the state and the verifier of that sign-in, to
   * {@link Client.authorize} as `answer`.
   */
  readonly startAddress: string | undefined;
}

/**
 * Receives custom-scheme redirects in a game that runs on Node (in Electron use `receiveRedirects`): from the forwarder and
 * from a second copy of the game, over a socket that only this user can access, and from the arguments of this process. The
 * process does not exit while this is open.
 *
 * An address that no window waits for (foreign, stale, replayed, forged, malformed, longer than 8,192 bytes) is rejected and
 * changes nothing.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`, `invalid_folder`, `invalid_argument`
 * @throws RedirectError `elevated`: this process runs with other rights than the player's browser; `folder_not_private`,
 *   `no_folder`, `socket_path_too_long`, `cannot_listen`; `listener_not_ours`: another user listens, or a copy that runs
 *   elevated
 * @throws TransportError `deadline_exceeded`: another process holds the lock for too long
 * @see docs/spec/client.md#authorization-arguments
 */
export async function listenForRedirects(options: RedirectListenerOptions): Promise<SchemeReceiver> {
  requireType('options', options, 'object');
  const { client, onAccepted, onUnclaimed, argv = process.argv, clock = systemClock } = options;
  const logger = reportErrors(options.logger ?? silentLogger);
  const scheme = parseScheme(options);
  requireType('client', client, 'object');
  checkFolder(options.folder);
  const [{ elevationOf, thisMachine }, { socketLocationOf, socketLock }, { GameInstance }] = await Promise.all([
    import('./machine.ts'),
    import('./socket-location.ts'),
    import('./game-instance.ts'),
  ]);
  const machine = thisMachine();
  const elevated = await elevationOf(machine);
  if (elevated) {
    const remedy = 'Start the game as the user of the desktop, or use loopback redirects.';
    throw new RedirectError('elevated', `${elevated} Redirects of the browser cannot reach it. ${remedy}`);
  }
  const location = socketLocationOf(scheme, options.folder, machine);
  const take = (address: string) => {
    const isAccepted = client.handleRedirect(address);
    // The answer is sent first, even if the callback throws.
    if (isAccepted && onAccepted) queueMicrotask(onAccepted);
    return isAccepted;
  };
  const unclaimed = (address: string) => {
    if (onUnclaimed) queueMicrotask(() => onUnclaimed(address));
  };
  const exclusively = socketLock(location, clock);
  const instance = new GameInstance({
    location,
    uid: machine.uid,
    scheme,
    clock,
    logger,
    take,
    unclaimed,
    exclusively,
  });
  const rank = await instance.start(argv);
  return {
    redirectUri: customSchemeRedirect(scheme),
    isFirstInstance: rank === 'first',
    get startAddress() {
      return instance.startAddress;
    },
    close: () => instance.close(),
    [Symbol.asyncDispose]: () => instance.close(),
  };
}
