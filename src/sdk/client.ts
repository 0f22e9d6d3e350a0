import { ArgumentError } from '../model/errors.ts';
import { type ApplicationId, type LobbyId, parseSnowflake } from '../model/snowflake.ts';
import { resolveAddresses } from '../wire/addresses.ts';
import { Http } from '../wire/http.ts';
import {
  type Clock,
  type Entropy,
  type Fetch,
  type Logger,
  type SocketFactory,
  silentLogger,
  systemClock,
  systemEntropy,
} from '../wire/ports.ts';
import { loadSystemSocket } from '../wire/socket.ts';
import { fetchTransport } from '../wire/transport.ts';
import type { AuthorizationArgs } from './auth/authorization-args.ts';
import { type AuthorizationGrant, type AuthorizeOptions, Authorizer } from './auth/authorizer.ts';
import { type AuthorizationCodeVerifier, createAuthorizationCodeVerifier } from './auth/code-verifier.ts';
import { type OpenBrowser, openSystemBrowser } from './auth/open-browser.ts';
import { TokenClient, type TokenRequest, type TokenSet } from './auth/token-client.ts';
import { Connection } from './connection.ts';
import type { ConnectionSnapshot } from './connection-snapshot.ts';
import { lazyNodeTransport } from './lazy-transport.ts';
import type { LobbySnapshot, LobbyState } from './lobby/snapshot.ts';
import { LobbyStore } from './lobby/store.ts';
import type { Observable } from './rxjs.ts';

export interface ClientOptions {
  /** @see {@link Client.setApplicationId} */
  readonly applicationId?: string | bigint | undefined;
  /** Where the pages for people are, and who issues the tokens. Default: the hosted service. */
  readonly webBase?: string | undefined;
  /** What stands before the version in every API path; ends in `/api`. Default: the hosted service. */
  readonly apiBase?: string | undefined;
  /** Shows the page that asks the player. Default: the system's browser. */
  readonly openBrowser?: OpenBrowser | undefined;
  /** Hears what the client does; never a token, a code or a verifier. Default: nobody. */
  readonly logger?: Logger | undefined;
  /** Default: Node's own HTTP. */
  readonly fetch?: Fetch | undefined;
  /** Default: the sockets of `ws`. */
  readonly socket?: SocketFactory | undefined;
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** Default: the machine's. */
  readonly entropy?: Entropy | undefined;
}

/** What ends a call early. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a game holds: signs a player in, connects, and knows the player's lobbies as they change.
 *
 * Errors are this package's own; compare their `code`. State comes as frozen snapshots, each both as a stream (which
 * replays the latest, emits only when something changed, never errors, and completes on {@link close}) and as a getter.
 *
 * @see social-sdk.md 5, "Normal order of calls"
 * @example
 * const client = new Client({ applicationId: '1054951789318909972' });
 * const { challenge, verifier } = client.createAuthorizationCodeVerifier();
 * const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
 * const { accessToken } = await client.getToken({ ...grant, verifier });
 * client.updateToken(accessToken);
 * await client.connect();
 * client.lobbies$.subscribe(lobbies => console.log(lobbies));
 */
export class Client {
  /** Where the client stands with the gateway. */
  readonly status$: Observable<ConnectionSnapshot>;
  /**
   * The player's lobbies, by id, which is the order of their making. While reconnecting they are what was last heard;
   * while disconnected there are none. Our choice: a list rather than a Map, because a Map cannot be frozen.
   */
  readonly lobbies$: Observable<LobbyState>;
  readonly #entropy: Entropy;
  readonly #http: Http;
  readonly #authorizer: Authorizer;
  readonly #tokens: TokenClient;
  readonly #lobbies: LobbyStore;
  readonly #connection: Connection;
  #applicationId: ApplicationId | undefined;
  #accessToken: string | undefined;
  #isClosed = false;

