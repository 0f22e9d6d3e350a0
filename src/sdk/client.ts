import type { Observable } from 'rxjs';
import { ArgumentError } from '../model/errors/errors.ts';
import type { ExternalAuth } from '../model/external-auth.ts';
import type { Metadata } from '../model/lobby.ts';
import { recognizeCopies } from '../model/recognize-copies.ts';
import { type ApplicationId, type GuildId, type LobbyId, parseSnowflake, type UserId } from '../model/snowflake.ts';
import { resolveBaseUrl } from '../wire/addresses.ts';
import { parseOptions, requireCredential, requireType } from '../wire/arguments.ts';
import { type Clock, type Entropy, silentLogger, systemClock, systemEntropy } from '../wire/clock/ports.ts';
import { closeMsMax, settleWithin } from '../wire/clock/settle-within.ts';
import { reportErrors } from '../wire/error-report.ts';
import { Http } from '../wire/http/http.ts';
import { nodeTransport } from '../wire/http/node-transport.ts';
import { fetchTransport } from '../wire/http/transport.ts';
import { RateLimiter } from '../wire/rate-limits/limiter.ts';
import { AuthorizationArgs } from './auth/authorization-args.ts';
import type { AuthorizationGrant, AuthorizeOptions } from './auth/authorizer.ts';
import { type AuthorizationCodeVerifier, createAuthorizationCodeVerifier } from './auth/code-verifier.ts';
import type { DeviceAuthorizationArgs, DeviceOptions } from './auth/device-flow.ts';
import type { AccessToken, TokenExpiration } from './auth/held-token.ts';
import { openSystemBrowser } from './auth/open-browser.ts';
import { PlayerAuth } from './auth/player-auth.ts';
import { checkRedirectPage } from './auth/redirect-page.ts';
import type { RefreshOptions, TokenRequest } from './auth/token-client.ts';
import type { RenewToken } from './auth/token-renewal.ts';
import { subjectOf, type TokenSet } from './auth/token-set.ts';
import type { OperationOptions, RequestOptions, WaitSnapshot } from './call-options.ts';
import type { ClientOptions } from './client-options.ts';
import { CommandOperations } from './command/operations.ts';
import type { CommandPlace, CommandsSnapshot } from './command/snapshot.ts';
import type { ConnectionSnapshot } from './connection/connection-snapshot.ts';
import { type GuildChannel, type GuildMinimal, GuildOperations } from './guilds.ts';
import { selectFrom } from './live/select.ts';
import { LiveSession } from './live-session.ts';
import type { LobbyCollection } from './lobby/lobby-collection.ts';
import type { ClientNewsEvent } from './lobby/lobby-news.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  UserSnapshot,
} from './lobby/snapshot.ts';
import type { DirectMessages } from './social/direct-messages.ts';
import type { Friends } from './social/friends.ts';
import type { Invites } from './social/invites.ts';
import type { PlayerPresence } from './social/presence.ts';
import type { Users } from './social/users.ts';

/**
 * The client of a game: signs a player in, connects, and follows the player's lobbies.
 *
 * Errors are this package's own; compare their `code`. State is available as frozen snapshots, each as an observable and
 * as a getter of the same name. An observable of state replays the latest value, emits only when something changed, never
 * errors, and completes on {@link close}. A subscriber may call the client while it is notified: all subscribers receive all
 * values in one order, and getters are already at the newest.
 *
 * @see docs/spec/client.md#signing-in
 * @example
 * const client = new Client({ baseUrl: 'http://127.0.0.1:8910', applicationId: '1054951789318909972' });
 * await client.signIn();
 * await client.connect();
 * const lobby = await client.lobbies.join('the harbour');
 * lobby.members$.subscribe(members => console.log(members.map(({ displayName }) => displayName)));
 */
export class Client<LobbyMetadata = Metadata, MemberMetadata = Metadata> {
  static {
    recognizeCopies(this, 'Client');
  }

