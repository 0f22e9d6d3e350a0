import { Observable } from 'rxjs/internal/Observable';
import type { Subscriber } from 'rxjs/internal/Subscriber';

/**
 * One value that changes. Who watches gets the present value first, and later the newest whenever it has changed:
 * changes of one turn come as one. It never errors, and completes with {@link close}.
 */
export class Watched<Value> {
  readonly stream$: Observable<Value>;
  readonly #read: () => Value;
  readonly #watchers = new Set<Subscriber<Value>>();
  #isDue = false;
  #isClosed = false;

  /** @param read gives the present value; asked only for those who watch */
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
    queueMicrotask(() => this.#tell());
  }

  /** Tells what is still to be told. Idempotent. */
  close(): void {
    this.#tell();
    this.#isClosed = true;
    for (const watcher of [...this.#watchers]) watcher.complete();
  }

  #tell(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    const value = this.#read();
    for (const watcher of [...this.#watchers]) watcher.next(value);
  }
}
