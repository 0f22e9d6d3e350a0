import { compareSnowflakes, type MessageId } from '../../model/snowflake.ts';
import type { MessageEdit } from './event.ts';
import { LiveList } from './live-list.ts';
import { share } from './share.ts';
import type { LobbyMessageSnapshot, LobbyMessages } from './snapshot.ts';

/** How many of a lobby's messages are kept. @see docs/spec/client.md#histories */
export const messagesKeptMax = 25;

// Our choice: many times what a lobby says while its history is asked for.
const heldMax = 1000;

/**
 * The newest messages of one lobby as they come, from when the client first heard of the lobby.
 *
 * While it is known that some may be missing, what comes is held back, so that nobody is shown a message before one
 * that was sent earlier: {@link hold} begins that, {@link fill} or {@link release} ends it.
 */
export class LiveMessages {
  readonly #list = new LiveList<LobbyMessageSnapshot>();
  #held: (() => void)[] | undefined;

  /** Oldest first; frozen; the same object until something changes. */
  get shown(): LobbyMessages {
    return this.#list.shown;
  }

  put(message: LobbyMessageSnapshot): void {
    this.#now(() => this.#put(message));
  }

  /** Changes one that is kept; others are passed over. */
  edit(id: MessageId, change: MessageEdit): void {
    this.#now(() => {
      const message = this.#list.find(id);
      if (message) this.#put(Object.freeze({ ...message, ...change }));
    });
  }

  remove(id: MessageId): void {
    this.#now(() => void this.#list.remove(id));
  }

  /** Some may have been missed: from now on nothing is shown. */
  hold(): void {
    this.#held ??= [];
  }

  /**
   * Takes in what the service keeps, then what came meanwhile. Of what is kept here, whatever the history should have
   * and has not was deleted; of the history, what is older than all that is kept here was never followed. Does nothing
   * unless it is waited for.
   *
   * @param history the newest messages, in any order
   */
  fill(history: LobbyMessages): void {
    if (!this.#held) return;
    const kept = this.#list.shown;
    const told = new LiveList(history);
    const [oldestKept] = kept;
    const [oldestTold] = told.shown;
    for (const { id } of kept) {
      if (oldestTold && isNotBefore(id, oldestTold.id) && !told.find(id)) this.#list.remove(id);
    }
    for (const message of told.shown) {
      if (!oldestKept || isNotBefore(message.id, oldestKept.id)) this.#putAgain(message);
    }
    this.release();
  }

  /** Shows what was held back, whatever may be missing. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const change of held) change();
  }

  #now(change: () => void): void {
    if (!this.#held) change();
    else if (this.#held.push(change) >= heldMax) this.release();
  }

  // What was sent along with a message is said once, live: history does not have it.
  #putAgain(message: LobbyMessageSnapshot): void {
    const metadata = this.#list.find(message.id)?.metadata;
    this.#put(metadata ? Object.freeze({ ...message, metadata }) : message);
  }

  #put(message: LobbyMessageSnapshot): void {
    const present = this.#list.find(message.id);
    const shared = share(present, message);
    if (shared === present) return;
    if (!present && this.#list.size >= messagesKeptMax) {
      const [oldest] = this.#list.shown;
      if (!oldest || isNotBefore(oldest.id, message.id)) return;
      this.#list.remove(oldest.id);
    }
    this.#list.put(shared);
  }
}

function isNotBefore(a: MessageId, b: MessageId): boolean {
  return compareSnowflakes(a, b) >= 0;
}
