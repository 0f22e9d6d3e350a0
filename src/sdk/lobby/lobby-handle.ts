import type { RallypointError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { Metadata } from '../../model/lobby.ts';
import type { MetadataReader } from '../../model/metadata-schema.ts';
import { type ChannelId, compareSnowflakes, type LobbyId, type MessageId, type UserId } from '../../model/snowflake.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import type { OperationOptions } from '../call-options.ts';
import { Feed } from '../live/feed.ts';
import { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import { VoiceCall } from '../voice/voice-call.ts';
import type { VoiceCalls } from '../voice/voice-calls.ts';
import { messagesKeptMax } from './live-messages.ts';
import { checkMessage, type LobbyInviteSnapshot, type LobbyOperations, type SendOptions } from './operations.ts';
import { Outbox } from './outbox.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageEntry,
  LobbyMessageSnapshot,
  LobbyMessages,
  LobbySnapshot,
  OutgoingMessageSnapshot,
} from './snapshot.ts';
import type { LobbyStore } from './store.ts';

/** What a handle needs of the collection it belongs to. */
export interface LobbyParts<LobbyMetadata, MemberMetadata> {
  readonly store: LobbyStore;
  readonly operations: LobbyOperations;
  readonly voice: VoiceCalls;
  readonly clock: Clock;
  readonly ownId: () => UserId | undefined;
  readonly lobbyMetadata: MetadataReader<LobbyMetadata>;
  readonly memberMetadata: MetadataReader<MemberMetadata>;
  readonly nextDraftId: () => string;
  readonly leave: (id: LobbyId, options: OperationOptions) => Promise<void>;
  readonly openInvite: (id: LobbyId, options: OperationOptions) => Promise<string>;
  readonly setMetadata: (
    id: LobbyId,
    secret: string | undefined,
    change: MetadataChange,
    options: OperationOptions,
  ) => Promise<void>;
}

/** Metadata to write: what is left out stays, what is given replaces all of it. */
export interface MetadataChange {
  /** The lobby's. */
  readonly lobby?: Metadata | undefined;
  /** The player's own as a member. */
  readonly member?: Metadata | undefined;
}

/**
 * One of the player's lobbies: its state as it changes, and what the player can do in it.
 *
 * The state is that of {@link Client.lobby$} and its siblings. When the player is no longer in the lobby, `snapshot` is
 * undefined, the lists are empty, and operations reject as the service says. While the client reconnects, the state is
 * the last known one.
 */
export class LobbyHandle<LobbyMetadata = Metadata, MemberMetadata = Metadata> {
  readonly id: LobbyId;
  /** The lobby's voice call. */
  readonly call: VoiceCall;
  readonly snapshot$: Observable<LobbySnapshot | undefined>;
  readonly metadata$: Observable<LobbyMetadata | undefined>;
  readonly members$: Observable<LobbyMembers>;
  readonly messages$: Observable<readonly LobbyMessageEntry[]>;
  readonly unreadCount$: Observable<number>;
  readonly #parts: LobbyParts<LobbyMetadata, MemberMetadata>;
  readonly #outbox = new Outbox();
  readonly #entries = new Feed<readonly LobbyMessageEntry[]>(() => this.messages);
  readonly #unread = new Feed<number>(() => this.unreadCount);
  #readUpTo: MessageId | undefined;
  #hasOlder = true;
  #secret: string | undefined;

  /** @internal Handles come from {@link LobbyCollection.join} and {@link LobbyCollection.get}. */
  constructor(id: LobbyId, parts: LobbyParts<LobbyMetadata, MemberMetadata>) {
    this.id = id;
    this.#parts = parts;
    const { store, voice } = parts;
    this.call = new VoiceCall(id, voice);
    this.snapshot$ = store.lobby$(id);
    this.metadata$ = selectFrom(this.snapshot$, () => this.metadata, Object.is);
    this.members$ = store.members$(id);
    this.messages$ = this.#streamOf(this.#entries);
    this.unreadCount$ = this.#streamOf(this.#unread);
  }

  /** Whether the player is in the lobby, as far as the client knows. */
  get isJoined(): boolean {
    return this.snapshot !== undefined;
  }

  get snapshot(): LobbySnapshot | undefined {
    return this.#parts.store.lobby(this.id);
  }

  /** The lobby's metadata by the client's schema; undefined when it does not fit, or when the player is not in the lobby. */
  get metadata(): LobbyMetadata | undefined {
    return this.#parts.lobbyMetadata.read(this.snapshot?.metadata);
  }

  /** By id. */
  get members(): LobbyMembers {
    return this.#parts.store.members(this.id);
  }

  member(userId: UserId): LobbyMemberSnapshot | undefined {
    return this.#parts.store.member(this.id, userId);
  }

  member$(userId: UserId): Observable<LobbyMemberSnapshot | undefined> {
    return this.#parts.store.member$(this.id, userId);
  }

  /** A member's metadata by the client's schema; undefined when it does not fit, or without such a member. */
  memberMetadata(userId: UserId): MemberMetadata | undefined {
    return this.#parts.memberMetadata.read(this.member(userId)?.metadata);
  }

  /**
   * History and live messages in one list, each once, oldest first: up to 200 that the service has, then those that this
   * client is sending (`status: 'pending'`) or failed to send (`status: 'failed'`, with `error`). Messages that were missed
   * while the connection was lost are inserted before newer ones are shown.
   */
  get messages(): readonly LobbyMessageEntry[] {
    return this.#outbox.merge(this.#messages, this.#parts.ownId());
  }

  /** Whether {@link loadOlder} may find more. */
  get hasOlder(): boolean {
    return this.#hasOlder && this.#messages.length < limits.lobbyHistoryMessagesMax;
  }

  /** How many messages of others arrived since {@link markRead}, counting up to the 200 that are kept. */
  get unreadCount(): number {
    const first = this.#parts.store.firstNews(this.id);
    if (first === undefined) return 0;
    const ownId = this.#parts.ownId();
    const read = this.#readUpTo;
    const isUnread = ({ id, author }: LobbyMessageSnapshot) =>
      author?.id !== ownId &&
      compareSnowflakes(id, first) >= 0 &&
      (read === undefined || compareSnowflakes(id, read) > 0);
    return this.#messages.filter(isUnread).length;
  }

  /** The player has seen all messages that are there now. Kept by this handle alone: the interface has no read state. */
  markRead(): void {
    this.#readUpTo = this.#messages.at(-1)?.id ?? this.#readUpTo;
    this.#unread.notify();
  }

  /**
   * Sends a message. It is part of {@link messages} immediately. Messages to one lobby arrive in the order of the calls;
   * none is sent twice: after `connection_lost` or `deadline_exceeded` it may or may not have arrived. If it turns out to
   * have arrived, the failed entry is replaced by the message.
   *
   * @param content 1 to 2000 characters, not blanks alone
   * @throws ArgumentError `empty_message`, ValidationError: nothing is shown or sent
   * @throws ApiError `unknown_lobby`, `not_a_lobby_member`; and what {@link LobbyCollection.join} names for all operations
   * @see docs/spec/lobbies.md#send-a-message
   */
  async send(content: string, options: SendOptions = {}): Promise<LobbyMessageSnapshot> {
    checkMessage(content, options);
    const draft = this.#draft(content, options);
    this.#outbox.add(draft, this.#messages);
    this.#entries.notify();
    try {
      const message = await this.#parts.operations.send(this.id, content, options);
      this.#outbox.sent(draft.id, message);
      return message;
    } catch (error) {
      this.#outbox.failed(draft.id, error as RallypointError);
      throw error;
    } finally {
      this.#entries.notify();
    }
  }

  /**
   * Sends a failed message again, as a new one at the end.
   *
   * @param id of the failed entry
   * @returns undefined when there is no such entry
   * @throws as {@link send}
   */
  async resend(id: string, options: OperationOptions = {}): Promise<LobbyMessageSnapshot | undefined> {
    const failed = this.#outbox.take(id);
    return failed && this.send(failed.content, { metadata: failed.metadata, flags: failed.flags, ...options });
  }

  /** Removes a failed message from {@link messages}. @returns whether there was one of that id */
  discard(id: string): boolean {
    const isThere = this.#outbox.take(id) !== undefined;
    this.#entries.notify();
    return isThere;
  }

  /**
   * Adds older messages to {@link messages}. The interface lists the newest messages only: up to 200, up to 72 hours old.
   *
   * @param count how many more. Default: 25
   * @returns whether there may be more
   * @throws ArgumentError `invalid_limit`; ApiError `unknown_lobby`, `not_a_lobby_member`
   * @see docs/spec/lobbies.md#list-messages; docs/spec/client.md#histories
   */
  async loadOlder(count: number = messagesKeptMax, options: OperationOptions = {}): Promise<boolean> {
    const { store, operations } = this.#parts;
    const max = limits.lobbyHistoryMessagesMax;
    const limit = Math.min(max, this.#messages.length + count);
    const loader = {};
    store.changeMessages(this.id, messages => messages.hold(loader));
    try {
      const history = await operations.history('loadOlder', this.id, { ...options, limit });
      store.changeMessages(this.id, messages => messages.fill(loader, history, true));
      this.#hasOlder = history.length === limit && limit < max;
      return this.#hasOlder;
    } finally {
      store.changeMessages(this.id, messages => messages.release(loader));
    }
  }

  /**
   * Leaves the lobby, and resolves when {@link Client.lobbies} no longer has it. A lobby that a game server made cannot be
   * left. Repeatable.
   *
   * @throws ApiError `unknown_lobby`, `missing_access`
   * @see docs/spec/lobbies.md#leave
   */
  leave(options: OperationOptions = {}): Promise<void> {
    return this.#parts.leave(this.id, options);
  }

  /**
   * Replaces metadata of the lobby, or of the player as a member. The interface identifies the lobby by its secret here,
   * so that it is possible only in lobbies that were joined by {@link LobbyCollection.join} since the client exists.
   *
   * @throws ArgumentError `missing_secret`; ValidationError, also when the metadata does not fit the client's schema
   * @throws TransportError `lobby_ended`
   * @see docs/spec/lobbies.md#create-or-join
   */
  async setMetadata(change: MetadataChange, options: OperationOptions = {}): Promise<void> {
    await this.#parts.setMetadata(this.id, this.#secret, change, options);
  }

  /**
   * Makes a text channel of a guild the lobby's own conversation. The player needs the flag CanLinkLobby, and in the channel
   * the permissions to manage, view and write.
   *
   * @throws ApiError `lobby_link_refused`, `channel_not_linkable`, `channel_already_linked`, `missing_permissions`,
   *   `unknown_channel`, `unknown_lobby`
   * @see docs/spec/lobbies.md#link-a-channel
   */
  linkChannel(channelId: ChannelId, options: OperationOptions = {}): Promise<void> {
    return this.#parts.operations.link(this.id, channelId, options);
  }

  /**
   * Undoes {@link linkChannel}. The player needs the flag CanLinkLobby.
   *
   * @throws ApiError `lobby_link_refused`, `unknown_lobby`
   */
  unlinkChannel(options: OperationOptions = {}): Promise<void> {
    return this.#parts.operations.unlink(this.id, options);
  }

  /**
   * Creates an invite for the player to the guild whose channel is linked to the lobby.
   *
   * @throws ApiError `lobby_not_linked`, `already_in_guild`, `not_a_lobby_member`, `unknown_lobby`
   * @see docs/spec/lobbies.md#invites
   */
  createInvite(options: OperationOptions = {}): Promise<LobbyInviteSnapshot> {
    return this.#parts.operations.invite(this.id, options);
  }

  /**
   * As {@link createInvite}, and opens the page that accepts the invite.
   *
   * @returns the page's address, at the latest when the deadline passes while the browser is still being opened
   * @throws TransportError `browser_unavailable`: the game can show the page that the message names in another way
   * @see docs/spec/client.md#functions
   */
  joinLinkedGuild(options: OperationOptions = {}): Promise<string> {
    return this.#parts.openInvite(this.id, options);
  }

  /** @internal The player is in the lobby by this secret, and its newest messages were loaded. */
  joined(secret: string, hasOlder: boolean): void {
    this.#secret = secret;
    this.#hasOlder &&= hasOlder;
  }

  get #messages(): LobbyMessages {
    return this.#parts.store.messages(this.id);
  }

  #draft(content: string, { metadata = {}, flags = 0 }: SendOptions): OutgoingMessageSnapshot {
    const { clock, ownId, nextDraftId } = this.#parts;
    const userId = ownId();
    const self = userId === undefined ? undefined : this.member(userId);
    const id = nextDraftId();
    return {
      id,
      key: id,
      lobbyId: this.id,
      channelId: this.id as string,
      author: self?.user,
      content,
      type: 0,
      flags,
      metadata: Object.freeze({ ...metadata }),
      moderationMetadata: Object.freeze({}),
      additionalName: self?.additionalName,
      applicationId: this.snapshot?.applicationId,
      sentAtMs: clock.now(),
      editedAtMs: undefined,
      status: 'pending',
      error: undefined,
    };
  }

  /** What a feed shows of the lobby's messages, kept current while it is subscribed to. */
  #streamOf<Value>(feed: Feed<Value>): Observable<Value> {
    let source: { unsubscribe(): void } | undefined;
    let isClosed = false;
    return new Observable(subscriber => {
      source ??= this.#parts.store.messages$(this.id).subscribe({
        next: () => feed.notify(),
        complete: () => {
          isClosed = true;
          feed.complete();
        },
      });
      if (isClosed) return subscriber.complete();
      const end = feed.subscribe(subscriber);
      return () => {
        end();
        if (feed.isObserved) return;
        source?.unsubscribe();
        source = undefined;
      };
    });
  }
}
