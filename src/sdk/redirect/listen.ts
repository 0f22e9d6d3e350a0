import { RedirectError } from '../../model/errors/errors.ts';
import { type Clock, type Logger, silentLogger, systemClock } from '../../wire/clock/ports.ts';
import { reportErrors } from '../../wire/error-report.ts';
import type { RedirectReceiver, RedirectTarget } from './receiver.ts';
import { customSchemeRedirect, parseScheme, type SchemeChoice } from './scheme.ts';

export interface RedirectListenerOptions extends SchemeChoice {
  /** Who waits for the redirect: a {@link Client}. */
  readonly client: RedirectTarget;
  /** How this process was started. Default: `process.argv`. */
  readonly argv?: readonly string[] | undefined;
  /** Called when a redirect ended an authorization of this window: the moment to bring it to the front. */
  readonly onAccepted?: (() => void) | undefined;
  /**
   * Called with an address of the scheme that no window waited for. Anybody can have sent it; it may answer a sign-in
   * that an earlier run of the game began ({@link Credentials.continueSignIn}). In the first instance only.
   */
  readonly onUnclaimed?: ((address: string) => void) | undefined;
  /**
   * Folder of the socket, which is made if there is none; for this user alone. Give the same one to
   * {@link registerScheme}. Default: `rallypoint-<uid>` in XDG_RUNTIME_DIR or the folder for temporary files. Unused on
   * Windows.
   */
  readonly folder?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

/** Custom-scheme redirects on their way from the system to the client. */
export interface SchemeReceiver extends RedirectReceiver {
  /**
   * False when another copy of the game ran already. The redirect this one was started with has gone to whichever waits
   * for it. A game of one window should quit then; in another window redirects are received all the same, also after the
   * first has quit.
   */
  readonly isFirstInstance: boolean;
  /**
   * The redirect this process was started with, while nobody has waited for it: the game was closed in the middle of a
   * sign-in. A game that kept the state and the verifier of that can go on by {@link AuthorizeOptions.answer}; to any
   * other it is worth nothing, and the player has to start again.
   */
  readonly startAddress: string | undefined;
}

/**
 * Receives custom-scheme redirects in a game that runs on Node (in Electron: `receiveRedirects`), wherever the system
 * puts them: from the forwarder, by a socket that only this user can reach; from a second copy of the game, by the same
 * socket; from the arguments of this process. The process stays while this is open.
 *
 * An address that no window waits for (foreign, stale, replayed, forged, longer than 8,192 bytes, garbled) is refused
 * and changes nothing.
 *
 * @throws ArgumentError `missing_scheme`, `invalid_scheme`, `invalid_snowflake`
 * @throws RedirectError `elevated`: this process has other rights than the player's browser; `folder_not_private`,
 *   `no_folder`, `socket_path_too_long`, `cannot_listen`; `listener_not_ours`: another user listens, or a copy that runs
 *   elevated
 * @throws TransportError `deadline_exceeded`: another process starts listening and does not get done
 * @see docs/spec/client.md#authorization-arguments
 */
export async function listenForRedirects(options: RedirectListenerOptions): Promise<SchemeReceiver> {
  const { client, onAccepted, onUnclaimed, argv = process.argv, clock = systemClock } = options;
  const logger = reportErrors(options.logger ?? silentLogger);
  const scheme = parseScheme(options);
  const [{ thisMachine }, { elevation }, { placeOf }, { Instance }, { lockAt }] = await Promise.all([
    import('./machine.ts'),
    import('./elevation.ts'),
    import('./place.ts'),
    import('./instance.ts'),
    import('./place-lock.ts'),
  ]);
  const machine = thisMachine();
  const elevated = await elevation(machine);
  if (elevated) {
    const remedy = 'Start the game as the person who is signed in to the desktop, or redirect to loopback.';
    throw new RedirectError('elevated', `${elevated} The browser's redirects cannot reach it. ${remedy}`);
  }
  const place = placeOf(scheme, options.folder, machine);
  const take = (address: string) => {
    const isAccepted = client.handleRedirect(address);
    // Whatever goes wrong there, the answer goes out.
    if (isAccepted && onAccepted) queueMicrotask(onAccepted);
    return isAccepted;
  };
  const unclaimed = (address: string) => {
    if (onUnclaimed) queueMicrotask(() => onUnclaimed(address));
  };
  const exclusively = lockAt(place, clock);
  const instance = new Instance({ place, uid: machine.uid, scheme, clock, logger, take, unclaimed, exclusively });
  const rank = await instance.start(argv);
  return {
    redirectUri: customSchemeRedirect(scheme),
    isFirstInstance: rank === 'first',
    get startAddress() {
      return instance.startAddress;
    },
    close: () => instance.close(),
  };
}
