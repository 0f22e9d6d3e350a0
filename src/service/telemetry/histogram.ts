/** Counts values by upper bounds, as Prometheus wants them. Adding one costs a few comparisons. */
export class Histogram {
  /** Rising. A value that equals a bound counts below it. */
  readonly bounds: readonly number[];
  /** How many values each bound took, without those of the bounds before; the last is of values above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}

/** Counts by label. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(label: string, count = 1): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + count);
  }

  get entries(): Iterable<readonly [label: string, count: number]> {
    return this.#counts;
  }
}
