import type { Metadata } from '../../model/lobby.ts';
import type { MetadataSchemas } from '../../model/metadata-schema.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { GuildId, LobbyId, UserId } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import type { OperationOptions, RequestOptions, WaitSnapshot } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { CommandPlace, CommandsSnapshot } from '../command/snapshot.ts';
import type { ConnectionSnapshot } from '../connection/connection-snapshot.ts';
import type { SignOutOptions } from '../credentials/credentials.ts';
import type { GuildChannel, GuildMinimal } from '../guilds.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { ClientNewsEvent } from '../lobby/lobby-news.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
  UserSnapshot,
} from '../lobby/snapshot.ts';
import { connectPage } from './connect-page.ts';
import { MainConnection } from './main-connection.ts';
import { gamePrefix } from './messages.ts';
import type { GameParts } from './shared-parts.ts';
import type { SignInSnapshot, WindowSignInOptions } from './shared-sign-in.ts';
import { WindowLobbies, type WindowOptions } from './window-lobbies.ts';
import { WindowFriends, WindowInvites, WindowMessages, WindowPresence, WindowUsers } from './window-social.ts';

/** Stands for events that a window has missed: it did not read for long, or had to connect again. */
export interface EventsMissed {
  readonly type: 'eventsMissed';
  /** Undefined when nobody knows: while the window was not connected. */
  readonly count: number | undefined;
}

/** The functions that {@link GameParts.calls} has in the main process, as a window calls them. */
export type WindowCalls<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export interface WindowClientOptions<LobbyMetadata = Metadata, MemberMetadata = Metadata> {
  /** The name that the preload script exposed. Default: `rallypoint`. */
  readonly name?: string | undefined;
  /** As in {@link ClientOptions.schemas}: schemas are functions, so that each process has its own. */
  readonly schemas?: MetadataSchemas<LobbyMetadata, MemberMetadata> | undefined;
}

const disconnected: ConnectionSnapshot = Object.freeze({ status: 'disconnected' });
const nothing: readonly never[] = Object.freeze([]);

/**
 * The client of the main process, in a window: the same states, events, operations and errors. It holds no token, and
 * cannot get one. When the connection to the main process is lost, it connects again by itself: states go on with the present
 * value, {@link events$} emits `eventsMissed`, and calls wait. A call that was under way rejects with `connection_lost`,
 * because nobody knows what became of it.
 *
 * Until the first state has arrived ({@link opened}), getters show a client that is not connected.
 */
