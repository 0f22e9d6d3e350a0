import { LruCache } from '../support/lru-cache.ts';

/**
 * The last commit numbers of the scopes that somebody asked for, in bounded memory. A scope is kept from when it is
 * asked for, at the last number of all: so one that nobody asks for costs a commit nothing, and a forgotten one counts
 * as changed.
 */
export class Revisions {
  readonly #numbers: LruCache<number>;
  readonly #last: () => number;

  /** @param last the last commit number of all */
  constructor(last: () => number, capacity = 65_536) {
    this.#last = last;
    this.#numbers = new LruCache(capacity);
  }

  get(scope: string): number {
    const known = this.#numbers.get(scope);
    if (known !== undefined) return known;
    const number = this.#last();
    this.#numbers.set(scope, number, 1);
    return number;
  }

  /** @param number above all numbers before */
  set(scope: string, number: number): void {
    if (this.#numbers.has(scope)) this.#numbers.set(scope, number, 1);
  }

  /** Every scope counts as changed. */
  clear(): void {
    this.#numbers.clear();
  }
}
