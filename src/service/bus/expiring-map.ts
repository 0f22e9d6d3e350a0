/** Something that ends at a known time. */
export interface Expiring {
  readonly endsAtMs: number;
}

const sizeBeforeSweep = 1024;

/**
 * A map whose values end by themselves, without a timer each: one that has ended is not found any more, and whenever
 * the map has doubled all that have ended are swept out. So it never holds more than twice what lives, or 1,024.
 */
export class ExpiringMap<Value extends Expiring> {
  readonly #values = new Map<string, Value>();
  #sweepAtSize = sizeBeforeSweep;

  get(name: string, nowMs: number): Value | undefined {
    const value = this.#values.get(name);
    return value && nowMs < value.endsAtMs ? value : undefined;
  }

  set(name: string, value: Value, nowMs: number): void {
    this.#values.set(name, value);
    if (this.#values.size >= this.#sweepAtSize) this.#sweep(nowMs);
  }

  delete(name: string): void {
    this.#values.delete(name);
  }

  clear(): void {
    this.#values.clear();
  }

  /** How many it holds, ended ones not yet swept included. */
  get size(): number {
    return this.#values.size;
  }

  #sweep(nowMs: number): void {
    for (const [name, value] of this.#values) if (nowMs >= value.endsAtMs) this.#values.delete(name);
    this.#sweepAtSize = Math.max(sizeBeforeSweep, 2 * this.#values.size);
  }
}
