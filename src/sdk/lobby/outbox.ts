import { ApiError, type RallypointError, TransportError } from '../../model/errors/errors.ts';
import { compareSnowflakes, type MessageId, type UserId } from '../../model/snowflake.ts';
import { emptyList } from './live-list.ts';
import type { KeptMessage } from './live-messages.ts';
import { shareItems } from './share.ts';
import type { LobbyMessageSnapshot, OutgoingMessageSnapshot, UserSnapshot } from './snapshot.ts';

/** How many failed messages of a lobby are kept for {@link LobbyHandle.resend}; beyond it the oldest is dropped. */
export const failedMessagesMax = 25;

/** A message that the service has. */
export interface SentMessage extends KeptMessage {
  readonly key: string;
  readonly author: UserSnapshot | undefined;
  readonly content: string;
  readonly status: 'sent';
}

/** One that this client is sending. */
export interface DraftMessage
  extends Pick<OutgoingMessageSnapshot, 'id' | 'key' | 'content' | 'metadata' | 'flags' | 'error'> {
  readonly status: 'pending' | 'failed';
}

interface Outgoing<Message, Draft> {
  shown: Draft;
  /** The newest message that was known when it was sent: its own copy is newer. */
  readonly after: MessageId | undefined;
  /** The service's answer; kept until the gateway has delivered the message as well. */
  sent: Message | undefined;
}

/**
 * The messages of one lobby that this client is sending, and how they fit into those that the service has.
 *
 * The interface carries nothing that would connect a delivered message with its call, so that a message delivered before
 * the answer is recognized by its author and content. A lobby's messages are sent one after another: only the first that
 * is pending, or one whose fate is unknown, can have been delivered.
 */
export class Outbox<
  Message extends SentMessage = LobbyMessageSnapshot,
  Draft extends DraftMessage = OutgoingMessageSnapshot,
