import type { Subscriber } from './rxjs.ts';

/**
 * One value that changes, and who watches it: each watcher gets the present value first, then every other one that
 * comes, never the same twice in a row. It never errors.
 *
 * A watcher may change the value while it is told of one; the others then hear of the newer one only.
 */
export class Feed<Value> {
  readonly #read: () => Value;
  readonly #watchers = new Set<Subscriber<Value>>();
  #told: Value | undefined;

  /** @param read gives the present value */
  constructor(read: () => Value) {
    this.#read = read;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** @returns what ends the watch */
  watch(watcher: Subscriber<Value>): () => void {
    // Whoever watches already hears of a change first, or the newcomer would be told of it a second time.
    if (this.isWatched) this.tell();
    else this.#told = this.#read();
    this.#watchers.add(watcher);
    watcher.next(this.#told as Value);
    return () => this.#watchers.delete(watcher);
  }

  /** The value may have changed. Costs nothing while nobody watches: the value is not even read. */
  tell(): void {
    if (!this.isWatched) return;
    const value = this.#read();
    if (value === this.#told) return;
    this.#told = value;
    for (const watcher of [...this.#watchers]) {
      watcher.next(value);
      if (this.#told !== value) return; // everybody has been told of something newer meanwhile
    }
  }

  complete(): void {
    for (const watcher of [...this.#watchers]) watcher.complete();
  }
}
