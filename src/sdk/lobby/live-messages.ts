import type { Metadata } from '../../model/lobby.ts';
import { compareSnowflakes, type MessageId } from '../../model/snowflake.ts';
import { LiveList } from './live-list.ts';
import { share } from './share.ts';
import type { LobbyMessageSnapshot } from './snapshot.ts';

/** How many of a lobby's messages are kept until the game takes a handle of the lobby. @see docs/spec/client.md#histories */
export const messagesKeptMax = 25;

// Unspecified: many times what a lobby receives while its history is requested.
const heldMax = 1000;

/**
 * A message appeared, changed or was removed: `before` or `after` is undefined. `isNews` is false for messages that were
 * sent before the client followed the lobby.
 */
export type MessageListener<Message = LobbyMessageSnapshot> = (
  before: Message | undefined,
  after: Message | undefined,
  isNews: boolean,
) => void;

/** A message of any conversation, as much as keeping it in order needs. */
export interface KeptMessage {
  readonly id: MessageId;
  readonly metadata: Metadata;
  /** No history has it. */
  readonly isEphemeral?: boolean;
}

interface HeldChange {
  readonly id: MessageId;
  readonly isNew: boolean;
  readonly apply: () => void;
}

/**
 * The newest messages of one lobby, or of one conversation, from when the client first knew it.
 *
 * While some may be missing, changes are held back, so that no message is shown before one that was sent earlier:
 * {@link hold} begins that, {@link fill} or {@link release} ends it, each for one loader of history.
 */
export class LiveMessages<Message extends KeptMessage = LobbyMessageSnapshot> {
  readonly #list = new LiveList<Message>();
  readonly #onChange: MessageListener<Message> | undefined;
  readonly #loaders = new Set<object>();
  #held: HeldChange[] = [];
  #max = messagesKeptMax;
  /** The history from before the client knew the lobby was loaded, even if it was empty. */
  #hasHistory = false;
  #firstNews: MessageId | undefined;
  /** Later ones are news, even if no earlier one is kept. */
  #knownUpTo: MessageId | undefined;

  constructor(onChange?: MessageListener<Message>) {
    this.#onChange = onChange;
  }

  /** Oldest first; frozen; the same object until something changes. */
  get shown(): readonly Message[] {
    return this.#list.shown;
  }

  /** How many are kept. */
  get max(): number {
    return this.#max;
  }

  /** The oldest message that was sent since the client follows the lobby; undefined when there is none. */
  get firstNews(): MessageId | undefined {
    return this.#firstNews;
  }

  /** Keeps up to `max` from now on, if that is more than before. */
  widen(max: number): void {
    this.#max = Math.max(this.#max, max);
  }

  /** Messages after this one were sent since the client follows the conversation, whether or not it has earlier ones. */
  knowUpTo(id: MessageId): void {
    this.#knownUpTo ??= id;
  }

  put(message: Message): void {
    this.#now(message.id, true, () => this.#put(message, true));
  }

  /** Changes one that is kept; others are ignored. */
  edit(id: MessageId, change: Partial<Message>): void {
    this.#now(id, false, () => {
      const message = this.#list.find(id);
      if (message) this.#put(Object.freeze({ ...message, ...change }), false);
    });
  }

  remove(id: MessageId): void {
    this.#now(id, false, () => this.#remove(id));
  }

  /** Some messages may be missing until `loader` has loaded them: nothing is shown until then. */
  hold(loader: object): void {
    this.#loaders.add(loader);
  }

  /**
   * Merges what the service keeps, then applies what arrived meanwhile. Kept messages that the history should contain and
   * does not were deleted. Does nothing unless `loader` holds the messages.
   *
   * @param history the newest messages, in any order
   * @param withOlder also takes messages that are older than all that are kept
   */
  fill(loader: object, history: readonly Message[], withOlder = false): void {
    if (!this.#loaders.has(loader)) return;
    const kept = this.#list.shown;
    const loaded = new LiveList(history);
    const oldestKept = kept[0]?.id;
    const newestKept = kept.at(-1)?.id;
    const [oldestLoaded] = loaded.shown;
    for (const { id, isEphemeral } of kept) {
      if (!isEphemeral && oldestLoaded && isNotBefore(id, oldestLoaded.id) && !loaded.find(id)) this.#remove(id);
    }
    const arrived = new Set(this.#held.filter(({ isNew }) => isNew).map(({ id }) => id));
    for (const message of loaded.shown) {
      const { id } = message;
      if (!withOlder && oldestKept !== undefined && !isNotBefore(id, oldestKept)) continue;
      const isNews =
        newestKept === undefined
          ? this.#hasHistory || (this.#knownUpTo !== undefined && compareSnowflakes(id, this.#knownUpTo) > 0)
          : isNotBefore(id, withOlder ? newestKept : oldestKept);
      this.#putAgain(message, isNews || arrived.has(id));
    }
    if (withOlder) this.#hasHistory = true;
    this.release(loader);
  }

  /** Shows what was held back for `loader`, even if messages are still missing. */
  release(loader: object): void {
    if (this.#loaders.delete(loader) && this.#loaders.size === 0) this.#applyHeld();
  }

  #now(id: MessageId, isNew: boolean, apply: () => void): void {
    if (this.#loaders.size === 0) apply();
    else if (this.#held.push({ id, isNew, apply }) >= heldMax) {
      this.#loaders.clear();
      this.#applyHeld();
    }
  }

  #applyHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const { apply } of held) apply();
  }

  // Metadata of a message is in live events only: history does not have it.
  #putAgain(message: Message, isNews: boolean): void {
    const metadata = this.#list.find(message.id)?.metadata;
    this.#put(metadata ? Object.freeze({ ...message, metadata }) : message, isNews);
  }

  #put(message: Message, isNews: boolean): void {
    const present = this.#list.find(message.id);
    const shared = share(present, message);
    if (shared === present) return;
    if (!present && this.#list.size >= this.#max) {
      const [oldest] = this.#list.shown;
      if (!oldest || isNotBefore(oldest.id, message.id)) return;
      this.#list.remove(oldest.id);
    }
    this.#list.put(shared);
    if (!present && isNews && !isNotBefore(message.id, this.#firstNews)) this.#firstNews = message.id;
    this.#onChange?.(present, shared, isNews);
  }

  #remove(id: MessageId): void {
    const present = this.#list.find(id);
    if (!present) return;
    this.#list.remove(id);
    this.#onChange?.(present, undefined, true);
  }
}

/** False when there is no `b`. */
function isNotBefore(a: MessageId, b: MessageId | undefined): boolean {
  return b !== undefined && compareSnowflakes(a, b) >= 0;
}
