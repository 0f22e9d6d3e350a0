import type { Metadata } from '../../model/lobby.ts';
import { MetadataReader, type MetadataSchemas } from '../../model/metadata-schema.ts';
import { recognizeCopies } from '../../model/recognize-copies.ts';
import type { ChannelId, LobbyId, UserId } from '../../model/snowflake.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import type { LobbyCollection } from '../lobby/lobby-collection.ts';
import type { LobbyHandle, MetadataChange } from '../lobby/lobby-handle.ts';
import type { JoinOptions, LobbyInviteSnapshot, SendOptions } from '../lobby/operations.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageEntry,
  LobbyMessageSnapshot,
  LobbySnapshot,
  LobbyState,
} from '../lobby/snapshot.ts';
import type { CallSnapshot, VoiceSettings } from '../voice/snapshot.ts';
import type { VoiceCall } from '../voice/voice-call.ts';
import type { CallJoinOptions } from '../voice/voice-calls.ts';
import type { MainConnection } from './main-connection.ts';
import { absentCall } from './messages.ts';
import type { HandleState } from './shared-social.ts';

/** A port carries no functions: what is waited for is in {@link WindowClient.waits$}. */
export type WindowOptions<Options extends OperationOptions> = Omit<Options, 'onWait'>;

/** What a window's client shows of its lobbies. */
export type LobbyStates = Pick<Client, 'lobby$' | 'lobby' | 'members$' | 'members' | 'member$' | 'member'>;

const nothing: readonly never[] = Object.freeze([]);

/** The player's lobbies in a window: as {@link LobbyCollection}. */
export class WindowLobbies<LobbyMetadata = Metadata, MemberMetadata = Metadata>
  implements Pick<LobbyCollection<LobbyMetadata, MemberMetadata>, 'snapshot' | 'size' | 'has' | typeof Symbol.iterator>
{
  static {
    recognizeCopies(this, 'WindowLobbies');
  }

  readonly #client: LobbyStates;
  readonly #main: MainConnection;
  readonly #readers: Readers<LobbyMetadata, MemberMetadata>;
  readonly #lobbies = new Map<LobbyId, WindowLobby<LobbyMetadata, MemberMetadata>>();

  /** @internal */
  constructor(client: LobbyStates, main: MainConnection, schemas: MetadataSchemas<LobbyMetadata, MemberMetadata>) {
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
    parseOptions(options);
    this.#readers.lobby.check('lobbyMetadata', options.lobbyMetadata);
    this.#readers.member.check('memberMetadata', options.memberMetadata);
    return this.joined(await this.#main.operation<LobbyId>('join', [secret], options));
  }

  /**
   * As {@link LobbyCollection.arrival}.
   *
   * @throws as {@link LobbyCollection.arrival}
   */
  async arrival(
    id: LobbyId,
    options: WindowOptions<OperationOptions> = {},
  ): Promise<WindowLobby<LobbyMetadata, MemberMetadata>> {
    return this.joined(await this.#main.operation<LobbyId>('arrival', [id], options));
  }

  /** @internal The player is in the lobby in the main process. */
  async joined(id: LobbyId): Promise<WindowLobby<LobbyMetadata, MemberMetadata>> {
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
  static {
    recognizeCopies(this, 'WindowLobby');
  }

  readonly id: LobbyId;
  readonly call: WindowCall;
  readonly snapshot$: Observable<LobbySnapshot | undefined>;
  readonly metadata$: Observable<LobbyMetadata | undefined>;
  readonly members$: Observable<LobbyMembers>;
  readonly messages$: Observable<readonly LobbyMessageEntry[]>;
  readonly unreadCount$: Observable<number>;
  /** @internal Resolves when the messages have arrived. */
  readonly opened: Promise<void>;
  readonly #client: LobbyStates;
  readonly #main: MainConnection;
  readonly #readers: Readers<LobbyMetadata, MemberMetadata>;

  /** @internal Handles come from {@link WindowLobbies.join} and {@link WindowLobbies.get}. */
  constructor(id: LobbyId, client: LobbyStates, main: MainConnection, readers: Readers<LobbyMetadata, MemberMetadata>) {
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
    requireType('change', change, 'object');
    this.#readers.lobby.check('lobbyMetadata', change.lobby);
    this.#readers.member.check('memberMetadata', change.member);
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
  static {
    recognizeCopies(this, 'WindowCall');
  }

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
    return this.#main.latest('call', this.lobbyId) ?? absentCall(this.lobbyId);
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
