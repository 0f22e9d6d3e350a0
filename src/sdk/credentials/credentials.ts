import type { RallypointError } from '../../model/errors/errors.ts';
import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import type { AuthorizationArgs } from '../auth/authorization-args.ts';
import type { AuthorizeOptions } from '../auth/authorizer.ts';
import type { RequestOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { Keychain, KeychainBackend, KeychainTier } from '../keychain/keychain.ts';
import type { Observable } from '../live/rxjs.ts';
import type { ProcessLockKind } from './process-lock.ts';
import type { EndReason } from './refresh.ts';
import type { KeptTokens } from './stored-credential.ts';

export interface CredentialsOptions {
  readonly client: CredentialsClient;
  readonly keychain: Keychain;
  /**
   * Absolute path of the folder through which the game's processes coordinate. It holds a lock and a file that reports
   * changes, and no secrets. Default: `rallypoint` in the user's data folder.
   */
  readonly folder?: string | undefined;
  /** The keychain's entry. Default: the application id. */
  readonly account?: string | undefined;
  /** The kinds of lock that may be used, in order of preference. Default: all. */
  readonly locks?: readonly ProcessLockKind[] | undefined;
  /** Receives what happens to the credential, never a token. Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Default: the system's source of randomness. */
  readonly entropy?: Entropy | undefined;
}

/** The part of a {@link Client} that {@link openCredentials} uses. */
export type CredentialsClient = Pick<
  Client,
  | 'applicationId'
  | 'authorize'
  | 'connect'
  | 'createAuthorizationCodeVerifier'
  | 'getToken'
  | 'refreshToken'
  | 'revokeToken'
  | 'status$'
  | 'updateToken'
> &
  Partial<Pick<Client, 'setTokenRenewal'>>;

/** Whether a player is signed in, and how the credential is stored. Frozen. */
export interface CredentialsSnapshot {
  readonly status: 'signed-out' | 'signed-in';
  /** The tier of the keychain that stores the credential. */
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
  /** The lock that keeps the game's processes from refreshing at the same time. */
  readonly lock: ProcessLockKind;
  /** The player who is signed in, if an ID token named them. */
  readonly userId?: string | undefined;
  /** The granted scopes, separated by spaces. Present while signed in. */
  readonly scopes?: string | undefined;
  /** When the access token expires, in milliseconds since the Unix epoch. Present while signed in. */
  readonly expiresAtMs?: number | undefined;
  /** Why the player is signed out; `signed-out`: here or in another window. Absent before the first sign-in. */
  readonly reason?: EndReason | 'signed-out' | undefined;
  /** The latest failure to refresh or store the credential, which is retried automatically. Absent after a success. */
  readonly trouble?: RallypointError | undefined;
}

export interface AccessTokenOptions extends RequestOptions {
  /** A token that a server rejected. It is not returned again. */
  readonly rejected?: string | undefined;
}

export interface SignOutOptions extends RequestOptions {
  /**
   * Whether the service revokes the authorization, which signs the player out on all their machines. Default: true.
   *
   * @see docs/spec/oauth2.md#revocation
   */
  readonly revoke?: boolean | undefined;
}

/** The options of {@link Client.authorize}. For the redirect of an earlier process call {@link Credentials.continueSignIn}. */
export type SignInOptions = Omit<AuthorizeOptions, 'answer'>;

/**
 * Keeps a player signed in. The credential is in the keychain, shared by all windows and processes of the game, and every new
 * access token is passed to the client. The token is refreshed when 85 to 90 % of its life have passed (the exact moment is
 * random), once for all processes. A failed refresh is retried after 5 s at first, and every 5 minutes in the end. A call of the
 * client whose token the service rejects (401) refreshes it, and is repeated once with the new one.
 */
export interface Credentials {
  /** The latest value of {@link state$}. */
  readonly state: CredentialsSnapshot;
  /** Replays the latest value, emits when it changes, never errors, and completes on {@link close}. */
  readonly state$: Observable<CredentialsSnapshot>;
  /**
   * Asks the player ({@link Client.authorize}, with a new verifier), exchanges the code and stores the tokens. One sign-in runs
   * at a time. With a custom scheme, what {@link continueSignIn} needs is in the keychain meanwhile: that of the latest
   * sign-in of all windows. It is deleted when the sign-in ends, unless {@link close} ended it.
   *
   * @param args `clientId`: the client's `applicationId`, if anything
   * @throws as {@link Client.authorize}, {@link Client.getToken} and {@link accept}
   */
  signIn(args?: AuthorizationArgs, options?: SignInOptions): Promise<void>;
  /**
   * Finishes a sign-in that an earlier process of the game began: that process ended while the player was in the browser, and
   * the redirect started this one. Works once for each sign-in, up to 10 minutes after it was begun. An address that belongs
   * to no sign-in changes nothing.
   *
   * @param answer the address that this process was started with: {@link SchemeReceiver.startAddress}
   * @throws ArgumentError `foreign_redirect`; OAuthError with the server's code, `access_denied` when the player declined;
   *   and as {@link Client.getToken} and {@link accept}
   */
  continueSignIn(answer: string, options?: RequestOptions): Promise<void>;
  /**
   * Stores tokens that were obtained in another way: on another device, for a provisional account, from a backend. They replace
   * what was stored.
   *
   * @throws KeychainError: nothing has changed; TransportError `deadline_exceeded`, `aborted`; ArgumentError
   *   `missing_access_token`, `invalid_credential`, `invalid_expiry`, `invalid_argument`, `closed`
   */
  accept(tokens: KeptTokens, options?: RequestOptions): Promise<void>;
  /**
   * Returns a valid access token. It usually resolves without a request: only a token that has expired or was rejected is
   * refreshed first. Concurrent callers share one refresh, and aborting one call does not abort it for the others. For a second
   * after the third refresh in a row that brought no usable token, and as long as the service asked to wait, it rejects without a
   * request.
   *
   * @throws OAuthError `signed_out`: no player is signed in; `no_usable_token`; TransportError, RateLimitError, ApiError,
   *   KeychainError: the token cannot be refreshed now, and the player stays signed in; TransportError `aborted`;
   *   ArgumentError `closed`
   */
  accessToken(options?: AccessTokenOptions): Promise<string>;
  /**
   * Connects the client as the signed-in player. If the gateway rejects the token (close code 4004), it is refreshed and the
   * connection is tried once more.
   *
   * @throws as {@link accessToken} and {@link Client.connect}
   */
  connect(options?: RequestOptions): Promise<void>;
  /**
   * Signs the player out in all windows: revokes the authorization at the service, deletes the credential from the keychain, and
   * disconnects the client. Idempotent.
   *
   * Unspecified: if the service cannot be reached, the player is signed out here all the same, because the tokens are deleted.
   *
   * @throws KeychainError: neither the service nor the keychain could be reached, and the player stays signed in;
   *   TransportError `deadline_exceeded`, `aborted`, before anything was changed; ArgumentError `closed`
   */
  signOut(options?: SignOutOptions): Promise<void>;
  /**
   * Stops refreshing, after a refresh that is in progress has been stored. It waits for that for 1 s at most; the next process
   * finishes what it left. The player stays signed in. A sign-in in progress rejects with `aborted`, and the next process can
   * finish it. Idempotent.
   */
  close(): Promise<void>;
  /** As {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}
