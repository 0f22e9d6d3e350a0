import { ArgumentError, type RallypointError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { Metadata } from '../../model/lobby.ts';
import { compareSnowflakes, type MessageId, type UserId } from '../../model/snowflake.ts';
import type { OperationOptions } from '../call-options.ts';
import { Feed } from '../live/feed.ts';
import { Observable } from '../live/rxjs.ts';
import { type LiveMessages, messagesKeptMax } from './live-messages.ts';
import { type DraftMessage, Outbox, type SentMessage } from './outbox.ts';

/** What a {@link MessageThread} shows and how it reaches the service. */
export interface ThreadSource<Message extends SentMessage, Draft extends DraftMessage> {
  readonly messages$: Observable<readonly Message[]>;
  messages(): readonly Message[];
  /** From which message on they arrived since the client follows the thread; undefined when none did. */
  firstNews(): MessageId | undefined;
  changeMessages(change: (messages: LiveMessages<Message>) => void): void;
  ownId(): UserId | undefined;
  /** @throws before anything is shown, when the message cannot be sent */
  check(content: string, options: ThreadSendOptions): void;
  draft(content: string, options: ThreadSendOptions): Draft;
  send(content: string, options: ThreadSendOptions): Promise<Message>;
  history(name: string, options: HistoryOptions): Promise<readonly Message[]>;
}

export interface HistoryOptions extends OperationOptions {
  /** How many at most, 1 to 200. */
  readonly limit: number;
}

export interface ThreadSendOptions extends OperationOptions {
  readonly metadata?: Metadata | undefined;
  readonly flags?: number | undefined;
}

/** The messages of a lobby or of a conversation between two users: history, live messages and those on their way in one list. */
export abstract class MessageThread<Message extends SentMessage, Draft extends DraftMessage> {
  readonly messages$: Observable<readonly (Message | Draft)[]>;
  readonly unreadCount$: Observable<number>;
  readonly #source: ThreadSource<Message, Draft>;
  readonly #outbox = new Outbox<Message, Draft>();
  readonly #entries = new Feed<readonly (Message | Draft)[]>(() => this.messages);
  readonly #unread = new Feed<number>(() => this.unreadCount);
  #readUpTo: MessageId | undefined;
  #hasOlder = true;

  /** @internal */
  constructor(source: ThreadSource<Message, Draft>) {
    this.#source = source;
    this.messages$ = this.#streamOf(this.#entries);
    this.unreadCount$ = this.#streamOf(this.#unread);
  }

  /**
   * History and live messages in one list, each once, oldest first: up to 200 that the service has, then those that this
   * client is sending (`status: 'pending'`) or failed to send (`status: 'failed'`, with `error`). Messages that were missed
   * while the connection was lost are inserted before newer ones are shown.
   */
  get messages(): readonly (Message | Draft)[] {
    return this.#outbox.merge(this.#messages, this.#source.ownId());
  }

  /** Whether {@link loadOlder} may find more. */
  get hasOlder(): boolean {
    return this.#hasOlder && this.#messages.length < limits.lobbyHistoryMessagesMax;
  }

  /** How many messages of others arrived since {@link markRead}, counting up to the 200 that are kept. */
  get unreadCount(): number {
    const first = this.#source.firstNews();
    if (first === undefined) return 0;
    const ownId = this.#source.ownId();
    const read = this.#readUpTo;
    const isUnread = ({ id, author }: Message) =>
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

  /** @see {@link send} */
  protected async post(content: string, options: ThreadSendOptions): Promise<Message> {
    const source = this.#source;
    source.check(content, options);
    const draft = source.draft(content, options);
    this.#outbox.add(draft, this.#messages);
    this.#entries.notify();
    try {
      const message = await source.send(content, options);
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
   * @throws as `send`
   */
  async resend(id: string, options: OperationOptions = {}): Promise<Message | undefined> {
    const failed = this.#outbox.take(id);
    return failed && this.post(failed.content, { metadata: failed.metadata, flags: failed.flags, ...options });
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
    const source = this.#source;
    const max = limits.lobbyHistoryMessagesMax;
    if (!Number.isInteger(Math.min(max, count)) || count < 1) {
      throw new ArgumentError('invalid_limit', `count must be a whole number of at least 1 (got ${count}).`);
    }
    const limit = Math.min(max, this.#messages.length + count);
    const loader = {};
    source.changeMessages(messages => messages.hold(loader));
    try {
      const history = await source.history('loadOlder', { ...options, limit });
      source.changeMessages(messages => messages.fill(loader, history, true));
      this.#hasOlder = history.length === limit && limit < max;
      return this.#hasOlder;
    } finally {
      source.changeMessages(messages => messages.release(loader));
    }
  }

  /** @internal All messages there are have been loaded, unless `hasOlder`. */
  protected loaded(hasOlder: boolean): void {
    this.#hasOlder &&= hasOlder;
  }

  /** @internal The messages were forgotten, or are about to be. */
  forgotten(): void {
    this.#hasOlder = true;
    this.#outbox.forget();
  }

  /** @internal Another player is about to be connected: what is pending or failed is none of theirs. */
  forgetDrafts(): void {
    this.#outbox.clear();
    this.#entries.notify();
  }

  get #messages(): readonly Message[] {
    return this.#source.messages();
  }

  /** What a feed shows of the messages, kept current while it is subscribed to. */
  #streamOf<Value>(feed: Feed<Value>): Observable<Value> {
    let source: { unsubscribe(): void } | undefined;
    let isClosed = false;
    return new Observable(subscriber => {
      source ??= this.#source.messages$.subscribe({
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
