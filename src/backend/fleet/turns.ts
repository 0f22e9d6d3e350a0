import { ArgumentError } from '../../model/errors/errors.ts';

// Our choice: whoever has more waiting than this has lost control of its callers.
const waitingMax = 10_000;

/** Works about one key take turns; those about different keys go side by side. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();
  #waiting = 0;

  /** @throws ArgumentError `too_many_waiting`; what the work throws */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= waitingMax) {
      throw new ArgumentError('too_many_waiting', `More than ${waitingMax} lobby operations wait for each other.`);
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

// Our choice: enough to fill the global limit over a slow line, few enough not to hold up everybody else's calls.
const width = 16;

/** Works through a list, some items side by side. It ends when all have ended, and rejects with the first failure. */
export async function sideBySide<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
