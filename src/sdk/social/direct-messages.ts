import { ApiError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import {
  type ChannelId,
  compareSnowflakes,
  isSnowflake,
  type MessageId,
  parseSnowflake,
  type UserId,
} from '../../model/snowflake.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { OperationOptions } from '../call-options.ts';
import { Feed } from '../live/feed.ts';
import type { Observable } from '../live/rxjs.ts';
import type { Fields } from '../lobby/fields.ts';
import { LiveList } from '../lobby/live-list.ts';
import { LiveMessages, messagesKeptMax } from '../lobby/live-messages.ts';
import type { LobbyNews } from '../lobby/lobby-news.ts';
import { readText } from '../lobby/lobby-reader.ts';
import { MessageGaps, type MissedOptions } from '../lobby/message-gaps.ts';
import { draftParts } from '../lobby/message-reader.ts';
import type { HistoryOptions, ThreadSendOptions } from '../lobby/message-thread.ts';
import { checkMessage, unreadable } from '../lobby/operations.ts';
import { share } from '../lobby/share.ts';
import { Conversation } from './conversation.ts';
import { peerIn, readDirectMessage, recipientIn } from './message-reader.ts';
import { recordsIn } from './reader.ts';
import type { ConversationSnapshot, DirectMessageSnapshot, OutgoingDirectMessageSnapshot } from './snapshot.ts';
import type { SocialCalls } from './social-calls.ts';

const reading = ['dm_channels.messages.read'];
const writing = ['dm_channels.messages.write'];

interface LiveConversation {
  readonly userId: UserId;
  messages: LiveMessages<DirectMessageSnapshot>;
  readonly feed: Feed<readonly DirectMessageSnapshot[]>;
  handle: Conversation | undefined;
  /** Of the channel that keeps the messages, once there is one. */
  channelId: ChannelId | undefined;
  lastMessageId: MessageId | undefined;
  shown: ConversationSnapshot | undefined;
}

export interface DirectMessagePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly news: LobbyNews;
  /** An invite was sent while the connection was lost. */
  readonly onInvite: (message: Fields) => void;
}

/** A conversation and its last message, as the service lists them. */
export interface MessageSummary {
  readonly userId: UserId;
  /** It may have been deleted. */
  readonly lastMessageId: MessageId | undefined;
}

/**
 * The player's conversations with other users. Needs the scopes `dm_channels.messages.read` and `dm_channels.messages.write`; the
 * list of earlier conversations also `dm_channels.read`.
 *
 * @see docs/spec/social.md#direct-messages
 * @example
 * client.messages.conversations$.subscribe(all => console.log(all.map(({ id, unreadCount }) => `${id}: ${unreadCount}`)));
 * const conversation = await client.messages.open('9');
 * await conversation.send('Ahoy!');
 */
export class DirectMessages {
  /** The newest first. */
  readonly conversations$: Observable<readonly ConversationSnapshot[]>;
  readonly #ports: DirectMessagePorts;
  readonly #social: SocialCalls;
  readonly #live = new Map<UserId, LiveConversation>();
  readonly #peers = new Map<ChannelId, UserId>();
  readonly #list = new LiveList<ConversationSnapshot>([], newestFirst);
  readonly #feed = new Feed(() => this.conversations);
  readonly #gaps: MessageGaps<UserId, DirectMessageSnapshot>;
  /** The last message that was known when a session ended, until the later ones are loaded. */
  readonly #missedAfter = new Map<UserId, MessageId>();
  #draftCount = 0;
  #hasBegun = false;

