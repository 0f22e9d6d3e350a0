import { silentLogger } from '../../wire/clock/ports.ts';
import type { Client, ClientSignInOptions } from '../client.ts';
import type { Credentials, SignOutOptions } from '../credentials/credentials.ts';
import { BehaviorSubject, type Observable } from '../live/rxjs.ts';
import { serveShared, type WindowServer, type WindowServerOptions } from './serve-windows.ts';
import { type GameParts, sharedParts } from './shared-parts.ts';
import {
  type CredentialsSource,
  SharedSignIn,
  type SignInSnapshot,
  type WindowSignInOptions,
} from './shared-sign-in.ts';

export interface ServeWindowsOptions extends WindowServerOptions {
  /** The client whose state and operations the windows share. */
  // biome-ignore lint/suspicious/noExplicitAny: a client with whatever metadata schemas
  readonly client: Client<any, any>;
  /**
   * With them, windows sign the player in and out by the keychain; without, for this run only. A function opens them while
   * the windows are there already, so that pages can show that the keychain is being unlocked, or is missing.
   */
  readonly credentials?: CredentialsSource | undefined;
  /**
   * The options of every sign-in that a window begins, for example `async () => ({ scheme })`. Those that the window passes
   * come before them. Default: a redirect to this machine.
   */
  readonly signInOptions?: (() => ClientSignInOptions | Promise<ClientSignInOptions>) | undefined;
  /** Calls and states of the game's own, by the same port. */
  readonly game?: GameParts | undefined;
}

/** What the main process knows of its windows and of the player's sign-in. */
export interface GameWindowServer extends WindowServer {
  /** What windows see of signing in, as an observable that replays. Undefined without credentials. */
  readonly credentials$: Observable<SignInSnapshot | undefined>;
  /** Undefined without credentials, and until they are open. */
  readonly credentials: Credentials | undefined;
  /**
   * As {@link WindowClient.signIn}, for a menu of the main process; windows show it.
   *
   * @throws as {@link Client.signIn}
   */
  signIn(options?: WindowSignInOptions): Promise<void>;
  /** As {@link WindowClient.signOut}. @throws as {@link Credentials.signOut} */
  signOut(options?: SignOutOptions): Promise<void>;
  /**
   * Finishes a sign-in that an earlier run of the game began ({@link Credentials.continueSignIn}), once the credentials are
   * open. A failure shows in the windows, unless the address belongs to no sign-in.
   *
   * @throws as {@link Credentials.continueSignIn}, and as the function that opens the credentials
   */
  continueSignIn(answer: string): Promise<void>;
  /** Disconnects the windows, serves no more, and closes the credentials if it opened them. Repeatable. */
  close(): Promise<void>;
}

/**
 * Lets the windows of the game use the client: its live state, its events and its operations. Neither tokens nor
 * authorization addresses leave the main process. Only top frames of the game's own pages are served: files of the app, and what
 * `pages` names, unless `isTrusted` says otherwise.
 *
 * @example
 * import { app, ipcMain } from 'electron';
 *
 * const windows = serveWindows({ ipcMain, app, client, credentials });
 * app.on('will-quit', () => windows.close());
 */
export function serveWindows({
  client,
  credentials: source,
  signInOptions,
  game,
  ...options
}: ServeWindowsOptions): GameWindowServer {
  const signIn = source && new SharedSignIn({ source, options: signInOptions, logger: options.logger ?? silentLogger });
  const server = serveShared(sharedParts(client, signIn, game), options);
  const close = async () => {
    await server.close();
    await signIn?.close();
  };
  return {
    get connections() {
      return server.connections;
    },
    credentials$: signIn?.state$ ?? new BehaviorSubject(undefined),
    get credentials() {
      return signIn?.credentials;
    },
    signIn: async given => {
      if (signIn) await signIn.signIn(given);
      else await client.signIn(given);
    },
    signOut: async given => (signIn ? signIn.signOut(given) : client.updateToken(undefined)),
    continueSignIn: async answer => signIn?.continueSignIn(answer),
    close,
    [Symbol.asyncDispose]: close,
  };
}