export class WindowClient<LobbyMetadata = Metadata, MemberMetadata = Metadata>
  implements
    Pick<
      Client<LobbyMetadata, MemberMetadata>,
      | 'status$'
      | 'status'
      | 'lobbies$'
      | 'waits$'
      | 'waits'
      | 'lobby$'
      | 'lobby'
      | 'members$'
      | 'members'
      | 'member$'
      | 'member'
      | 'lobbyMessages$'
      | 'commands$'
      | 'select$'
    >
{
  static {
    recognizeCopies(this, 'WindowClient');
  }

  readonly status$: Observable<ConnectionSnapshot>;
  readonly lobbies$: Observable<LobbyState>;
  readonly waits$: Observable<readonly WaitSnapshot[]>;
  readonly events$: Observable<ClientNewsEvent | EventsMissed>;
  /** Undefined when `serveWindows()` was called without credentials. */
  readonly credentials$: Observable<SignInSnapshot | undefined>;
  readonly lobbies: WindowLobbies<LobbyMetadata, MemberMetadata>;
  /**
   * Resolves when the first states have arrived.
   *
   * @throws TransportError `untrusted_window`, `connection_lost`
   */
  readonly opened: Promise<void>;
  readonly users: WindowUsers;
  #friends: WindowFriends | undefined;
  #presence: WindowPresence | undefined;
  #invites: WindowInvites<LobbyMetadata, MemberMetadata> | undefined;
  #messages: WindowMessages | undefined;
  readonly #main: MainConnection;
  readonly #kept: { unsubscribe(): void }[];

  /** @internal */
  constructor(main: MainConnection, schemas: MetadataSchemas<LobbyMetadata, MemberMetadata> = {}) {
    this.#main = main;
    this.status$ = main.state$('status');
    this.lobbies$ = main.state$('lobbies');
    this.waits$ = main.state$('waits');
    this.credentials$ = main.state$('credentials');
    this.events$ = main.events$('events');
    this.lobbies = new WindowLobbies(this, main, schemas);
    this.users = new WindowUsers(main);
    const states = [this.status$, this.lobbies$, this.waits$, this.credentials$];
    // Watched as long as the window is there, for the getters.
    this.#kept = states.map(state$ => (state$ as Observable<unknown>).subscribe());
    this.opened = main.call('ping', []);
    this.opened.catch(() => {});
  }

  get friends(): WindowFriends {
    this.#friends ??= new WindowFriends(this.#main);
    return this.#friends;
  }

  get presence(): WindowPresence {
    this.#presence ??= new WindowPresence(this.#main, this.users);
    return this.#presence;
  }

  get invites(): WindowInvites<LobbyMetadata, MemberMetadata> {
    this.#invites ??= new WindowInvites(this.#main, this.lobbies);
    return this.#invites;
  }

  get messages(): WindowMessages {
    this.#messages ??= new WindowMessages(this.#main);
    return this.#messages;
  }

  get status(): ConnectionSnapshot {
    return this.#main.latest('status') ?? disconnected;
  }

  get waits(): readonly WaitSnapshot[] {
    return this.#main.latest('waits') ?? nothing;
  }

  get credentials(): SignInSnapshot | undefined {
    return this.#main.latest('credentials');
  }

  lobby$(id: LobbyId): Observable<LobbySnapshot | undefined> {
    return selectFrom(this.lobbies$, lobbies => lobbies.find(lobby => lobby.id === id), Object.is);
  }

  lobby(id: LobbyId): LobbySnapshot | undefined {
    return this.lobbies.snapshot.find(lobby => lobby.id === id);
  }

  members$(lobbyId: LobbyId): Observable<LobbyMembers> {
    return selectFrom(this.lobby$(lobbyId), lobby => lobby?.members ?? nothing, Object.is);
  }

  members(lobbyId: LobbyId): LobbyMembers {
    return this.lobby(lobbyId)?.members ?? nothing;
  }

  member$(lobbyId: LobbyId, userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return selectFrom(this.members$(lobbyId), members => members.find(({ id }) => id === userId), Object.is);
  }

  member(lobbyId: LobbyId, userId: UserId): LobbyMemberSnapshot | undefined {
    return this.members(lobbyId).find(({ id }) => id === userId);
  }

  /** As {@link Client.lobbyMessages$}. */
  lobbyMessages$(lobbyId: LobbyId): Observable<LobbyMessages> {
    return this.#main.state$('messages', lobbyId);
  }

  /** What {@link lobbyMessages$} shows; empty while it has no subscriber. */
  lobbyMessages(lobbyId: LobbyId): LobbyMessages {
    return this.#main.latest('messages', lobbyId) ?? nothing;
  }

  /** As {@link Client.commands$}. */
  commands$(place: CommandPlace): Observable<CommandsSnapshot> {
    return this.#main.state$('commands', place);
  }

  /** What {@link commands$} of the same place shows; `loading` while it has no subscriber. */
  commands(place: CommandPlace): CommandsSnapshot {
    return this.#main.latest('commands', place) ?? { status: 'loading', commands: nothing };
  }

  select$<Value>(
    select: (lobbies: LobbyState) => Value,
    isSame: (a: Value, b: Value) => boolean = Object.is,
  ): Observable<Value> {
    return selectFrom(this.lobbies$, select, isSame);
  }

  /**
   * Signs the player in with the browser: by the credentials that are served, which keep the player signed in, or else for
   * this run ({@link Client.signIn}). The tokens stay in the main process.
   *
   * @throws as {@link Client.signIn}
   */
  signIn(options?: WindowSignInOptions): Promise<void> {
    return this.#main.operation('signIn', [], options);
  }

  /** Ends the sign-in in progress, whichever window began it. With credentials, a sign-in outlives the window. */
  cancelSignIn(): Promise<void> {
    return this.#main.call('cancelSignIn', []);
  }

  /** @throws as {@link Client.fetchCurrentUser} */
  async fetchCurrentUser(options?: RequestOptions): Promise<UserSnapshot> {
    return this.#main.call('fetchCurrentUser', [], parseOptions(options).signal);
  }

  /** @throws as {@link Credentials.signOut} */
  signOut(options?: SignOutOptions): Promise<void> {
    return this.#main.operation('signOut', [], options);
  }

  /** @throws as {@link Client.connect} */
  async connect(options?: RequestOptions): Promise<void> {
    return this.#main.call('connect', [], parseOptions(options).signal);
  }

  disconnect(): Promise<void> {
    return this.#main.call('disconnect', []);
  }

  /** As {@link Client.checkConnection}. */
  checkConnection(): Promise<void> {
    return this.#main.call('checkConnection', []);
  }

  getUserGuilds(options: WindowOptions<OperationOptions> = {}): Promise<readonly GuildMinimal[]> {
    return this.#main.operation('getUserGuilds', [], options);
  }

  getGuildChannels(guildId: GuildId, options: WindowOptions<OperationOptions> = {}): Promise<readonly GuildChannel[]> {
    return this.#main.operation('getGuildChannels', [guildId], options);
  }

  /**
   * The game's own calls: `game.calls` of `serveWindows()`, whose type can be imported. Each rejects with what its function
   * throws.
   *
   * @throws ArgumentError `unknown_call`
   */
  gameCalls<Calls extends NonNullable<GameParts['calls']>>(): WindowCalls<Calls> {
    const call =
      (name: string) =>
      (...args: readonly unknown[]) =>
        this.#main.call(gamePrefix + name, args);
    // A promise that resolves with it must not take it for another promise.
    const get = (_: object, name: string | symbol) =>
      typeof name === 'string' && name !== 'then' ? call(name) : undefined;
    return new Proxy({}, { get }) as WindowCalls<Calls>;
  }

  /** One of the game's own states, of `game.states` of `serveWindows()`. */
  gameState$<Value>(name: string): Observable<Value> {
    return this.#main.state$(gamePrefix + name);
  }

  /** Gives up the connection to the main process; the client there goes on. Repeatable. */
  async close(): Promise<void> {
    for (const one of this.#kept) one.unsubscribe();
    this.#main.close();
  }

  /** As {@link close}: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Opens the client of the main process in this window.
 *
 * @throws ArgumentError `missing_preload`
 * @example
 * const client = openClient();
 * client.lobbies$.subscribe(lobbies => console.log(lobbies.length));
 * const lobby = await client.lobbies.join('the harbour');
 */
export function openClient<LobbyMetadata = Metadata, MemberMetadata = Metadata>({
  name,
  schemas,
}: WindowClientOptions<LobbyMetadata, MemberMetadata> = {}): WindowClient<LobbyMetadata, MemberMetadata> {
  const main = new MainConnection();
  connectPage(main, name);
  return new WindowClient(main, schemas);
}
