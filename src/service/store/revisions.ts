/**
 * The last commit number of every scope, in bounded memory: the longest unchanged scope is forgotten first, and a
 * forgotten one counts as changed with the last that was forgotten.
 */
export class Revisions {
  readonly #capacity: number;
  /** In order of their numbers: every {@link set} moves its scope to the end. */
  readonly #numbers = new Map<string, number>();
  #floor: number;

  /** @param floor a number that no commit before now exceeds */
  constructor(floor: number, capacity = 65_536) {
    this.#floor = floor;
    this.#capacity = capacity;
  }

  get(scope: string): number {
    return this.#numbers.get(scope) ?? this.#floor;
  }

  /** @param number above all numbers before */
  set(scope: string, number: number): void {
    this.#numbers.delete(scope);
    this.#numbers.set(scope, number);
    if (this.#numbers.size <= this.#capacity) return;
    for (const [oldest, itsNumber] of this.#numbers) {
      this.#numbers.delete(oldest);
      this.#floor = itsNumber;
      break;
    }
  }

  /** Every scope changed with commit `number`. */
  setAll(number: number): void {
    this.#numbers.clear();
    this.#floor = number;
  }
}