  /** @internal */
  constructor(social: SocialCalls, ports: DirectMessagePorts) {
    this.#social = social;
    this.#ports = ports;
    this.conversations$ = this.#feed.value$();
    const missed = async (id: UserId, options: MissedOptions) => {
      const { signal } = options;
      const after = this.#missedAfter.get(id);
      const messages = await this.#history('resync', id, options, invite => {
        if (
          after !== undefined &&
          !signal.aborted &&
          isSnowflake(invite.id) &&
          compareSnowflakes(invite.id, after) > 0
        ) {
          ports.onInvite(invite);
        }
      });
      if (!signal.aborted) this.#missedAfter.delete(id);
      return messages;
    };
    this.#gaps = new MessageGaps({ changeMessages: (...change) => this.#change(...change) }, missed, ports.logger);
  }

  get conversations(): readonly ConversationSnapshot[] {
    return this.#list.shown;
  }

  /** How many messages are unread in all conversations. */
  get unreadCount(): number {
    return this.conversations.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  }

  /**
   * The conversation with a user, also when there is none yet; the same object each time. Its messages are those that have arrived
   * since the client connected: {@link open} loads earlier ones.
   *
   * @throws ArgumentError `invalid_snowflake`
   */
  get(userId: UserId): Conversation {
    return this.#handle(this.#open(parseSnowflake<'user'>(userId, 'userId')));
  }

  /**
   * As {@link get}, and loads up to 25 of the newest messages.
   *
   * @throws ArgumentError `invalid_snowflake`, `missing_scope`; what {@link LobbyCollection.join} names for all operations
   */
  async open(userId: UserId, options: OperationOptions = {}): Promise<Conversation> {
    const conversation = this.get(userId);
    await conversation.loadOlder(messagesKeptMax, options);
    return conversation;
  }

  /** The conversations that are kept, as the service lists them. {@link conversations} has them by itself. */
  async summaries(options: OperationOptions = {}): Promise<readonly MessageSummary[]> {
    const operation = { name: 'messages.summaries', route: 'listConversations', request: { path: {} } } as const;
    const { body } = await this.#social.send(['dm_channels.read'], operation, options);
    const read = recordsIn(body).map(({ user_id, last_message_id }) =>
      isSnowflake<'user'>(user_id) ? { userId: user_id, lastMessageId: messageIdOf(last_message_id) } : undefined,
    );
    const summaries = read.filter(one => one !== undefined);
    if (!Array.isArray(body) || summaries.length < body.length) throw unreadable('a list of conversations');
    return Object.freeze(summaries);
  }

  /** @internal A session began; messages that were sent since the one before may be missing. */
  began(ready: Fields): void {
    // What the session before has not loaded is still missing, although its last message is known by now.
    const missing = [...this.#missedAfter.keys()];
    if (this.#hasBegun) for (const { handle, userId } of this.#live.values()) if (handle) missing.push(userId);
    for (const fields of recordsIn(ready.private_channels)) {
      const userId = recipientIn(fields, this.#social.people.ownId);
      if (userId === undefined || fields.type !== 1) continue;
      const last = messageIdOf(fields.last_message_id);
      const known = this.#live.get(userId)?.lastMessageId;
      const live = this.#opened(fields, userId);
      if (this.#hasBegun && last !== undefined && last !== known) {
        live.messages.knowUpTo(known ?? '0');
        if (!this.#missedAfter.has(userId)) this.#missedAfter.set(userId, known ?? '0');
        missing.push(userId);
      }
      this.#newest(live, last);
      this.#put(live);
    }
    this.#hasBegun = true;
    if (this.#social.people.lacks(...reading) === undefined) this.#gaps.open([...new Set(missing)]);
    this.#notify();
  }

  /** @internal */
  setReady(isReady: boolean): void {
    if (isReady) this.#gaps.fill();
  }

  /** @internal Whether there is a conversation with a user. */
  has(userId: UserId): boolean {
    return this.#live.has(userId);
  }

  /** @internal A user is called otherwise. */
  named(userId: UserId): void {
    const live = this.#live.get(userId);
    if (!live) return;
    this.#put(live);
    this.#notify();
  }

  /** @internal Applies a dispatch. @returns whether it is about messages between users */
  apply(name: string, data: unknown): boolean {
    const fields = asRecord(data) ?? {};
    switch (name) {
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE': {
        const userId = recipientIn(fields, this.#social.people.ownId);
        if (userId === undefined || fields.type !== 1) return true;
        const live = this.#opened(fields, userId);
        // Its messages were another user's, whose account was merged, or follow.
        if (name === 'CHANNEL_UPDATE') this.#newest(live, messageIdOf(fields.last_message_id));
        this.#put(live);
        this.#notify();
        return true;
      }
      case 'CHANNEL_DELETE': {
        const live = this.#live.get(this.#peers.get(readText(fields.id) ?? '') as UserId);
        if (live) this.#closed(live);
        this.#notify();
        return true;
      }
      case 'MESSAGE_CREATE':
      case 'MESSAGE_UPDATE': {
        const userId = peerIn(fields, this.#social.people.ownId) ?? this.#peers.get(readText(fields.channel_id) ?? '');
        const message = userId === undefined ? undefined : readDirectMessage(fields, userId);
        if (!message) return true;
        this.#social.people.meet(fields.author);
        if (fields.activity) this.#invited(message);
        else if (name === 'MESSAGE_CREATE') this.#arrived(message);
        else this.#edited(message, fields);
        return true;
      }
      case 'MESSAGE_DELETE': {
        const { id, channel_id } = fields;
        const channelId = readText(channel_id) ?? '';
        const userId = this.#peers.get(channelId) ?? channelId;
        if (isSnowflake<'message'>(id)) this.#change(userId, messages => messages.remove(id));
        return true;
      }
      default:
        return false;
    }
  }

  /** @internal The player has disconnected. */
  forget(): void {
    this.#gaps.stop();
    this.#hasBegun = false;
    this.#peers.clear();
    this.#missedAfter.clear();
    for (const live of this.#live.values()) {
      live.messages = this.#newMessages(live.userId);
      if (live.handle) live.messages.widen(limits.lobbyHistoryMessagesMax);
      live.handle?.forgotten();
      this.#closed(live);
      live.feed.notify();
    }
    this.#notify();
  }

  /** @internal Another player is about to be connected. */
  forgetDrafts(): void {
    for (const { handle } of this.#live.values()) handle?.forgetDrafts();
  }

  /** @internal */
  close(): void {
    this.#gaps.stop();
    this.#feed.complete();
    for (const { feed } of this.#live.values()) feed.complete();
  }

  /** There is a channel with this user. */
  #opened({ id }: Fields, userId: UserId): LiveConversation {
    const live = this.#open(userId);
    if (isSnowflake<'channel'>(id)) {
      const former = this.#live.get(this.#peers.get(id) ?? userId);
      // An account that was merged has left its conversations to another one.
      if (former && former !== live) this.#closed(former);
      live.channelId = id;
      this.#peers.set(id, userId);
    }
    return live;
  }

  #closed(live: LiveConversation): void {
    live.channelId = undefined;
    live.lastMessageId = undefined;
    this.#list.remove(live.userId);
  }

  /** An invite is no message, but the last one that was sent. */
  #invited({ userId, id, channelId, isEphemeral }: DirectMessageSnapshot): void {
    if (isEphemeral) return;
    const live = this.#opened({ id: channelId }, userId);
    this.#newest(live, id);
    this.#put(live);
    this.#notify();
  }

  #arrived(message: DirectMessageSnapshot): void {
    const { userId, id, channelId, isEphemeral } = message;
    const live = this.#open(userId);
    if (!isEphemeral) this.#opened({ id: channelId }, userId);
    this.#newest(live, id);
    this.#change(userId, messages => messages.put(message));
  }

  #edited(message: DirectMessageSnapshot, fields: Fields): void {
    const { userId, content, flags, moderationMetadata, editedAtMs } = message;
    this.#change(userId, messages =>
      messages.edit(message.id, {
        moderationMetadata,
        ...(fields.content !== undefined && { content }),
        ...(fields.flags !== undefined && { flags }),
        ...(editedAtMs !== undefined && { editedAtMs }),
      }),
    );
  }

  #newest(live: LiveConversation, id: MessageId | undefined): void {
    const { lastMessageId: last } = live;
    if (id !== undefined && (last === undefined || compareSnowflakes(id, last) > 0)) live.lastMessageId = id;
  }

  /** Does nothing when there is no such conversation. */
  #change(userId: UserId, change: (messages: LiveMessages<DirectMessageSnapshot>) => void): void {
    const live = this.#live.get(userId);
    if (!live) return;
    change(live.messages);
    live.feed.notify();
    this.#put(live);
    this.#notify();
  }

  #open(userId: UserId): LiveConversation {
    const known = this.#live.get(userId);
    if (known) return known;
    const live: LiveConversation = {
      userId,
      messages: this.#newMessages(userId),
      feed: new Feed(() => live.messages.shown),
      handle: undefined,
      channelId: undefined,
      lastMessageId: undefined,
      shown: undefined,
    };
    this.#live.set(userId, live);
    return live;
  }

  #newMessages(userId: UserId): LiveMessages<DirectMessageSnapshot> {
    return new LiveMessages<DirectMessageSnapshot>((previous, next, isNews) => {
      const message = next ?? previous;
      if (!message || (!previous && !isNews)) return;
      const type = previous ? (next ? 'directMessageUpdated' : 'directMessageDeleted') : 'directMessageReceived';
      this.#ports.news.add({ type, userId, message });
    });
  }

  #handle(live: LiveConversation): Conversation {
    if (live.handle) return live.handle;
    const { userId } = live;
    const people = this.#social.people;
    live.messages.widen(limits.lobbyHistoryMessagesMax);
    live.handle = new Conversation(userId, {
      messages$: live.feed.value$(),
      messages: () => live.messages.shown,
      firstNews: () => live.messages.firstNews,
      changeMessages: change => this.#change(userId, change),
      ownId: () => people.ownId,
      check: checkMessage,
      draft: (content, options) => this.#draft(userId, content, options),
      send: (content, options) => this.#send(userId, content, options),
      history: (name, options) => this.#history(name, userId, options),
      snapshot: () => this.#snapshot(live),
      edit: (...edit) => this.#edit(userId, ...edit),
      remove: (...message) => this.#delete(userId, ...message),
      read: () => {
        this.#put(live);
        this.#notify();
      },
    });
    return live.handle;
  }

  #snapshot(live: LiveConversation): ConversationSnapshot {
    const { userId, handle, messages, channelId, lastMessageId, shown } = live;
    const user = this.#social.people.user(userId);
    const lastMessage = messages.shown.at(-1);
    const news = messages.firstNews;
    const isUnread = ({ id, author }: DirectMessageSnapshot) =>
      author?.id === userId && news !== undefined && compareSnowflakes(id, news) >= 0;
    const next: ConversationSnapshot = {
      id: userId,
      user: user && { id: userId, username: user.username, globalName: user.globalName, displayName: user.displayName },
      lastMessage,
      lastMessageId,
      unreadCount: handle ? handle.unreadCount : messages.shown.filter(isUnread).length,
      disclosure: channelId === undefined ? undefined : 'stored',
    };
    if (next.user) Object.freeze(next.user);
    live.shown = share(shown, Object.freeze(next));
    return live.shown;
  }

  /** Shows the conversation in the list, once there is a message in it. */
  #put(live: LiveConversation): void {
    if (live.lastMessageId === undefined) return;
    const before = live.shown;
    const shown = this.#snapshot(live);
    if (shown !== before || !this.#list.find(live.userId)) this.#list.put(shown);
  }

  #notify(): void {
    this.#feed.notify();
    this.#ports.news.flush();
  }

  #draft(userId: UserId, content: string, options: ThreadSendOptions): OutgoingDirectMessageSnapshot {
    const { people } = this.#social;
    const id = `outgoing-direct-${++this.#draftCount}`;
    const own = people.ownId === undefined ? undefined : people.user(people.ownId);
    return {
      ...draftParts(id, content, options, this.#ports.clock.now()),
      userId,
      channelId: this.#live.get(userId)?.channelId ?? (userId as string),
      author: own,
      applicationId: people.applicationId,
      isEphemeral: false,
    };
  }

  async #send(userId: UserId, content: string, options: ThreadSendOptions): Promise<DirectMessageSnapshot> {
    const body = checkMessage(content, options);
    const request = { path: { user_id: userId }, body };
    const operation = { name: 'messages.send', route: 'createDirectMessage', request, order: userId } as const;
    const message = readDirectMessage((await this.#social.send(writing, operation, options)).body, userId);
    if (!message) throw unreadable('a message');
    // The event may come before or after, or not at all where the player may only write.
    this.#arrived(Object.freeze({ ...message, metadata: Object.freeze({ ...options.metadata }) }));
    return message;
  }

  async #edit(userId: UserId, id: MessageId, content: string, options: OperationOptions) {
    const request = { path: { user_id: userId, message_id: id }, body: checkMessage(content, {}) };
    const operation = { name: 'messages.edit', route: 'editDirectMessage', request } as const;
    const answer = asRecord((await this.#social.send(writing, operation, options)).body) ?? {};
    const message = readDirectMessage(answer, userId);
    if (!message) throw unreadable('a message');
    this.#edited(message, answer);
    return message;
  }

  async #delete(userId: UserId, id: MessageId, options: OperationOptions): Promise<void> {
    const request = { path: { user_id: userId, message_id: id } };
    await this.#social.send(writing, { name: 'messages.delete', route: 'deleteDirectMessage', request }, options);
    this.#change(userId, messages => messages.remove(id));
  }

  /**
   * The newest messages, oldest first; none when there is no conversation yet. Invites are no messages.
   *
   * @param onInvite receives those among them, oldest first
   */
  async #history(
    name: string,
    userId: UserId,
    { limit: wanted, ...options }: HistoryOptions,
    onInvite: (message: Fields) => void = () => {},
  ): Promise<readonly DirectMessageSnapshot[]> {
    const max = limits.lobbyHistoryMessagesMax;
    const next = this.#social.calls.sharedDeadline(options);
    for (let limit = wanted; ; limit = Math.min(max, limit * 2)) {
      const request = { path: { user_id: userId }, query: { limit: String(limit) } };
      const operation = { name: `messages.${name}`, route: 'listDirectMessages', request } as const;
      const body = await this.#social.send(reading, operation, next()).then(answer => answer.body, asNone);
      if (!Array.isArray(body)) throw unreadable('a list of messages');
      const listed = recordsIn(body);
      const read = listed.map(one => (one.activity ? undefined : readDirectMessage(one, userId)));
      const messages = new LiveList(read.filter(one => one !== undefined)).shown;
      // Invites may have taken the places of messages.
      if (messages.length < wanted && body.length >= limit && limit < max) continue;
      for (const one of listed.toReversed()) if (one.activity) onInvite(one);
      return messages.slice(-wanted);
    }
  }
}

function asNone(error: unknown): readonly never[] {
  if (error instanceof ApiError && error.status === 404) return [];
  throw error;
}

function messageIdOf(value: unknown): MessageId | undefined {
  return isSnowflake<'message'>(value) ? value : undefined;
}

function newestFirst(a: ConversationSnapshot, b: ConversationSnapshot): number {
  return compareSnowflakes(b.lastMessageId ?? '0', a.lastMessageId ?? '0') || compareSnowflakes(a.id, b.id);
}