  /** Where the client stands with the gateway. */
  readonly status$: Observable<ConnectionSnapshot>;
  /**
   * The player's lobbies, by id, which is the order of their creation. While the client reconnects, they are the last known
   * ones; while it is disconnected, there are none. A list rather than a Map, because a Map cannot be frozen.
   */
  readonly lobbies$: Observable<LobbyState>;
  /** The operations that wait: for a session, for their turn, for a limit, or for another attempt. */
  readonly waits$: Observable<readonly WaitSnapshot[]>;
  /**
   * Emits once for every access token, when it is about to expire ({@link expirationNoticeMs} ahead) or has expired: refresh
   * it, and pass the new one to {@link updateToken}; {@link openCredentials} does both. Does not emit while disconnected, nor
   * for tokens whose expiry is unknown; while the client connects, it emits for expired tokens only. Does not replay; completes on {@link close}.
   *
   * @see docs/spec/client.md#signing-in
   */
  readonly tokenExpiration$: Observable<TokenExpiration>;
  /** The lobbies that the player is in, and how to join one. */
  readonly lobbies: LobbyCollection<LobbyMetadata, MemberMetadata>;
  /** The player's friends, requests and blocked users. */
  readonly friends: Friends;
  /** What the player shows of themselves, and what others show. */
  readonly presence: PlayerPresence;
  /** Invites to join a party, from and to others. */
  readonly invites: Invites<LobbyMetadata, MemberMetadata>;
  /** The player's conversations with other users. For the messages of lobbies see {@link LobbyHandle}. */
  readonly messages: DirectMessages;
  /** The users that the client knows. */
  readonly users: Users;
  /**
   * What happens in the lobbies and between the player and others, one event each. An event is emitted when the state already shows it. Does not replay;
   * completes on {@link close}. After {@link disconnect} the state is empty without an event; the next {@link connect} emits
   * `lobbyJoined` for each lobby again.
   */
  readonly events$: Observable<ClientNewsEvent>;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #http: Http;
  readonly #auth: PlayerAuth;
  readonly #session: LiveSession<LobbyMetadata, MemberMetadata>;
  readonly #guildOperations: GuildOperations;
  readonly #commandOperations: CommandOperations;
  /** Since {@link close} was called: resolves when it is done. */
  #closed: Promise<void> | undefined;

