/**
 * The last commit number of every scope, in bounded memory. Two generations: changes go to the young one; when that
 * is full it becomes the old one, and the scopes of the old one, unchanged since, are forgotten. A forgotten scope counts
 * as changed with the last commit that was forgotten.
 */
export class Revisions {
  readonly #scopesPerGeneration: number;
  #young = new Map<string, number>();
  #old: ReadonlyMap<string, number> = new Map();
  /** No number in the old generation exceeds it. */
  #oldTop: number;
  #floor: number;

  /**
   * @param floor a number that no commit before now exceeds
   * @param scopesMax scopes remembered at most; half as many at least
   */
  constructor(floor: number, scopesMax = 131_072) {
    this.#floor = floor;
    this.#oldTop = floor;
    this.#scopesPerGeneration = scopesMax / 2;
  }

  get(scope: string): number {
    return this.#young.get(scope) ?? this.#old.get(scope) ?? this.#floor;
  }

  /** @param number above all numbers before */
  set(scope: string, number: number): void {
    this.#young.set(scope, number);
    if (this.#young.size < this.#scopesPerGeneration) return;
    this.#floor = this.#oldTop;
    this.#old = this.#young;
    this.#oldTop = number;
    this.#young = new Map();
  }

  /** Every scope changed with commit `number`. */
  setAll(number: number): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#oldTop = number;
    this.#floor = number;
  }
}
