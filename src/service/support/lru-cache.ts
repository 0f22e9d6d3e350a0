interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A cache of recently used values, bounded by weight. It has two generations: values that are used are in the young one. When the
 * young one reaches half the bound it becomes the old one, and the former old one, unused since, is dropped. A hit costs one look-up.
 */
export class LruCache<Value> {
  readonly #generationWeightMax: number;
  #young = new Map<string, Entry<Value>>();
  #old = new Map<string, Entry<Value>>();
  #youngWeight = 0;

  /** @param weightMax bound on the sum of the weights, in the unit that is passed to {@link set} */
  constructor(weightMax: number) {
    this.#generationWeightMax = weightMax / 2;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young) return young.value;
    const old = this.#old.get(key);
    if (old) this.#add(key, old);
    return old?.value;
  }

  set(key: string, value: Value, weight: number): void {
    this.#add(key, { value, weight });
  }

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  delete(key: string): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngWeight = 0;
  }

  /** Hides an entry of the same key in the old generation, which is dropped with that generation. */
  #add(key: string, entry: Entry<Value>): void {
    this.#youngWeight += entry.weight - (this.#young.get(key)?.weight ?? 0);
    this.#young.set(key, entry);
    if (this.#youngWeight <= this.#generationWeightMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngWeight = 0;
  }
}
