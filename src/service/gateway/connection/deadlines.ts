import { type Cancel, type Clock, steadyNow } from '../../../wire/clock/ports.ts';

/**
 * Calls `onDue` for every item that is not touched for `spanMs`. All items share one timer. Setting the clock has no
 * effect.
 */
export class Deadlines<Item> {
  readonly #clock: Clock;
  readonly #spanMs: number;
  readonly #onDue: (item: Item) => void;
  // In the order of their deadlines, because all wait equally long.
  readonly #dueMs = new Map<Item, number>();
  #timer: Cancel | undefined;

  constructor(clock: Clock, spanMs: number, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#spanMs = spanMs;
    this.#onDue = onDue;
  }

  /**
   * Starts or restarts the item's wait.
   *
   * @param sinceMs when the wait began, not before that of any item; default: now
   */
  touch(item: Item, sinceMs?: number): void {
    const nowMs = steadyNow(this.#clock);
    const waitedMs = sinceMs === undefined ? 0 : Math.max(0, this.#clock.now() - sinceMs);
    const dueMs = nowMs + this.#spanMs - waitedMs;
    this.#dueMs.delete(item);
    this.#dueMs.set(item, dueMs);
    this.#timer ??= this.#clock.schedule(dueMs - nowMs, () => this.#sweep());
  }

  /** How many items wait. */
  get size(): number {
    return this.#dueMs.size;
  }

  /** The item that was touched least recently. */
  get first(): Item | undefined {
    return this.#dueMs.keys().next().value;
  }

  drop(item: Item): void {
    this.#dueMs.delete(item);
  }

  /** Removes all items. */
  close(): void {
    this.#dueMs.clear();
    this.#timer?.();
    this.#timer = undefined;
  }

  #sweep(): void {
    this.#timer = undefined;
    const nowMs = steadyNow(this.#clock);
    for (const [item, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) {
        this.#timer ??= this.#clock.schedule(dueMs - nowMs, () => this.#sweep());
        return;
      }
      this.#dueMs.delete(item);
      this.#onDue(item);
    }
  }
}