  /**
   * @throws ArgumentError `missing_base_url`, `invalid_base_url`, `insecure_address`, `invalid_snowflake`,
   *   `invalid_deadline`, `invalid_argument`
   */
  constructor(options: ClientOptions<LobbyMetadata, MemberMetadata>) {
    // JavaScript callers may leave the options out.
    const baseUrl = resolveBaseUrl((options as ClientOptions | undefined)?.baseUrl);
    const { clock = systemClock, entropy = systemEntropy, openBrowser = openSystemBrowser, fetch, socket } = options;
    const logger = reportErrors(options.logger ?? silentLogger);
    const transport = fetch ? fetchTransport(fetch) : nodeTransport();
    this.#clock = clock;
    this.#entropy = entropy;
    const { deadlineMs, whenOffline, schemas, picturesUrl, globalLimit, redirectPage } = options;
    checkRedirectPage(redirectPage);
    const limiter = globalLimit && new RateLimiter({ clock, global: globalLimit });
    this.#http = new Http({ baseUrl, transport, clock, entropy, logger, limiter, deadlineMs });
    const common = { baseUrl, clock, entropy, logger, openBrowser, http: this.#http, deadlineMs };
    this.#auth = new PlayerAuth({ ...common, transport, redirectPage });
    this.#session = new LiveSession({
      ...{ ...common, socket, whenOffline, schemas, picturesUrl },
      token: () => this.#auth.token(),
      renewal: this.#auth.renewal,
      heldToken: () => this.#auth.held.accessToken,
      scopes: () => this.#auth.held.scopes,
      onStatus: status => this.#auth.held.follow(status),
    });
    const { connection, store, waits, lobbies, news, calls, social } = this.#session;
    this.friends = social.friends;
    this.presence = social.presence;
    this.invites = social.invites;
    this.messages = social.messages;
    this.users = social.users;
    this.#guildOperations = new GuildOperations(calls);
    this.#commandOperations = new CommandOperations(calls, () => this.#auth.clientId());
    this.lobbies = lobbies;
    this.status$ = connection.status$;
    this.lobbies$ = store.lobbies$;
    this.waits$ = waits.waits$;
    this.events$ = news.events$;
    this.tokenExpiration$ = this.#auth.held.expiration$;
    if (options.applicationId !== undefined) this.setApplicationId(options.applicationId);
  }

  get status(): ConnectionSnapshot {
    return this.#session.connection.status;
  }

  get waits(): readonly WaitSnapshot[] {
    return this.#session.waits.waits;
  }

  /** Of the present access token; undefined until it is announced by {@link tokenExpiration$}. */
  get tokenExpiration(): TokenExpiration | undefined {
    return this.#auth.held.expiration;
  }

  get applicationId(): ApplicationId | undefined {
    return this.#auth.applicationId;
  }

  /** Whether there is an access token, which may be invalid: {@link fetchCurrentUser} finds out. */
  get isAuthenticated(): boolean {
    return this.#auth.held.accessToken !== undefined;
  }

  /**
   * Sets the game's application: the default for {@link AuthorizationArgs}, and the client id of token requests.
   *
   * @throws ArgumentError `invalid_snowflake`
   */
  setApplicationId(id: string | bigint): void {
    this.#auth.setApplicationId(id);
  }

  /** Creates a pair for one authorization: the challenge goes into its arguments, the verifier to {@link getToken}. */
  createAuthorizationCodeVerifier(): AuthorizationCodeVerifier {
    return createAuthorizationCodeVerifier(this.#entropy);
  }

  /**
   * Signs a player in with the browser: {@link authorize} with PKCE, {@link getToken} and {@link updateToken} in one call.
   * For applications that are public clients. Follow it by {@link connect}. To keep the player signed in across starts of
   * the game, use {@link openCredentials} instead.
   *
   * @throws as {@link authorize} and {@link getToken}
   */
  async signIn(options?: ClientSignInOptions): Promise<TokenSet> {
    const { scopes, scheme, ...others } = parseOptions(options);
    const { challenge, verifier } = this.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge);
    if (scopes !== undefined) args.setScopes(typeof scopes === 'string' ? scopes : scopes.join(' '));
    if (scheme !== undefined) args.setCustomSchemeParam(scheme);
    const grant = await this.authorize(args, others);
    const tokens = await this.getToken({ ...grant, verifier }, { signal: others.signal });
    this.updateToken(tokens);
    return tokens;
  }

  /**
   * Asks the player to authorize the game: opens the consent page and waits for the redirect that belongs to this call. A
   * redirect that does not (a stale, foreign or forged one) is ignored. One at a time.
   *
   * @throws ValidationError the arguments
   * @throws ArgumentError `missing_application_id`, `authorization_in_progress`, `invalid_argument`, `closed`; with `answer`
   *   also `missing_state`, `foreign_redirect`
   * @throws OAuthError the server's error; `access_denied` when the player declined
   * @throws TransportError `aborted`, `browser_unavailable`, `no_loopback`
   */
  async authorize(args: AuthorizationArgs, options?: AuthorizeOptions): Promise<AuthorizationGrant> {
    this.#assertOpen();
    return this.#auth.authorize(args, parseOptions(options));
  }

  /** Aborts an {@link authorize} in progress, which rejects with `aborted`; a page that is already open stays open. */
  abortAuthorize(): void {
    this.#auth.authorizer.abort();
  }

  /**
   * Accepts an address that the system passed to the game: `<scheme>:/authorize/callback?…` completes the authorization in
   * progress, and `<scheme>:/_discord/join?secret=…` begins {@link Invites.launch}. Any address may be passed; others have no
   * effect.
   *
   * @returns whether it had one
   */
  handleRedirect(url: string): boolean {
    return this.#auth.authorizer.handleRedirect(url) || this.invites.handleAddress(url);
  }

  /**
   * Exchanges a grant for tokens; for applications that are public clients. The address of the redirect is sent as it is given.
   *
   * @throws OAuthError the server's error, mostly `invalid_grant`; `invalid_id_token`
   * @throws ArgumentError `missing_code`, `invalid_code_verifier`, `invalid_redirect_uri`, `missing_application_id`,
   *   `invalid_snowflake`, `invalid_argument`
   * @throws ApiError, RateLimitError, TransportError
   */
  async getToken(request: TokenRequest, options?: RequestOptions): Promise<TokenSet> {
    return this.#auth.tokens.getToken(this.#clientIdOf(request), request, parseOptions(options).signal);
  }

  /**
   * Exchanges a refresh token for a new pair; the old access and refresh token stop working.
   *
   * @throws as {@link getToken}; ArgumentError `missing_refresh_token`
   */
  async refreshToken(refreshToken: string, options?: RefreshOptions): Promise<TokenSet> {
    return this.#auth.tokens.refreshToken(this.#clientId(), refreshToken, parseOptions(options));
  }

  /**
   * Revokes every token of the authorization that `token` (access or refresh) belongs to. Repeatable.
   *
   * @throws as {@link getToken}; ArgumentError `missing_token`
   */
  async revokeToken(token: string, options?: RequestOptions): Promise<void> {
    return this.#auth.tokens.revokeToken(this.#clientId(), token, parseOptions(options).signal);
  }

  /**
   * Signs a player in by another device: for a game without a browser. The service returns a code and an address to show
   * ({@link DeviceOptions.onProgress}), and is polled until the player has answered there. One at a time; for applications
   * that are public clients.
   *
   * @throws OAuthError `access_denied`, `expired_token`: not answered in time; other errors of the server
   * @throws ValidationError the arguments
   * @throws ArgumentError `missing_application_id`, `authorization_in_progress`, `invalid_argument`, `closed`
   * @throws ApiError, RateLimitError; TransportError `aborted`, `unreadable_answer`; of the first request also `unreachable`
   *   and the like; later requests are repeated
   * @see docs/spec/oauth2.md#devices
   */
  async getTokenFromDevice(args: DeviceAuthorizationArgs = {}, options?: DeviceOptions): Promise<TokenSet> {
    this.#assertOpen();
    return this.#auth.device.run(args, this.applicationId, parseOptions(options));
  }

  /** Aborts a sign-in by device in progress, which rejects with `aborted`. */
  abortGetTokenFromDevice(): void {
    this.#auth.device.abort();
  }

  /**
   * Gets a token for a provisional account, for a player who has no account: it represents the identity that `external`
   * proves, and is created with the first request. There is no refresh token: request another one with a new proof.
   *
   * @throws ValidationError the proof is malformed; ApiError the service rejected it, `code` as in {@link apiErrors}
   * @throws RateLimitError, TransportError; ArgumentError `missing_application_id`, `invalid_argument`, `closed`
   * @see docs/spec/oauth2.md#provisional-accounts
   */
  async getProvisionalToken(external: ExternalAuth, options?: RequestOptions): Promise<TokenSet> {
    return this.#auth.account.provisionalToken(this.#clientId(), external, parseOptions(options).signal);
  }

  /**
   * As {@link getToken}, and merges the provisional account of the identity that `external` proves into the player's:
   * relationships, messages and lobby memberships move, which may take longer than this call.
   *
   * @throws as {@link getToken}; ValidationError the proof is malformed
   * @see docs/spec/oauth2.md#merging
   */
  async getTokenFromProvisionalMerge(
    request: TokenRequest,
    external: ExternalAuth,
    options?: RequestOptions,
  ): Promise<TokenSet> {
    requireType('external', external, 'object');
    return this.#auth.tokens.getToken(this.#clientIdOf(request), request, parseOptions(options).signal, external);
  }

  /** {@link getTokenFromDevice} and {@link getTokenFromProvisionalMerge} in one. */
  async getTokenFromDeviceProvisionalMerge(
    args: DeviceAuthorizationArgs,
    external: ExternalAuth,
    options?: DeviceOptions,
  ): Promise<TokenSet> {
    this.#assertOpen();
    requireType('external', external, 'object');
    return this.#auth.device.run(args, this.applicationId, parseOptions(options), external);
  }

  /**
   * Undoes a merge: the identity that `external` proves gets a provisional account again, with a new id. All tokens of the
   * player are revoked, including this client's.
   *
   * @throws as {@link getProvisionalToken}
   */
  async unmergeIntoProvisionalAccount(external: ExternalAuth, options?: RequestOptions): Promise<void> {
    await this.#auth.account.unmerge(this.#clientId(), external, parseOptions(options).signal);
  }

  /**
   * Sets the display name of a provisional account, which is random text at first.
   *
   * @param name 1 to {@link limits.globalNameLengthMax} characters
   * @throws ValidationError, ApiError, RateLimitError, TransportError; ArgumentError `missing_access_token`, `closed`
   */
  async updateProvisionalAccountDisplayName(name: string, options?: RequestOptions): Promise<void> {
    const { signal } = parseOptions(options);
    const rename = (authorization: string) => this.#auth.account.rename(authorization, name, signal);
    await this.#auth.renewal.send(this.#auth.token(), signal, rename);
  }

  /**
   * Exchanges a token of a publisher's application for one of a game of that publisher. It expires with the parent's token
   * and has no refresh token.
   *
   * @throws ValidationError, ApiError, RateLimitError, TransportError; ArgumentError `invalid_snowflake`, `closed`
   * @see docs/spec/oauth2.md#provisional-accounts
   */
  async exchangeChildToken(
    parentToken: string,
    childApplicationId: string | bigint,
    options?: RequestOptions,
  ): Promise<TokenSet> {
    const child = parseSnowflake<'application'>(childApplicationId, 'childApplicationId');
    return this.#auth.account.childToken(parentToken, child, parseOptions(options).signal);
  }

  /**
   * Fetches the user that a token belongs to. It needs no connection, and also shows whether a token is valid.
   *
   * @param options `accessToken`: default the client's own
   * @throws ApiError `unauthorized`: the token is invalid; `missing_scope` without `identify`
   * @throws RateLimitError, TransportError; ArgumentError `missing_access_token`, `invalid_credential`, `closed`
   */
  async fetchCurrentUser(options?: FetchUserOptions): Promise<UserSnapshot> {
    const { accessToken, signal } = parseOptions(options);
    if (accessToken !== undefined) {
      requireCredential('accessToken', accessToken, 'Bearer');
      return this.#auth.account.currentUser(`Bearer ${accessToken}`, signal);
    }
    const fetch = (authorization: string) => this.#auth.account.currentUser(authorization, signal);
    return this.#auth.renewal.send(this.#auth.token(), signal, fetch);
  }

  /**
   * Sets the access token to use from now on: a token set, or the text of a token, whose expiry is then unknown. Undefined
   * removes it, and disconnects.
   *
   * Unspecified: an open connection continues, because its session outlives the token, and the next one uses the new token.
   * Only if the token names another player than the session (by `userId` or the ID token) does the client reconnect by
   * itself; for a token that names none, call {@link disconnect} before passing another player's.
   *
   * @throws ArgumentError `missing_access_token`, `invalid_credential`, `invalid_expiry`
   * @see docs/spec/client.md#signing-in
   */
  updateToken(token: string | AccessToken | undefined): void {
    const given = typeof token === 'string' ? { accessToken: token } : token;
    this.#auth.held.set(given);
    if (!given) void this.disconnect();
    else if (this.#isAnothers(given)) this.#reconnect();
  }

  /**
   * Sets how to replace an access token that the service rejects: a call that is answered with 401 asks for another token, and is
   * repeated once with it. {@link openCredentials} sets it. Undefined: such a call fails.
   *
   * @throws ArgumentError `invalid_argument`
   */
  setTokenRenewal(renew: RenewToken | undefined): void {
    if (renew !== undefined) requireType('renew', renew, 'function');
    this.#auth.renewal.set(renew);
  }

  /**
   * Connects, and resolves when the session is ready and {@link lobbies} are complete. From then on the client reconnects by
   * itself; {@link status$} shows it.
   *
   * Until then it waits for 30 s at most, and fails with the first failure to reach the service over HTTP. A call while
   * connecting or reconnecting joins the attempt in progress. The signal and the 30 s of a call end its own wait only, and the
   * first attempt when no other call waits for it. A call while disconnecting waits for the end of that. While connected it
   * resolves immediately. {@link disconnect} aborts them all.
   *
   * @throws GatewayError a close code after which trying again is of no use, for example 4004
   * @throws ApiError, RateLimitError, TransportError `unreachable`, `deadline_exceeded`, `aborted`
   * @throws ArgumentError `missing_access_token`, `closed`; `insecure_address`: the service named a gateway to which no
   *   token may go
   */
  async connect(options?: RequestOptions): Promise<void> {
    this.#assertOpen();
    this.#auth.token();
    await this.#session.connection.connect(parseOptions(options).signal);
  }

  /** Ends the session, and resolves when its socket is closed. The state of lobbies is dropped. Repeatable. */
  disconnect(): Promise<void> {
    return this.#session.connection.disconnect();
  }

  /**
   * Checks the connection immediately, and skips a pause before the next attempt: for when the machine resumes from sleep or
   * finds a network. By itself the client does so within seconds after a sleep.
   */
  checkConnection(): void {
    this.#auth.held.check();
    this.#session.connection.check();
  }

  /** One lobby; undefined while the player is in no lobby of that id. */
  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return this.#session.store.lobby$(id);
  }

  lobby(id: LobbyId): LobbySnapshot | undefined {
    return this.#session.store.lobby(id);
  }

  /** The members of one lobby; none while the player is in no lobby of that id. */
  members$(lobbyId: LobbyId): Observable<LobbyMembers> {
    return this.#session.store.members$(lobbyId);
  }

  members(lobbyId: LobbyId): LobbyMembers {
    return this.#session.store.members(lobbyId);
  }

  /** One member of a lobby; undefined while there is none. Changes of other members do not emit here. */
  member$(lobbyId: LobbyId, userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return this.#session.store.member$(lobbyId, userId);
  }

  member(lobbyId: LobbyId, userId: UserId): LobbyMemberSnapshot | undefined {
    return this.#session.store.member(lobbyId, userId);
  }

  /**
   * The {@link messagesKeptMax} newest messages of one lobby since the client knows it, oldest first; up to 200 once the game
   * has a handle, whose {@link LobbyHandle.loadOlder} adds older ones. Messages that were missed while the connection was lost
   * are loaded after it.
   */
  lobbyMessages$(lobbyId: LobbyId): Observable<LobbyMessages> {
    return this.#session.store.messages$(lobbyId);
  }

  lobbyMessages(lobbyId: LobbyId): LobbyMessages {
    return this.#session.store.messages(lobbyId);
  }

  /**
   * What `select` returns for the lobbies: now, and whenever it differs from before.
   *
   * @param select errors that it throws are reported by RxJS, like those of a subscriber; the observable continues
   * @param isSame whether two results are the same. Default: `Object.is`
   * @example
   * const online$ = client.select$(lobbies => lobbies.flatMap(one => one.members).filter(one => one.connected).length);
   */
  select$<Value>(
    select: (lobbies: LobbyState) => Value,
    isSame: (a: Value, b: Value) => boolean = Object.is,
  ): Observable<Value> {
    return selectFrom(this.lobbies$, select, isSame);
  }

  /**
   * The commands that the player may use in a place, in the player's language. They are requested while there is a
   * subscriber: with every new session, every {@link commandsRefreshMs}, and after events about permissions. An access token
   * gives access to the commands of its own application.
   *
   * @throws ArgumentError `invalid_snowflake`, `invalid_argument`, `missing_application_id` for `bot_dm`
   * @see docs/spec/http.md#routes
   */
  commands$(place: CommandPlace): Observable<CommandsSnapshot> {
    return this.#session.commands.commands$(place, this.#commandOperations.prepare(place));
  }

  /** What {@link commands$} of the same place shows; `loading` while it has no subscriber. */
  commands(place: CommandPlace): CommandsSnapshot {
    return this.#session.commands.commands(place);
  }

  /** The guilds that the player is in; for choosing a channel to link. @see docs/spec/client.md#functions */
  getUserGuilds(options: OperationOptions = {}): Promise<readonly GuildMinimal[]> {
    return this.#guildOperations.list(options);
  }

  /**
   * The channels of a guild that the player can see, by position.
   *
   * @throws ApiError `unknown_guild`, `missing_access`
   * @see docs/spec/client.md#functions
   */
  getGuildChannels(guildId: GuildId, options: OperationOptions = {}): Promise<readonly GuildChannel[]> {
    return this.#guildOperations.channels(guildId, options);
  }

  /** As {@link close}: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Disconnects, aborts what is in progress, completes the observables and closes all connections. Resolves within a second. Repeatable. */
  close(): Promise<void> {
    if (this.#closed) return this.#closed;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    resolve(this.#close());
    return promise;
  }

  async #close(): Promise<void> {
    this.#auth.close();
    const closed = this.#session.close();
    this.#http.close();
    await settleWithin(this.#clock, closeMsMax, closed);
  }

  #clientIdOf(request: TokenRequest): ApplicationId {
    requireType('request', request, 'object');
    const { clientId } = request;
    return clientId === undefined ? this.#clientId() : parseSnowflake<'application'>(clientId, 'clientId');
  }

  #clientId(): ApplicationId {
    this.#assertOpen();
    return this.#auth.clientId();
  }

  #isAnothers({ idToken, userId = subjectOf(idToken) }: AccessToken): boolean {
    const { userId: present } = this.status;
    return present !== undefined && userId !== undefined && userId !== present;
  }

  #reconnect(): void {
    void this.disconnect();
    // A failure shows in the status.
    this.connect().catch(() => {});
  }

  #assertOpen(): void {
    if (this.#closed) throw new ArgumentError('closed', 'This client has been closed.');
  }
}

export interface ClientSignInOptions extends Pick<AuthorizeOptions, 'redirect' | 'signal'> {
  /** Space-separated, or a list. Default: {@link getDefaultCommunicationScopes}. */
  readonly scopes?: string | readonly string[] | undefined;
  /** The custom scheme of the redirect, where the game receives one. Default: a redirect to this machine. */
  readonly scheme?: string | undefined;
}

export interface FetchUserOptions extends RequestOptions {
  readonly accessToken?: string | undefined;
}