  /** @throws ArgumentError `invalid_base_url`, `insecure_address`, `invalid_snowflake` */
  constructor(options: ClientOptions = {}) {
    const { logger = silentLogger, clock = systemClock, entropy = systemEntropy, fetch, socket } = options;
    const addresses = resolveAddresses(options);
    const transport = fetch ? fetchTransport(fetch) : lazyNodeTransport();
    this.#entropy = entropy;
    this.#http = new Http({ baseUrl: addresses.baseUrl, transport, clock, entropy, logger });
    this.#authorizer = new Authorizer({
      webBase: addresses.webBase,
      entropy,
      logger,
      openBrowser: options.openBrowser ?? openSystemBrowser,
    });
    this.#tokens = new TokenClient({ addresses, clock, transport });
    this.#lobbies = new LobbyStore(logger);
    this.#connection = new Connection({
      clock,
      entropy,
      logger,
      http: this.#http,
      loadSocket: socket ? async () => socket : loadSystemSocket,
      token: () => this.#token(),
      onDispatch: (name, data) => this.#lobbies.apply(name, data),
    });
    this.status$ = this.#connection.status$;
    this.lobbies$ = this.#lobbies.lobbies$;
    this.status$.subscribe(({ status }) => {
      if (status === 'disconnected') this.#lobbies.clear();
    });
    if (options.applicationId !== undefined) this.setApplicationId(options.applicationId);
  }

  get status(): ConnectionSnapshot {
    return this.#connection.status;
  }

  get lobbies(): LobbyState {
    return this.#lobbies.lobbies;
  }

  get applicationId(): ApplicationId | undefined {
    return this.#applicationId;
  }

  /**
   * Names the game's application: the default for {@link AuthorizationArgs}, and who asks for tokens.
   *
   * @throws ArgumentError `invalid_snowflake`
   */
  setApplicationId(id: string | bigint): void {
    this.#applicationId = parseSnowflake<'application'>(id, 'applicationId');
  }

  /** Makes a fresh pair for one authorization: the challenge goes into its arguments, the verifier to getToken. */
  createAuthorizationCodeVerifier(): AuthorizationCodeVerifier {
    return createAuthorizationCodeVerifier(this.#entropy);
  }

  /**
   * Asks the player to let the game in: opens the page, waits for the redirect that belongs to this call. A redirect
   * that does not (a stale, foreign or forged one) is refused, and the wait goes on. One at a time.
   *
   * @throws ValidationError the arguments
   * @throws ArgumentError `missing_application_id`, `authorization_in_progress`, `closed`
   * @throws OAuthError what the server said; `access_denied` when the player declined
   * @throws TransportError `aborted`, `browser_unavailable`, `no_loopback`
   */
  async authorize(args: AuthorizationArgs, options: AuthorizeOptions = {}): Promise<AuthorizationGrant> {
    this.#assertOpen();
    return this.#authorizer.authorize(args, this.#applicationId, options);
  }

  /**
   * Takes an address that the system handed to the game (`<scheme>:/authorize/callback?…`). Any address may be handed
   * in; only one that ends the authorization under way does anything.
   *
   * @returns whether it did
   */
  handleRedirect(url: string): boolean {
    return this.#authorizer.handleRedirect(url);
  }

  /**
   * Turns a grant into tokens; for applications that are public clients.
   *
   * @throws OAuthError what the server said, `invalid_grant` above all; `invalid_id_token`
   * @throws ArgumentError `missing_code`, `invalid_code_verifier`, `invalid_redirect_uri`, `missing_application_id`
   * @throws ApiError, RateLimitError, TransportError
   */
  async getToken(request: TokenRequest, { signal }: CallOptions = {}): Promise<TokenSet> {
    return this.#tokens.getToken(this.#clientId(), request, signal);
  }

  /**
   * Turns a refresh token into a new pair; the old access and refresh token stop working.
   *
   * @throws as {@link getToken}; ArgumentError `missing_refresh_token`
   */
  async refreshToken(refreshToken: string, { signal }: CallOptions = {}): Promise<TokenSet> {
    return this.#tokens.refreshToken(this.#clientId(), refreshToken, signal);
  }

  /**
   * Ends every token of the authorization that `token` (access or refresh) belongs to. Repeatable.
   *
   * @throws as {@link getToken}; ArgumentError `missing_token`
   */
  async revokeToken(token: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#tokens.revokeToken(this.#clientId(), token, signal);
  }

  /**
   * Sets the access token to connect with. Our choice: a live connection goes on, since its session outlives the
   * token; the next one uses the new token.
   *
   * @throws ArgumentError `missing_access_token`
   */
  updateToken(accessToken: string): void {
    if (accessToken === '') throw new ArgumentError('missing_access_token', 'accessToken is needed.');
    this.#accessToken = accessToken;
  }

  /**
   * Connects, and resolves when the session is ready and {@link lobbies} are complete. From then on drops heal by
   * themselves; {@link status$} tells of them.
   *
   * Until then it tries for 30 s at most, and the first failure to reach the service over HTTP ends it. A call while
   * connecting joins the one under way (whose signal counts); while connected it resolves at once.
   *
   * @throws GatewayError a close code after which trying again is of no use, for example 4004
   * @throws ApiError, RateLimitError, TransportError `unreachable`, `deadline_exceeded`, `aborted`
   * @throws ArgumentError `missing_access_token`, `closed`
   */
  async connect({ signal }: CallOptions = {}): Promise<void> {
    this.#assertOpen();
    this.#token();
    await this.#connection.connect(signal);
  }

  /** Ends the session, and resolves when its socket is gone. The lobbies are forgotten. Repeatable. */
  disconnect(): Promise<void> {
    return this.#connection.disconnect();
  }

  /** Of one lobby: undefined while the player is in no lobby of that id. */
  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return this.#lobbies.lobby$(id);
  }

  lobby(id: LobbyId): LobbySnapshot | undefined {
    return this.#lobbies.lobby(id);
  }

  /** Disconnects, ends an authorization under way, completes the streams, lets go of all connections. Repeatable. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#authorizer.abort();
    await this.#connection.close();
    this.#lobbies.close();
    this.#http.close();
  }

  #clientId(): ApplicationId {
    this.#assertOpen();
    if (this.#applicationId !== undefined) return this.#applicationId;
    throw new ArgumentError('missing_application_id', 'Set applicationId on the client first.');
  }

  #token(): string {
    if (this.#accessToken !== undefined) return this.#accessToken;
    throw new ArgumentError('missing_access_token', 'Hand the access token to updateToken() first.');
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new ArgumentError('closed', 'This client has been closed.');
  }
}
