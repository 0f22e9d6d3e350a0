import type { Metadata } from '../../model/lobby.ts';
import { MetadataReader, type MetadataSchemas } from '../../model/metadata-schema.ts';
import type { ChannelId, GuildId, LobbyId, UserId } from '../../model/snowflake.ts';
import type { OperationOptions, RequestOptions, WaitSnapshot } from '../call-options.ts';
import type { Client, ClientSignInOptions } from '../client.ts';
import type { CommandPlace, CommandsSnapshot } from '../command/snapshot.ts';
import type { ConnectionSnapshot } from '../connection/connection-snapshot.ts';
import type { CredentialsSnapshot, SignOutOptions } from '../credentials/credentials.ts';
import type { GuildChannel, GuildMinimal } from '../guilds.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { LobbyCollection } from '../lobby/lobby-collection.ts';
import type { LobbyHandle, MetadataChange } from '../lobby/lobby-handle.ts';
import type { LobbyNewsEvent } from '../lobby/lobby-news.ts';
import type { JoinOptions, LobbyInviteSnapshot, SendOptions } from '../lobby/operations.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageEntry,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  LobbyState,
} from '../lobby/snapshot.ts';
import type { CallSnapshot, VoiceSettings } from '../voice/snapshot.ts';
import type { VoiceCall } from '../voice/voice-call.ts';
import type { CallJoinOptions } from '../voice/voice-calls.ts';
import { connectPage } from './connect-page.ts';
import { MainConnection } from './main-connection.ts';
import type { HandleState } from './shared-parts.ts';

/** A port carries no functions: what is waited for is in {@link WindowClient.waits$}. */
export type WindowOptions<Options extends OperationOptions> = Omit<Options, 'onWait'>;

