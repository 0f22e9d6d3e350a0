import { Observable } from 'rxjs/internal/Observable';
import type { Subscriber } from 'rxjs/internal/Subscriber';

/**
 * An observable value. A subscriber gets the current value first, and later the newest one whenever it has changed:
 * changes of one turn are one emission. It never errors, and completes with {@link close}.
 */
export class Watched<Value> {
  readonly stream$: Observable<Value>;
  readonly #read: () => Value;
  readonly #watchers = new Set<Subscriber<Value>>();
  #isDue = false;
  #isClosed = false;

  /** @param read returns the current value; called only while there are subscribers */
  constructor(read: () => Value) {
    this.#read = read;
    this.stream$ = new Observable(watcher => {
      watcher.next(this.#read());
      if (this.#isClosed) watcher.complete();
      else this.#watchers.add(watcher);
      return () => this.#watchers.delete(watcher);
    });
  }

  changed(): void {
    if (this.#isDue || this.#watchers.size === 0) return;
    this.#isDue = true;
    queueMicrotask(() => this.#emit());
  }

  /** Emits a pending change, then completes. Idempotent. */
  close(): void {
    this.#emit();
    this.#isClosed = true;
    for (const watcher of [...this.#watchers]) watcher.complete();
  }

  #emit(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    const value = this.#read();
    for (const watcher of [...this.#watchers]) watcher.next(value);
  }
}
