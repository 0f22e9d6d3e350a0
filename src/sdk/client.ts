import { ArgumentError, TransportError } from '../model/errors/errors.ts';
import type { ExternalAuth } from '../model/external-auth.ts';
import type { DispatchName } from '../model/gateway.ts';
import {
  type ApplicationId,
  type ChannelId,
  type GuildId,
  type LobbyId,
  parseSnowflake,
  type UserId,
} from '../model/snowflake.ts';
import { resolveBaseUrl } from '../wire/addresses.ts';
import { type Clock, type Entropy, silentLogger, systemClock, systemEntropy } from '../wire/clock/ports.ts';
import { reportErrors } from '../wire/error-report.ts';
import { loadSystemSocket } from '../wire/gateway/socket.ts';
import { Deadline } from '../wire/http/deadline.ts';
import { deadlineMsDefault, Http } from '../wire/http/http.ts';
import { fetchTransport } from '../wire/http/transport.ts';
import type { AuthorizationArgs } from './auth/authorization-args.ts';
import type { AuthorizationGrant, AuthorizeOptions } from './auth/authorizer.ts';
import { type AuthorizationCodeVerifier, createAuthorizationCodeVerifier } from './auth/code-verifier.ts';
import type { DeviceAuthorizationArgs, DeviceOptions } from './auth/device-flow.ts';
import type { AccessToken, TokenExpiration } from './auth/held-token.ts';
import { type OpenBrowser, openSystemBrowser, showPage } from './auth/open-browser.ts';
import { PlayerAuth } from './auth/player-auth.ts';
import type { RefreshOptions, TokenRequest } from './auth/token-client.ts';
import { subjectOf, type TokenSet } from './auth/token-set.ts';
import type { OperationOptions, RequestOptions, WaitSnapshot } from './call-options.ts';
import { Calls } from './calls.ts';
import type { ClientOptions } from './client-options.ts';
import { LiveCommands } from './command/live-commands.ts';
import { CommandOperations } from './command/operations.ts';
import type { CommandPlace, CommandsSnapshot } from './command/snapshot.ts';
import { Connection } from './connection/connection.ts';
import type { ConnectionSnapshot, ConnectionStatus } from './connection/connection-snapshot.ts';
import { Waits } from './connection/waits.ts';
import { type GuildChannel, type GuildMinimal, GuildOperations } from './guilds.ts';
import { lazyNodeTransport } from './lazy-transport.ts';
import type { Observable } from './live/rxjs.ts';
import { selectFrom } from './live/select.ts';
import { MessageGaps } from './lobby/message-gaps.ts';
import {
  type HistoryOptions,
  type JoinOptions,
  type LobbyInviteSnapshot,
  LobbyOperations,
  type SendOptions,
} from './lobby/operations.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  UserSnapshot,
} from './lobby/snapshot.ts';
import { LobbyStore } from './lobby/store.ts';
import type { CallSnapshot, VoiceServerSnapshot, VoiceSettings } from './voice/snapshot.ts';
import { type CallJoinOptions, VoiceCalls } from './voice/voice-calls.ts';

