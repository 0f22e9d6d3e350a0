import type { Metadata } from '../../model/lobby.ts';
import { type MessageId, parseSnowflake, type UserId } from '../../model/snowflake.ts';
import type { OperationOptions } from '../call-options.ts';
import { MessageThread, type ThreadSource } from '../lobby/message-thread.ts';
import type {
  ConversationSnapshot,
  DirectMessageEntry,
  DirectMessageSnapshot,
  OutgoingDirectMessageSnapshot,
} from './snapshot.ts';

export interface DirectSendOptions extends OperationOptions {
  /** Delivered with the text to those who are connected, and not stored. At most 25 entries. */
  readonly metadata?: Metadata | undefined;
  /** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS of {@link messageFlags}. Default: none. */
  readonly flags?: number | undefined;
}

/** @internal What a conversation needs of the collection it belongs to. */
export interface ConversationParts extends ThreadSource<DirectMessageSnapshot, OutgoingDirectMessageSnapshot> {
  snapshot(): ConversationSnapshot;
  edit(id: MessageId, content: string, options: OperationOptions): Promise<DirectMessageSnapshot>;
  remove(id: MessageId, options: OperationOptions): Promise<void>;
  read(): void;
}

/**
 * The conversation between the player and another user: its messages as they come, and what the player can do in it.
 *
 * @see docs/spec/social.md#direct-messages
 */
export class Conversation extends MessageThread<DirectMessageSnapshot, OutgoingDirectMessageSnapshot> {
  /** The other user's. */
  readonly userId: UserId;
  readonly #parts: ConversationParts;

  /** @internal Conversations come from {@link DirectMessages.get} and {@link DirectMessages.open}. */
  constructor(userId: UserId, parts: ConversationParts) {
    super(parts);
    this.userId = userId;
    this.#parts = parts;
  }

  get snapshot(): ConversationSnapshot {
    return this.#parts.snapshot();
  }

  /** {@link ConversationSnapshot.disclosure}: what to tell the player before the first message. */
  get disclosure(): ConversationSnapshot['disclosure'] {
    return this.snapshot.disclosure;
  }

  /** A message of {@link messages}, by its id or that of an entry. */
  message(id: string): DirectMessageEntry | undefined {
    return this.messages.find(message => message.id === id);
  }

  override markRead(): void {
    super.markRead();
    this.#parts.read();
  }

  /**
   * Sends a message. It is part of {@link messages} immediately. Messages to one user arrive in the order of the calls; none is
   * sent twice: after `connection_lost` or `deadline_exceeded` it may or may not have arrived.
   *
   * @param content 1 to 2000 characters, not blanks alone
   * @throws ArgumentError `empty_message`, `missing_scope`; ValidationError: nothing is sent
   * @throws ApiError `cannot_send_to_user`, `no_mutual_guilds`, `provisional_user_offline`, `game_friend_messages_off`,
   *   `invalid_recipient`, `unknown_user`; and what {@link LobbyCollection.join} names for all operations
   * @see docs/spec/social.md#messages
   */
  send(content: string, options: DirectSendOptions = {}): Promise<DirectMessageSnapshot> {
    return this.post(content, options);
  }

  /** Replaces the text of one of the player's own messages. @throws ApiError `not_the_author`, `unknown_message`; as {@link send} */
  async edit(id: MessageId, content: string, options: OperationOptions = {}): Promise<DirectMessageSnapshot> {
    return this.#parts.edit(parseSnowflake<'message'>(id, 'id'), content, options);
  }

  /** Deletes one of the player's own messages. @throws ApiError `not_the_author`, `unknown_message` */
  async delete(id: MessageId, options: OperationOptions = {}): Promise<void> {
    await this.#parts.remove(parseSnowflake<'message'>(id, 'id'), options);
  }

  /** @internal The newest messages were loaded. */
  opened(hasOlder: boolean): void {
    this.loaded(hasOlder);
  }
}
