import type { Metadata } from '../../model/lobby.ts';
import type { MetadataReader } from '../../model/metadata-schema.ts';
import type { ChannelId, LobbyId, UserId } from '../../model/snowflake.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import type { OperationOptions } from '../call-options.ts';
import type { Observable } from '../live/rxjs.ts';
import { selectFrom } from '../live/select.ts';
import { VoiceCall } from '../voice/voice-call.ts';
import type { VoiceCalls } from '../voice/voice-calls.ts';
import { draftParts } from './message-reader.ts';
import { MessageThread } from './message-thread.ts';
import { checkMessage, type LobbyInviteSnapshot, type LobbyOperations, type SendOptions } from './operations.ts';
import type {
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbyMessageSnapshot,
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
export class LobbyHandle<LobbyMetadata = Metadata, MemberMetadata = Metadata> extends MessageThread<
  LobbyMessageSnapshot,
  OutgoingMessageSnapshot
> {
  readonly id: LobbyId;
  /** The lobby's voice call. */
  readonly call: VoiceCall;
  readonly snapshot$: Observable<LobbySnapshot | undefined>;
  readonly metadata$: Observable<LobbyMetadata | undefined>;
  readonly members$: Observable<LobbyMembers>;
  readonly #parts: LobbyParts<LobbyMetadata, MemberMetadata>;
  #secret: string | undefined;

  /** @internal Handles come from {@link LobbyCollection.join} and {@link LobbyCollection.get}. */
  constructor(id: LobbyId, parts: LobbyParts<LobbyMetadata, MemberMetadata>) {
    const { store, voice, operations, ownId } = parts;
    super({
      messages$: store.messages$(id),
      messages: () => store.messages(id),
      firstNews: () => store.firstNews(id),
      changeMessages: change => store.changeMessages(id, change),
      ownId,
      check: checkMessage,
      draft: (...draft) => this.#draft(...draft),
      send: (...message) => operations.send(id, ...message),
      history: (name, options) => operations.history(name, id, options),
    });
    this.id = id;
    this.#parts = parts;
    this.call = new VoiceCall(id, voice);
    this.snapshot$ = store.lobby$(id);
    this.metadata$ = selectFrom(this.snapshot$, () => this.metadata, Object.is);
    this.members$ = store.members$(id);
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
   * Sends a message. It is part of {@link messages} immediately. Messages to one lobby arrive in the order of the calls;
   * none is sent twice: after `connection_lost` or `deadline_exceeded` it may or may not have arrived. If it turns out to
   * have arrived, the failed entry is replaced by the message.
   *
   * @param content 1 to 2000 characters, not blanks alone
   * @throws ArgumentError `empty_message`, ValidationError: nothing is shown or sent
   * @throws ApiError `unknown_lobby`, `not_a_lobby_member`; and what {@link LobbyCollection.join} names for all operations
   * @see docs/spec/lobbies.md#send-a-message
   */
  send(content: string, options: SendOptions = {}): Promise<LobbyMessageSnapshot> {
    return this.post(content, options);
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
   * Replaces metadata of the lobby, or of the player as a member. The service identifies the lobby by its secret here, so that it is
   * possible only in lobbies that were joined by {@link LobbyCollection.join} since the client exists. In a lobby that a game server
   * made, only the server changes metadata: by `putMember()` and `edit()` of the backend module's lobbies.
   *
   * @throws ArgumentError `missing_secret`, `invalid_argument`; ValidationError, also when the metadata does not fit the client's schema
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
    this.loaded(hasOlder);
  }

  #draft(content: string, options: SendOptions): OutgoingMessageSnapshot {
    const { clock, ownId, nextDraftId } = this.#parts;
    const userId = ownId();
    const self = userId === undefined ? undefined : this.member(userId);
    return {
      ...draftParts(nextDraftId(), content, options, clock.now()),
      lobbyId: this.id,
      channelId: this.id as string,
      author: self?.user,
      additionalName: self?.additionalName,
      applicationId: this.snapshot?.applicationId,
    };
  }
}