/**
 * What a game holds: signs a player in, connects, and knows the player's lobbies as they change.
 *
 * Errors are this package's own; compare their `code`. State comes as frozen snapshots, each both as a stream (which
 * replays the latest, emits only when something changed, never errors, and completes on {@link close}) and as a getter.
 *
 * @see docs/spec/client.md#signing-in
 * @example
 * const client = new Client({ baseUrl: 'http://127.0.0.1:8910', applicationId: '1054951789318909972' });
 * const { challenge, verifier } = client.createAuthorizationCodeVerifier();
 * const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
 * client.updateToken(await client.getToken({ ...grant, verifier }));
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
  /** The operations that wait for a session, for their turn, for a limit or for another attempt. */
  readonly waits$: Observable<readonly WaitSnapshot[]>;
  /**
   * Once for every access token, when it is about to end ({@link expirationNoticeMs} ahead) or has ended: refresh it, and
   * hand in the new one by {@link updateToken}; {@link openCredentials} does it by itself. Says nothing while disconnected,
   * nor of tokens whose end the client was not told. Does not replay; completes on {@link close}.
   *
   * @see docs/spec/client.md#signing-in
   */
  readonly tokenExpiration$: Observable<TokenExpiration>;
  readonly #entropy: Entropy;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #openBrowser: OpenBrowser;
  readonly #http: Http;
  readonly #auth: PlayerAuth;
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #waits: Waits;
  readonly #lobbies: LobbyStore;
  readonly #voice: VoiceCalls;
  readonly #lobbyOperations: LobbyOperations;
  readonly #guildOperations: GuildOperations;
  readonly #gaps: MessageGaps;
  readonly #commandOperations: CommandOperations;
  readonly #commands: LiveCommands;
  /** Since {@link close} was called: resolves when it is done. */
  #closed: Promise<void> | undefined;

  /**
   * @throws ArgumentError `missing_base_url`, `invalid_base_url`, `insecure_address`, `invalid_snowflake`,
   *   `invalid_deadline`
   */
  constructor(options: ClientOptions) {
    // JavaScript callers may leave the options out.
    const baseUrl = resolveBaseUrl((options as ClientOptions | undefined)?.baseUrl);
    const { clock = systemClock, entropy = systemEntropy, fetch, socket } = options;
    const logger = reportErrors(options.logger ?? silentLogger);
    const transport = fetch ? fetchTransport(fetch) : lazyNodeTransport();
    this.#entropy = entropy;
    this.#http = new Http({ baseUrl, transport, clock, entropy, logger });
    const { openBrowser = openSystemBrowser } = options;
    this.#openBrowser = openBrowser;
    this.#clock = clock;
    this.#deadlineMs = options.deadlineMs ?? deadlineMsDefault;
    this.#auth = new PlayerAuth({ baseUrl, clock, entropy, logger, transport, openBrowser, http: this.#http });
    this.#connection = new Connection({
      clock,
      entropy,
      logger,
      http: this.#http,
      loadSocket: socket ? async () => socket : loadSystemSocket,
      token: () => this.#auth.token(),
      onDispatch: (name, data) => this.#dispatched(name, data),
    });
    this.#waits = new Waits(clock, logger);
    this.#calls = new Calls({
      clock,
      http: this.#http,
      waits: this.#waits,
      token: () => this.#auth.token(),
      deadlineMs: this.#deadlineMs,
      whenOffline: options.whenOffline ?? 'fail',
    });
    this.#lobbies = new LobbyStore(logger);
    this.#voice = new VoiceCalls({
      clock,
      calls: this.#calls,
      lobbies: this.#lobbies,
      send: (op, d) => this.#connection.send(op, d),
    });
    this.#lobbyOperations = new LobbyOperations(this.#calls, baseUrl);
    this.#guildOperations = new GuildOperations(this.#calls);
    this.#gaps = new MessageGaps(this.#lobbies, (...asked) => this.#lobbyOperations.missed(...asked), logger);
    this.#commandOperations = new CommandOperations(this.#calls, () => this.#clientId());
    this.#commands = new LiveCommands(clock);
    this.status$ = this.#connection.status$;
    this.lobbies$ = this.#lobbies.lobbies$;
    this.waits$ = this.#waits.waits$;
    this.tokenExpiration$ = this.#auth.held.expiration$;
    this.status$.subscribe(({ status }) => this.#statusChanged(status));
    if (options.applicationId !== undefined) this.setApplicationId(options.applicationId);
  }

  get status(): ConnectionSnapshot {
    return this.#connection.status;
  }

  get lobbies(): LobbyState {
    return this.#lobbies.lobbies;
  }

  get waits(): readonly WaitSnapshot[] {
    return this.#waits.waits;
  }

  get applicationId(): ApplicationId | undefined {
    return this.#auth.applicationId;
  }

  /** Whether there is an access token; it says nothing on whether the token is any good. @see {@link Client.fetchCurrentUser} */
  get isAuthenticated(): boolean {
    return this.#auth.held.accessToken !== undefined;
  }

  /**
   * Names the game's application: the default for {@link AuthorizationArgs}, and who asks for tokens.
   *
   * @throws ArgumentError `invalid_snowflake`
   */
  setApplicationId(id: string | bigint): void {
    this.#auth.setApplicationId(id);
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
   * @throws ArgumentError `missing_application_id`, `authorization_in_progress`, `closed`; with `answer` also
   *   `missing_state`, `foreign_redirect`
   * @throws OAuthError what the server said; `access_denied` when the player declined
   * @throws TransportError `aborted`, `browser_unavailable`, `no_loopback`
   */
  async authorize(args: AuthorizationArgs, options: AuthorizeOptions = {}): Promise<AuthorizationGrant> {
    this.#assertOpen();
    return this.#auth.authorize(args, options);
  }

  /** Ends an {@link authorize} under way, which rejects with `aborted`; a page that is already open stays open. */
  abortAuthorize(): void {
    this.#auth.authorizer.abort();
  }

  /**
   * Takes an address that the system handed to the game (`<scheme>:/authorize/callback?…`). Any address may be handed
   * in; only one that ends the authorization under way does anything.
   *
   * @returns whether it did
   */
  handleRedirect(url: string): boolean {
    return this.#auth.authorizer.handleRedirect(url);
  }

  /**
   * Turns a grant into tokens; for applications that are public clients.
   *
   * @throws OAuthError what the server said, `invalid_grant` above all; `invalid_id_token`
   * @throws ArgumentError `missing_code`, `invalid_code_verifier`, `invalid_redirect_uri`, `missing_application_id`
   * @throws ApiError, RateLimitError, TransportError
   */
  async getToken(request: TokenRequest, { signal }: RequestOptions = {}): Promise<TokenSet> {
    return this.#auth.tokens.getToken(this.#clientId(), request, signal);
  }

  /**
   * Turns a refresh token into a new pair; the old access and refresh token stop working.
   *
   * @throws as {@link getToken}; ArgumentError `missing_refresh_token`
   */
  async refreshToken(refreshToken: string, options: RefreshOptions = {}): Promise<TokenSet> {
    return this.#auth.tokens.refreshToken(this.#clientId(), refreshToken, options);
  }

  /**
   * Ends every token of the authorization that `token` (access or refresh) belongs to. Repeatable.
   *
   * @throws as {@link getToken}; ArgumentError `missing_token`
   */
  async revokeToken(token: string, { signal }: RequestOptions = {}): Promise<void> {
    return this.#auth.tokens.revokeToken(this.#clientId(), token, signal);
  }

  /**
   * Signs a player in by another device: for a game without a browser at hand. The service gives a code and an address to
   * show ({@link DeviceOptions.onProgress}), and is asked until the player has answered there. One at a time; for
   * applications that are public clients.
   *
   * @throws OAuthError `access_denied`, `expired_token`: not answered in time; what else the server said
   * @throws ValidationError the arguments
   * @throws ArgumentError `missing_application_id`, `authorization_in_progress`, `closed`
   * @throws ApiError, RateLimitError; TransportError `aborted`, `unreadable_answer`; of the first call also `unreachable`
   *   and the like, which are waited out afterwards
   * @see docs/spec/oauth2.md#devices
   */
  async getTokenFromDevice(args: DeviceAuthorizationArgs = {}, options: DeviceOptions = {}): Promise<TokenSet> {
    this.#assertOpen();
    return this.#auth.device.run(args, this.applicationId, options);
  }

  /** Ends a sign-in by device under way, which rejects with `aborted`. */
  abortGetTokenFromDevice(): void {
    this.#auth.device.abort();
  }

  /**
   * Gets a token for an account of the game's own making, for a player who has none: it stands for the identity that
   * `external` proves, and is made when it is asked for first. There is no refresh token: ask again with a new proof.
   *
   * @throws ValidationError the proof's form; ApiError what the service made of it, `code` as {@link apiErrors} lists them
   * @throws RateLimitError, TransportError; ArgumentError `missing_application_id`, `closed`
   * @see docs/spec/oauth2.md#provisional-accounts
   */
  async getProvisionalToken(external: ExternalAuth, { signal }: RequestOptions = {}): Promise<TokenSet> {
    return this.#auth.account.provisionalToken(this.#clientId(), external, signal);
  }

  /**
   * As {@link getToken}, and the provisional account of the identity that `external` proves becomes part of the player's:
   * relationships, messages and lobby memberships move over, also after this has resolved.
   *
   * @throws as {@link getToken}; ValidationError the proof's form
   * @see docs/spec/oauth2.md#merging
   */
  async getTokenFromProvisionalMerge(
    request: TokenRequest,
    external: ExternalAuth,
    { signal }: RequestOptions = {},
  ): Promise<TokenSet> {
    return this.#auth.tokens.getToken(this.#clientId(), request, signal, external);
  }

  /** {@link getTokenFromDevice} and {@link getTokenFromProvisionalMerge} in one. */
  async getTokenFromDeviceProvisionalMerge(
    args: DeviceAuthorizationArgs,
    external: ExternalAuth,
    options: DeviceOptions = {},
  ): Promise<TokenSet> {
    this.#assertOpen();
    return this.#auth.device.run(args, this.applicationId, options, external);
  }

  /**
   * Undoes a merge: the identity that `external` proves gets a provisional account again, with a new id. All tokens of the
   * player end, this client's too.
   *
   * @throws as {@link getProvisionalToken}
   */
  async unmergeIntoProvisionalAccount(external: ExternalAuth, { signal }: RequestOptions = {}): Promise<void> {
    await this.#auth.account.unmerge(this.#clientId(), external, signal);
  }

  /**
   * Changes how others see a provisional account, whose name is random text at first.
   *
   * @param name 1 to {@link limits.globalNameLengthMax} characters
   * @throws ValidationError, ApiError, RateLimitError, TransportError; ArgumentError `missing_access_token`, `closed`
   */
  async updateProvisionalAccountDisplayName(name: string, { signal }: RequestOptions = {}): Promise<void> {
    await this.#auth.account.rename(this.#auth.token(), name, signal);
  }

  /**
   * Exchanges a token of a publisher's own application for one of a game of theirs. It ends with the parent's token and
   * has no refresh token.
   *
   * @throws ValidationError, ApiError, RateLimitError, TransportError; ArgumentError `invalid_snowflake`, `closed`
   * @see docs/spec/oauth2.md#provisional-accounts
   */
  async exchangeChildToken(
    parentToken: string,
    childApplicationId: string | bigint,
    { signal }: RequestOptions = {},
  ): Promise<TokenSet> {
    const child = parseSnowflake<'application'>(childApplicationId, 'childApplicationId');
    return this.#auth.account.childToken(parentToken, child, signal);
  }

  /**
   * Asks who a token's player is. It needs no connection, and so is also how to find out whether a token is any good.
   *
   * @param options `accessToken`: default the client's own
   * @throws ApiError `unauthorized`: the token is no good; `missing_scope` without `identify`
   * @throws RateLimitError, TransportError; ArgumentError `missing_access_token`, `closed`
   */
  async fetchCurrentUser(options: FetchUserOptions = {}): Promise<UserSnapshot> {
    return this.#auth.account.currentUser(options.accessToken ?? this.#auth.token(), options.signal);
  }

  /**
   * Sets the access token to act with from now on: a token set, or the text of a token alone, whose end then nobody knows.
   * Undefined forgets it, and disconnects.
   *
   * Our choice: a live connection goes on, since its session outlives the token, and the next one uses the new token. Only
   * if the token is said to be another player's than the session (`userId`, or the ID token beside it) does the client
   * connect anew, by itself; when nothing is said, call {@link disconnect} before handing in another player's.
   *
   * @throws ArgumentError `missing_access_token`, `invalid_expiry`
   * @see docs/spec/client.md#signing-in
   */
  updateToken(token: string | AccessToken | undefined): void {
    const given = typeof token === 'string' ? { accessToken: token } : token;
    this.#auth.held.set(given);
    if (!given) void this.disconnect();
    else if (this.#isAnothers(given)) this.#reconnect();
  }

  /**
   * Connects, and resolves when the session is ready and {@link lobbies} are complete. From then on drops heal by
   * themselves; {@link status$} tells of them.
   *
   * Until then it tries for 30 s at most, and the first failure to reach the service over HTTP ends it. A call while
   * connecting or reconnecting joins what is under way: its own signal, and its 30 s, end its own wait alone. A call while
   * disconnecting waits for the end of that. While connected it resolves at once. {@link disconnect} ends them all.
   *
   * @throws GatewayError a close code after which trying again is of no use, for example 4004
   * @throws ApiError, RateLimitError, TransportError `unreachable`, `deadline_exceeded`, `aborted`
   * @throws ArgumentError `missing_access_token`, `closed`; `insecure_address`: the service named a gateway to which no
   *   token may go
   */
  async connect({ signal }: RequestOptions = {}): Promise<void> {
    this.#assertOpen();
    this.#auth.token();
    await this.#connection.connect(signal);
  }

  /** Ends the session, and resolves when its socket is gone. The lobbies are forgotten. Repeatable. */
  disconnect(): Promise<void> {
    return this.#connection.disconnect();
  }

  /**
   * Finds out at once whether the connection still lives, and ends a pause before the next attempt: for when the machine
   * woke up or found a network. The client does so by itself within seconds of a sleep.
   */
  checkConnection(): void {
    this.#auth.held.check();
    this.#connection.check();
  }

  /** Of one lobby: undefined while the player is in no lobby of that id. */
  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return this.#lobbies.lobby$(id);
  }

  lobby(id: LobbyId): LobbySnapshot | undefined {
    return this.#lobbies.lobby(id);
  }

  /** Of one lobby: none while the player is in no lobby of that id. */
  members$(lobbyId: LobbyId): Observable<LobbyMembers> {
    return this.#lobbies.members$(lobbyId);
  }

  members(lobbyId: LobbyId): LobbyMembers {
    return this.#lobbies.members(lobbyId);
  }

  /** Of one member: undefined while there is none. What happens to others wakes nobody here. */
  member$(lobbyId: LobbyId, userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return this.#lobbies.member$(lobbyId, userId);
  }

  member(lobbyId: LobbyId, userId: UserId): LobbyMemberSnapshot | undefined {
    return this.#lobbies.member(lobbyId, userId);
  }

  /**
   * Of one lobby: the {@link messagesKeptMax} newest messages since the client knows the lobby, oldest first. What was
   * said while the connection was lost is there after it; for older ones see {@link getLobbyMessages}.
   */
  messages$(lobbyId: LobbyId): Observable<LobbyMessages> {
    return this.#lobbies.messages$(lobbyId);
  }

  messages(lobbyId: LobbyId): LobbyMessages {
    return this.#lobbies.messages(lobbyId);
  }

  /**
   * What `select` makes of the lobbies: now, and whenever it is something else than before.
   *
   * @param select what it throws is reported as what a subscriber throws is, by RxJS; the stream goes on
   * @param isSame tells whether two are the same; default: `Object.is`
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
   * Joins the lobby that has this secret, or creates it; for somebody who is in it already it changes metadata. The
   * lobby shows in {@link lobbies$} as soon as the gateway tells of it, as a rule at the same moment.
   *
   * The operations, this one and those below, are made while the client is ready; while it is not, they fail or wait,
   * as {@link OperationOptions.whenOffline} says. What all of them throw: ApiError, RateLimitError, TransportError
   * (`client_not_ready`, `aborted`, `deadline_exceeded`, `unreachable`, `connection_lost`, `unreadable_answer`),
   * ArgumentError (`closed`, `missing_access_token`, `invalid_snowflake`, `invalid_deadline`), ValidationError. Bad arguments are found
   * before anything is sent.
   *
   * @param secret 1 to 250 characters, known to all who are to meet
   * @returns the lobby's id
   * @see docs/spec/lobbies.md#create-or-join
   */
  createOrJoinLobby(secret: string, options: JoinOptions = {}): Promise<LobbyId> {
    return this.#lobbyOperations.createOrJoin(secret, options);
  }

  /**
   * Leaves a lobby that was made by a secret; one that a game server made cannot be left. Repeatable.
   *
   * @throws ApiError `unknown_lobby`, `missing_access`
   * @see docs/spec/lobbies.md#leave
   */
  leaveLobby(lobbyId: LobbyId, options: OperationOptions = {}): Promise<void> {
    return this.#lobbyOperations.leave(lobbyId, options);
  }

  /**
   * Says something to a lobby. Messages to one lobby arrive in the order of the calls. It is sent at most once: after
   * `connection_lost` or `deadline_exceeded` it may have arrived or not.
   *
   * @param content 1 to 2000 characters, not blanks alone
   * @returns the message as the service took it; it also comes by {@link messages$}
   * @throws ArgumentError `empty_message`; ApiError `unknown_lobby`, `not_a_lobby_member`
   * @see docs/spec/lobbies.md#send-a-message
   */
  sendLobbyMessage(lobbyId: LobbyId, content: string, options: SendOptions = {}): Promise<LobbyMessageSnapshot> {
    return this.#lobbyOperations.send(lobbyId, content, options);
  }

  /**
   * Asks the service for a lobby's newest messages: up to 200, up to 72 hours old. Our choice: oldest first, as they are
   * read; in which order a service lists them differs between sources.
   *
   * @throws ArgumentError `invalid_limit`; ApiError `unknown_lobby`, `not_a_lobby_member`
   * @see docs/spec/lobbies.md#list-messages; docs/spec/client.md#histories
   */
  getLobbyMessages(lobbyId: LobbyId, options: HistoryOptions = {}): Promise<LobbyMessages> {
    return this.#lobbyOperations.history(lobbyId, options);
  }

  /**
   * Makes a guild's text channel the lobby's own conversation. The player needs the flag CanLinkLobby, and in the channel
   * the permissions to manage, view and write.
   *
   * @throws ApiError `lobby_link_refused`, `channel_not_linkable`, `channel_already_linked`, `missing_permissions`,
   *   `unknown_channel`, `unknown_lobby`
   * @see docs/spec/lobbies.md#link-a-channel
   */
  linkChannelToLobby(lobbyId: LobbyId, channelId: ChannelId, options: OperationOptions = {}): Promise<void> {
    return this.#lobbyOperations.link(lobbyId, channelId, options);
  }

  /**
   * Ends what {@link linkChannelToLobby} began. The player needs the flag CanLinkLobby.
   *
   * @throws ApiError `lobby_link_refused`, `unknown_lobby`
   */
  unlinkChannelFromLobby(lobbyId: LobbyId, options: OperationOptions = {}): Promise<void> {
    return this.#lobbyOperations.unlink(lobbyId, options);
  }

  /**
   * Gets the player an invite to the guild whose channel the lobby is linked to.
   *
   * @throws ApiError `lobby_not_linked`, `already_in_guild`, `not_a_lobby_member`, `unknown_lobby`
   * @see docs/spec/lobbies.md#invites
   */
  createLobbyInvite(lobbyId: LobbyId, options: OperationOptions = {}): Promise<LobbyInviteSnapshot> {
    return this.#lobbyOperations.invite(lobbyId, options);
  }

  /**
   * As {@link createLobbyInvite}, and shows the page that accepts it.
   *
   * @returns the page's address, at the latest when the deadline passes while the browser is still being opened
   * @throws TransportError `browser_unavailable`: the page that its message names can be shown otherwise
   * @see docs/spec/client.md#functions
   */
  async joinLinkedLobbyGuild(lobbyId: LobbyId, options: OperationOptions = {}): Promise<string> {
    const deadline = new Deadline(this.#clock, options.deadlineMs ?? this.#deadlineMs, options.signal);
    try {
      const { url } = await this.createLobbyInvite(lobbyId, options);
      // Some openers end with the browser.
      const isOpening = (error: unknown) => error instanceof TransportError && error.code === 'deadline_exceeded';
      await deadline.within(showPage(this.#openBrowser, url)).catch((error: unknown) => {
        if (!isOpening(error)) throw error;
      });
      return url;
    } finally {
      deadline.close();
    }
  }

  /** Of one lobby's call: who is in it, whether this client is, and where it is heard. */
  call$(lobbyId: LobbyId): Observable<CallSnapshot> {
    return this.#voice.call$(lobbyId);
  }

  call(lobbyId: LobbyId): CallSnapshot {
    return this.#voice.call(lobbyId);
  }

  /**
   * Comes into a lobby's call, and stays in it through lost connections until {@link leaveLobbyCall}, {@link disconnect}, or
   * until the player leaves the lobby or joins the call from elsewhere: {@link call$} tells. No sound is carried: for that
   * the game connects to the server that is named there. A client can be in 25 calls; a call in which it is already is
   * changed.
   *
   * @param options `selfMute`, `selfDeaf`: default false
   * @throws TransportError `call_ended`: it was left, or the lobby, before it came to that; `deadline_exceeded`: also in a
   *   lobby in which the player is no member
   * @throws ArgumentError `too_many_calls`, `invalid_voice_settings`
   * @see docs/spec/gateway.md#calls
   */
  joinLobbyCall(lobbyId: LobbyId, options: CallJoinOptions = {}): Promise<void> {
    return this.#voice.join(lobbyId, options);
  }

  /**
   * Changes how the player is in a call; what is not named stays.
   *
   * @throws ArgumentError `not_in_call`, `invalid_voice_settings`; TransportError `call_ended`
   */
  updateLobbyCall(lobbyId: LobbyId, settings: Partial<VoiceSettings>, options: OperationOptions = {}): Promise<void> {
    return this.#voice.update(lobbyId, settings, options);
  }

  /**
   * Leaves a call. Resolves when the others have been told; without a connection at once, and they are told as soon as there
   * is one. Repeatable.
   *
   * @see docs/spec/client.md#functions
   */
  leaveLobbyCall(lobbyId: LobbyId, options: OperationOptions = {}): Promise<void> {
    return this.#voice.leave(lobbyId, options);
  }

  /** Leaves every call. @see docs/spec/client.md#functions */
  leaveLobbyCalls(options: OperationOptions = {}): Promise<void> {
    return this.#voice.leaveAll(options);
  }

  /**
   * Asks again where a call is heard: a token lets the player in for some minutes only, and a voice server may have moved.
   *
   * @returns what {@link call$} shows from then on
   * @throws ArgumentError `not_in_call`; TransportError `call_ended`
   */
  renewVoiceServer(lobbyId: LobbyId, options: OperationOptions = {}): Promise<VoiceServerSnapshot> {
    return this.#voice.renewServer(lobbyId, options);
  }

  /**
   * The commands that the player may use in a place, in the player's language: asked for while somebody watches, again
   * with every new session, every {@link commandsRefreshMs}, and when permissions are said to have changed. An access
   * token opens the commands of its own application.
   *
   * @throws ArgumentError `invalid_snowflake`, `missing_application_id` for `bot_dm`
   * @see docs/spec/http.md#routes
   */
  commands$(place: CommandPlace): Observable<CommandsSnapshot> {
    return this.#commands.commands$(place, this.#commandOperations.prepare(place));
  }

  /** The guilds the player is in; for choosing a channel to link. @see docs/spec/client.md#functions */
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

  /** Disconnects, ends whatever is under way, completes the streams, lets go of all connections. Repeatable. */
  close(): Promise<void> {
    if (this.#closed) return this.#closed;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    resolve(this.#close());
    return promise;
  }

  async #close(): Promise<void> {
    this.#auth.close();
    this.#gaps.stop();
    this.#calls.close();
    const disconnected = this.#connection.close();
    this.#http.close();
    await disconnected;
    this.#voice.close();
    this.#lobbies.close();
    this.#commands.close();
    this.#waits.close();
  }

  #dispatched(name: string, data: unknown): void {
    if (name === 'READY') this.#began(data);
    else if (!this.#lobbies.apply(name, data)) this.#dispatchedElse(name, data);
  }

  /** Something that does not change what is known of lobbies. */
  #dispatchedElse(name: string, data: unknown): void {
    if (name === 'LOBBY_VOICE_SERVER_UPDATE') this.#voice.takeServer(data);
    else if (changesCommands.has(name)) this.#commands.refresh();
  }

  /** A session began; what is known from one before may have gaps. */
  #began(ready: unknown): void {
    const known = this.lobbies.map(({ id }) => id);
    this.#voice.began(ready);
    this.#lobbies.apply('READY', ready);
    this.#gaps.open(known.filter(id => this.lobby(id)));
  }

  #statusChanged(status: ConnectionStatus): void {
    this.#auth.held.setConnected(status !== 'disconnected' && status !== 'disconnecting');
    this.#calls.setReady(status === 'ready');
    this.#commands.setReady(status === 'ready');
    this.#voice.setReady(status === 'ready');
    if (status === 'ready') this.#gaps.fill();
    if (status !== 'disconnected') return;
    this.#gaps.stop();
    this.#voice.forget();
    this.#lobbies.clear();
    this.#commands.forget();
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
    // That it fails is told by the status.
    this.connect().catch(() => {});
  }

  #assertOpen(): void {
    if (this.#closed) throw new ArgumentError('closed', 'This client has been closed.');
  }
}

export interface FetchUserOptions extends RequestOptions {
  readonly accessToken?: string | undefined;
}

/** After these a player may use other commands than before. */
const changesCommands: ReadonlySet<string> = new Set<DispatchName>([
  'APPLICATION_COMMAND_INDEX_UPDATE',
  'APPLICATION_COMMAND_PERMISSIONS_UPDATE',
]);