> {
  readonly #outgoing: Outgoing<Message, Draft>[] = [];
  /** Delivered messages whose call is finished: they belong to no other. */
  readonly #settled = new Set<MessageId>();
  /** Of messages that this client has sent: their ids, with the keys that their entries had before. */
  readonly #keys = new Map<MessageId, string>();
  readonly #keyed = new WeakMap<Message, Message>();
  /** What was merged last. */
  #list: readonly (Message | Draft)[] = emptyList;
  /** The messages that it was merged with; undefined when something else has changed since. */
  #merged: readonly Message[] | undefined;

  add(shown: Draft, messages: readonly Message[]): void {
    this.#outgoing.push({ shown: Object.freeze(shown), after: messages.at(-1)?.id, sent: undefined });
    this.#merged = undefined;
  }

  sent(id: string, message: Message): void {
    const outgoing = this.#find(id);
    if (outgoing) {
      // Metadata of a message is in live events only, and the event may come after the answer.
      const { metadata } = outgoing.shown;
      outgoing.sent = Object.keys(message.metadata).length > 0 ? message : Object.freeze({ ...message, metadata });
      this.#release(outgoing.shown.key);
      this.#keys.set(message.id, outgoing.shown.key);
    }
    this.#settled.add(message.id);
    this.#merged = undefined;
  }

  failed(id: string, error: RallypointError): void {
    const outgoing = this.#find(id);
    if (outgoing) {
      this.#release(outgoing.shown.key);
      outgoing.shown = Object.freeze({ ...outgoing.shown, status: 'failed' as const, error });
    }
    const failed = this.#outgoing.filter(({ shown }) => shown.status === 'failed');
    for (const { shown } of failed.slice(0, -failedMessagesMax)) this.#drop(shown.id);
    this.#merged = undefined;
  }

  /** @returns the failed message, which is no longer kept; undefined when there is none of that id */
  take(id: string): Draft | undefined {
    const found = this.#find(id);
    if (found?.shown.status !== 'failed') return undefined;
    this.#drop(id);
    this.#merged = undefined;
    return found.shown;
  }

  /** The service's messages were forgotten: those that were sent belong to them, those that are pending or failed stay. */
  forget(): void {
    for (const { sent, shown } of [...this.#outgoing]) if (sent) this.#drop(shown.id);
    this.#merged = undefined;
  }

  /** Nothing is being sent any more, and what failed is not kept. */
  clear(): void {
    this.#outgoing.length = 0;
    this.#merged = undefined;
  }

  /**
   * The messages in one frozen list, each once: those of the service by id, then those that are pending or failed, in the
   * order of the calls. The same object until something changes.
   */
  merge(messages: readonly Message[], ownId: UserId | undefined): readonly (Message | Draft)[] {
    if (this.#outgoing.length === 0 && this.#keys.size === 0) return messages;
    if (this.#merged !== messages) this.#list = shareItems(this.#list, this.#merge(messages, ownId));
    this.#merged = messages;
    return this.#list;
  }

  #merge(messages: readonly Message[], ownId: UserId | undefined): readonly (Message | Draft)[] {
    const delivered = new Set(messages.map(({ id }) => id));
    for (const { sent, shown } of [...this.#outgoing]) if (sent && delivered.has(sent.id)) this.#drop(shown.id);
    const claimed = new Set(this.#settled);
    const isHidden = new Set<Outgoing<Message, Draft>>();
    const firstPending = this.#outgoing.find(({ sent, shown }) => !sent && shown.status === 'pending');
    for (const outgoing of [...this.#outgoing]) {
      const { shown, after, sent } = outgoing;
      const mayBeDelivered = !sent && (outgoing === firstPending || isUncertain(shown.error));
      const copy = mayBeDelivered ? messages.find(message => isCopy(message, shown, after, ownId, claimed)) : undefined;
      if (!copy) continue;
      claimed.add(copy.id);
      this.#keys.set(copy.id, shown.key);
      if (shown.status === 'pending') isHidden.add(outgoing);
      else {
        this.#settled.add(copy.id);
        this.#drop(shown.id);
      }
    }
    const known = this.#outgoing.flatMap(({ sent }) => (sent ? [sent] : []));
    const waiting = this.#outgoing.filter(outgoing => !outgoing.sent && !isHidden.has(outgoing));
    if (this.#outgoing.length === 0) this.#settled.clear();
    const inOrder =
      known.length === 0 ? messages : [...messages, ...known].sort((a, b) => compareSnowflakes(a.id, b.id));
    for (const id of this.#keys.keys()) if (!inOrder.some(message => message.id === id)) this.#keys.delete(id);
    if (this.#keys.size === 0 && known.length === 0 && waiting.length === 0) return messages;
    return [...inOrder.map(message => this.#withKey(message)), ...waiting.map(({ shown }) => shown)];
  }

  /** The message as its entry shows it: the same object each time. */
  #withKey(message: Message): Message {
    const key = this.#keys.get(message.id);
    if (key === undefined) return message;
    const known = this.#keyed.get(message);
    if (known?.key === key) return known;
    const keyed = Object.freeze({ ...message, key });
    this.#keyed.set(message, keyed);
    return keyed;
  }

  /** No message has the key of this entry, although one was taken for it. */
  #release(key: string): void {
    for (const [id, own] of this.#keys) if (own === key) this.#keys.delete(id);
  }

  #find(id: string): Outgoing<Message, Draft> | undefined {
    return this.#outgoing.find(({ shown }) => shown.id === id);
  }

  #drop(id: string): void {
    const place = this.#outgoing.findIndex(({ shown }) => shown.id === id);
    if (place >= 0) this.#outgoing.splice(place, 1);
  }
}

function isCopy(
  message: SentMessage,
  { content }: DraftMessage,
  after: MessageId | undefined,
  ownId: UserId | undefined,
  claimed: ReadonlySet<MessageId>,
): boolean {
  const isNewer = after === undefined || compareSnowflakes(message.id, after) > 0;
  return isNewer && message.content === content && message.author?.id === ownId && !claimed.has(message.id);
}

/** The service may have processed the call although it failed. */
function isUncertain(error: RallypointError | undefined): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  return error instanceof TransportError && error.code !== 'client_not_ready' && error.code !== 'unreachable';
}