/** An event that a window which did not read for long has missed. */
export interface EventsMissed {
  readonly type: 'eventsMissed';
  readonly count: number;
}

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
 * cannot get one.
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
      | 'messages$'
      | 'commands$'
      | 'select$'
    >
{
  readonly status$: Observable<ConnectionSnapshot>;
  readonly lobbies$: Observable<LobbyState>;
  readonly waits$: Observable<readonly WaitSnapshot[]>;
  readonly events$: Observable<LobbyNewsEvent | EventsMissed>;
  /** Undefined when `serveWindows()` was called without credentials. */
  readonly credentials$: Observable<CredentialsSnapshot | undefined>;
  readonly lobbies: WindowLobbies<LobbyMetadata, MemberMetadata>;
  /**
   * Resolves when the first states have arrived.
   *
   * @throws TransportError `untrusted_window`, `connection_lost`
   */
  readonly opened: Promise<void>;
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
    const states = [this.status$, this.lobbies$, this.waits$, this.credentials$];
    // Watched as long as the window is there, for the getters.
    this.#kept = states.map(state$ => (state$ as Observable<unknown>).subscribe());
    this.opened = main.call('ping', []);
    this.opened.catch(() => {});
  }

  get status(): ConnectionSnapshot {
    return this.#main.latest('status') ?? disconnected;
  }

  get waits(): readonly WaitSnapshot[] {
    return this.#main.latest('waits') ?? nothing;
  }

  get credentials(): CredentialsSnapshot | undefined {
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

  /** As {@link Client.messages$}. */
  messages$(lobbyId: LobbyId): Observable<LobbyMessages> {
    return this.#main.state$('messages', lobbyId);
  }

  /** What {@link messages$} shows; empty while it has no subscriber. */
  messages(lobbyId: LobbyId): LobbyMessages {
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
  signIn({ signal, ...options }: ClientSignInOptions = {}): Promise<void> {
    return this.#main.call('signIn', [options], signal);
  }

  /** @throws as {@link Credentials.signOut} */
  signOut({ signal, ...options }: SignOutOptions = {}): Promise<void> {
    return this.#main.call('signOut', [options], signal);
  }

  /** @throws as {@link Client.connect} */
  connect({ signal }: RequestOptions = {}): Promise<void> {
    return this.#main.call('connect', [], signal);
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

/** The player's lobbies in a window: as {@link LobbyCollection}. */
export class WindowLobbies<LobbyMetadata = Metadata, MemberMetadata = Metadata>
  implements Pick<LobbyCollection<LobbyMetadata, MemberMetadata>, 'snapshot' | 'size' | 'has' | typeof Symbol.iterator>
{
  readonly #client: WindowClient<LobbyMetadata, MemberMetadata>;
  readonly #main: MainConnection;
  readonly #readers: Readers<LobbyMetadata, MemberMetadata>;
  readonly #lobbies = new Map<LobbyId, WindowLobby<LobbyMetadata, MemberMetadata>>();

  /** @internal */
  constructor(
    client: WindowClient<LobbyMetadata, MemberMetadata>,
    main: MainConnection,
    schemas: MetadataSchemas<LobbyMetadata, MemberMetadata>,
  ) {
    this.#client = client;
    this.#main = main;
    this.#readers = { lobby: new MetadataReader(schemas.lobby), member: new MetadataReader(schemas.member) };
  }

  get snapshot(): LobbyState {
    return this.#main.latest('lobbies') ?? nothing;
  }

  get size(): number {
    return this.snapshot.length;
  }

  [Symbol.iterator](): Iterator<LobbySnapshot> {
    return this.snapshot[Symbol.iterator]();
  }

  has(id: LobbyId): boolean {
    return this.#client.lobby(id) !== undefined;
  }

  /** As {@link LobbyCollection.get}. Its messages arrive a moment later; {@link join} waits for them. */
  get(id: LobbyId): WindowLobby<LobbyMetadata, MemberMetadata> | undefined {
    const known = this.#lobbies.get(id);
    if (known?.isJoined) return known;
    if (known) this.#lobbies.delete(id);
    if (!this.has(id)) return undefined;
    const lobby = new WindowLobby(id, this.#client, this.#main, this.#readers);
    this.#lobbies.set(id, lobby);
    return lobby;
  }

  /**
   * As {@link LobbyCollection.join}.
   *
   * @throws as {@link LobbyCollection.join}
   */
  async join(
    secret: string,
    options: WindowOptions<JoinOptions> = {},
  ): Promise<WindowLobby<LobbyMetadata, MemberMetadata>> {
    this.#readers.lobby.check('lobbyMetadata', options.lobbyMetadata);
    this.#readers.member.check('memberMetadata', options.memberMetadata);
    const id = await this.#main.operation<LobbyId>('join', [secret], options);
    const lobby = this.get(id) ?? new WindowLobby(id, this.#client, this.#main, this.#readers);
    await lobby.opened;
    return lobby;
  }

  /** Leaves the voice calls of all lobbies. */
  leaveCalls(options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('leaveCalls', [], options);
  }
}

interface Readers<LobbyMetadata, MemberMetadata> {
  readonly lobby: MetadataReader<LobbyMetadata>;
  readonly member: MetadataReader<MemberMetadata>;
}

type SharedWithHandle =
  | 'id'
  | 'snapshot$'
  | 'snapshot'
  | 'metadata$'
  | 'metadata'
  | 'memberMetadata'
  | 'members$'
  | 'members'
  | 'member$'
  | 'member'
  | 'messages$'
  | 'messages'
  | 'hasOlder'
  | 'unreadCount$'
  | 'unreadCount'
  | 'isJoined'
  | 'markRead'
  | 'discard';

/** One of the player's lobbies in a window: as {@link LobbyHandle}, whose operations run in the main process. */
export class WindowLobby<LobbyMetadata = Metadata, MemberMetadata = Metadata>
  implements Pick<LobbyHandle<LobbyMetadata, MemberMetadata>, SharedWithHandle>
{
  readonly id: LobbyId;
  readonly call: WindowCall;
  readonly snapshot$: Observable<LobbySnapshot | undefined>;
  readonly metadata$: Observable<LobbyMetadata | undefined>;
  readonly members$: Observable<LobbyMembers>;
  readonly messages$: Observable<readonly LobbyMessageEntry[]>;
  readonly unreadCount$: Observable<number>;
  /** @internal Resolves when the messages have arrived. */
  readonly opened: Promise<void>;
  readonly #client: WindowClient<LobbyMetadata, MemberMetadata>;
  readonly #main: MainConnection;
  readonly #readers: Readers<LobbyMetadata, MemberMetadata>;

  /** @internal Handles come from {@link WindowLobbies.join} and {@link WindowLobbies.get}. */
  constructor(
    id: LobbyId,
    client: WindowClient<LobbyMetadata, MemberMetadata>,
    main: MainConnection,
    readers: Readers<LobbyMetadata, MemberMetadata>,
  ) {
    this.id = id;
    this.#client = client;
    this.#main = main;
    this.#readers = readers;
    this.call = new WindowCall(id, main);
    this.snapshot$ = client.lobby$(id);
    this.metadata$ = selectFrom(this.snapshot$, () => this.metadata, Object.is);
    this.members$ = client.members$(id);
    const handle$ = main.state$<HandleState>('handle', id);
    this.messages$ = selectFrom(handle$, ({ messages }) => messages, Object.is);
    this.unreadCount$ = selectFrom(handle$, ({ unreadCount }) => unreadCount, Object.is);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    // Watched while the player is in the lobby, for the getters.
    const kept = handle$.subscribe({ next: () => resolve(), complete: resolve });
    const present = this.snapshot$.subscribe(lobby => {
      if (lobby) return;
      // The subscription may still be in the making.
      queueMicrotask(() => present.unsubscribe());
      kept.unsubscribe();
      resolve();
    });
  }

  get isJoined(): boolean {
    return this.snapshot !== undefined;
  }

  get snapshot(): LobbySnapshot | undefined {
    return this.#client.lobby(this.id);
  }

  get metadata(): LobbyMetadata | undefined {
    return this.#readers.lobby.read(this.snapshot?.metadata);
  }

  get members(): LobbyMembers {
    return this.#client.members(this.id);
  }

  member(userId: UserId): LobbyMemberSnapshot | undefined {
    return this.#client.member(this.id, userId);
  }

  member$(userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return this.#client.member$(this.id, userId);
  }

  memberMetadata(userId: UserId): MemberMetadata | undefined {
    return this.#readers.member.read(this.member(userId)?.metadata);
  }

  get messages(): readonly LobbyMessageEntry[] {
    return this.#handle?.messages ?? nothing;
  }

  get hasOlder(): boolean {
    return this.#handle?.hasOlder ?? false;
  }

  get unreadCount(): number {
    return this.#handle?.unreadCount ?? 0;
  }

  /** The player has seen all messages that are there now: in all windows, which share what was read. */
  markRead(): void {
    this.#main.call('markRead', [this.id]).catch(() => {});
  }

  /** @throws as {@link LobbyHandle.send} */
  send(content: string, options: WindowOptions<SendOptions> = {}): Promise<LobbyMessageSnapshot> {
    return this.#main.operation('send', [this.id, content], options);
  }

  /** @throws as {@link LobbyHandle.resend} */
  resend(id: string, options: WindowOptions<OperationOptions> = {}): Promise<LobbyMessageSnapshot | undefined> {
    return this.#main.operation('resend', [this.id, id], options);
  }

  /** Removes a failed message from {@link messages}. @returns whether there is one of that id */
  discard(id: string): boolean {
    const isThere = this.messages.some(message => message.id === id && message.status === 'failed');
    if (isThere) this.#main.call('discard', [this.id, id]).catch(() => {});
    return isThere;
  }

  /** @throws as {@link LobbyHandle.loadOlder} */
  loadOlder(count?: number, options: WindowOptions<OperationOptions> = {}): Promise<boolean> {
    return this.#main.operation('loadOlder', [this.id, count ?? null], options);
  }

  /** @throws as {@link LobbyHandle.leave} */
  leave(options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('leave', [this.id], options);
  }

  /** @throws as {@link LobbyHandle.setMetadata} */
  async setMetadata(change: MetadataChange, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    this.#readers.lobby.check('lobby', change.lobby);
    this.#readers.member.check('member', change.member);
    await this.#main.operation('setMetadata', [this.id, change], options);
  }

  /** @throws as {@link LobbyHandle.linkChannel} */
  linkChannel(channelId: ChannelId, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('linkChannel', [this.id, channelId], options);
  }

  /** @throws as {@link LobbyHandle.unlinkChannel} */
  unlinkChannel(options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('unlinkChannel', [this.id], options);
  }

  /** @throws as {@link LobbyHandle.createInvite} */
  createInvite(options: WindowOptions<OperationOptions> = {}): Promise<LobbyInviteSnapshot> {
    return this.#main.operation('createInvite', [this.id], options);
  }

  /** @throws as {@link LobbyHandle.joinLinkedGuild} */
  joinLinkedGuild(options: WindowOptions<OperationOptions> = {}): Promise<string> {
    return this.#main.operation('joinLinkedGuild', [this.id], options);
  }

  get #handle(): HandleState | undefined {
    return this.#main.latest('handle', this.id);
  }
}

/** A lobby's voice call in a window. The voice server's token stays in the main process. */
export interface WindowCallSnapshot extends Omit<CallSnapshot, 'server'> {
  readonly server: { readonly endpoint: string | null } | undefined;
}

/** The voice call of one lobby in a window: as {@link VoiceCall}, without the voice server's token. */
export class WindowCall {
  readonly lobbyId: LobbyId;
  readonly snapshot$: Observable<WindowCallSnapshot>;
  readonly #main: MainConnection;

  /** @internal */
  constructor(lobbyId: LobbyId, main: MainConnection) {
    this.lobbyId = lobbyId;
    this.#main = main;
    this.snapshot$ = main.state$('call', lobbyId);
  }

  /** What {@link snapshot$} shows; `disconnected` while it has no subscriber. */
  get snapshot(): WindowCallSnapshot {
    const { lobbyId } = this;
    const absent = {
      lobbyId,
      status: 'disconnected',
      own: undefined,
      server: undefined,
      participants: nothing,
    } as const;
    return this.#main.latest('call', lobbyId) ?? absent;
  }

  /** @throws as {@link VoiceCall.join} */
  join(options: WindowOptions<CallJoinOptions> = {}): Promise<void> {
    return this.#main.operation('callJoin', [this.lobbyId], options);
  }

  /** @throws as {@link VoiceCall.update} */
  update(settings: Partial<VoiceSettings>, options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('callUpdate', [this.lobbyId, settings], options);
  }

  /** @throws as {@link VoiceCall.leave} */
  leave(options: WindowOptions<OperationOptions> = {}): Promise<void> {
    return this.#main.operation('callLeave', [this.lobbyId], options);
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
