import type { RallypointError } from '../../model/errors/errors.ts';
import type { AuthorizationArgs } from '../auth/authorization-args.ts';
import type { AuthorizeOptions } from '../auth/authorizer.ts';
import type { RequestOptions } from '../call-options.ts';
import type { KeychainBackend, KeychainTier } from '../keychain/keychain.ts';
import type { Observable } from '../live/rxjs.ts';
import type { ProcessLockKind } from './process-lock.ts';
import type { EndReason } from './renewal.ts';
import type { KeptTokens } from './stored-credential.ts';

/** Whether a player is signed in, and how well that is kept. Frozen. */
export interface CredentialsSnapshot {
  readonly status: 'signed-out' | 'signed-in';
  /** How well the keychain keeps secrets, and what it is. */
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
  /** What keeps the processes of the game apart. */
  readonly lock: ProcessLockKind;
  /** Who is signed in, where an ID token said so. */
  readonly userId?: string;
  /** Space-separated, as granted. While signed in. */
  readonly scopes?: string;
  /** End of the access token, in milliseconds since the Unix epoch. While signed in. */
  readonly expiresAtMs?: number;
  /** Why nobody is signed in any more; `signed-out`: here or in another window. Absent before the first sign-in. */
  readonly reason?: EndReason | 'signed-out';
  /** What keeps the credential from being refreshed or kept at present. It is tried again by itself. */
  readonly trouble?: RallypointError;
}

export interface AccessTokenOptions extends RequestOptions {
  /** A token that the service refused: it is not given out again. */
  readonly refused?: string | undefined;
}

export interface SignOutOptions extends RequestOptions {
  /**
   * Whether the service ends what was granted, which it does for all of the player's machines at once. Default: true.
   *
   * @see docs/spec/oauth2.md#revocation
   */
  readonly revoke?: boolean | undefined;
}

/** For an answer to what an earlier process asked there is {@link Credentials.continueSignIn}. */
export type SignInOptions = Omit<AuthorizeOptions, 'answer'>;

/**
 * Keeps a player signed in: holds the credential in the keychain, for all windows and processes of the game, and hands
 * every new access token to the client. It is refreshed when 85 to 90 % of its life have passed (apart by chance, also
 * after a sleep), once for all processes; while that fails, again after 5 s and ever less often, down to every 5 minutes.
 */
export interface Credentials {
  readonly snapshot: CredentialsSnapshot;
  /** Replays the latest, emits when something changed, never errors, completes on {@link close}. */
  readonly credentials$: Observable<CredentialsSnapshot>;
  /**
   * Asks the player ({@link Client.authorize}, with a verifier of its own), exchanges the code and keeps the tokens. One at
   * a time. With the custom scheme the keychain has a note meanwhile, for {@link continueSignIn}: of the latest sign-in
   * among all windows. It is taken back when this ends otherwise than by {@link close}.
   *
   * @throws as {@link Client.authorize}, {@link Client.getToken} and {@link accept}
   */
  signIn(args?: AuthorizationArgs, options?: SignInOptions): Promise<void>;
  /**
   * Goes on with the sign-in that an earlier process of the game began, and could not end: it was closed or died while
   * the player was in the browser, and the browser's answer has started this one. Once for each sign-in, up to 10 minutes
   * after it was begun. An address that answers nothing of ours changes nothing.
   *
   * @param answer the address that this process was started with, {@link SchemeReceiver.startAddress}
   * @throws ArgumentError `foreign_redirect`; OAuthError what the server said, `access_denied` when the player declined;
   *   and as {@link Client.getToken} and {@link accept}
   */
  continueSignIn(answer: string, options?: RequestOptions): Promise<void>;
  /**
   * Keeps tokens that were come by otherwise: by device, for a provisional account, from a backend. They take the place of
   * whatever was kept.
   *
   * @throws KeychainError, and everything stays as it was; TransportError `deadline_exceeded`, `aborted`; ArgumentError
   *   `missing_access_token`, `invalid_expiry`, `closed`
   */
  accept(tokens: KeptTokens, options?: RequestOptions): Promise<void>;
  /**
   * The access token to use now. As a rule at once; only one that has ended, or was refused, is refreshed first. All who
   * ask meanwhile share that refresh, and one who gives up does not end it for the others.
   *
   * @throws OAuthError `signed_out`: nobody is signed in, or not any more; `no_usable_token`; TransportError,
   *   RateLimitError, ApiError, KeychainError: it cannot be refreshed now, and nothing is lost; ArgumentError `closed`
   */
  accessToken(options?: AccessTokenOptions): Promise<string>;
  /**
   * Connects the client as the player who is signed in: with a token that is good now, and once more with a new one should
   * the gateway refuse it (4004).
   *
   * @throws as {@link accessToken} and {@link Client.connect}
   */
  connect(options?: RequestOptions): Promise<void>;
  /**
   * Ends the player's sign-in in all windows: at the service, in the keychain, in the client, which is disconnected. Our
   * choice: should the service not be reached, it ends here all the same, since nobody has the tokens then. Repeatable.

   * @throws KeychainError, and the player stays signed in, when neither the service nor the keychain could be told;
   *   TransportError `deadline_exceeded`, `aborted`, before anything was done; ArgumentError `closed`
   */
  signOut(options?: SignOutOptions): Promise<void>;
  /**
   * Stops refreshing, once a refresh under way has been kept. The player stays signed in; a sign-in under way ends here
   * (`aborted`), and the next process can go on with it. Idempotent.
   */
  close(): Promise<void>;
}
