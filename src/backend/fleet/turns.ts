import { ArgumentError } from '../../model/errors/errors.ts';

// A longer queue means that a caller is out of control.
const waitingMax = 10_000;

/** Runs operations on one key one after another, and those on different keys concurrently. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();
  #waiting = 0;

  /** @throws ArgumentError `too_many_waiting`; what the work throws */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= waitingMax) {
      throw new ArgumentError(
        'too_many_waiting',
        `More than ${waitingMax} lobby operations are waiting. Wait for some of them before you start more.`,
      );
    }
    const before = this.#last.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#last.set(key, ended);
    this.#waiting++;
    try {
      await before;
      return await work();
    } finally {
      this.#waiting--;
      if (this.#last.get(key) === ended) this.#last.delete(key);
      end();
    }
  }
}

// Enough to use the global rate limit over a slow connection, few enough not to delay all other calls.
const width = 16;

/** Processes a list, several items concurrently. Resolves when all are done; rejects with the first failure. */
export async function sideBySide<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
