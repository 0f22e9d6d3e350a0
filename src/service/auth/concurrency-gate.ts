/** How much may be under way at a time. */
export interface ConcurrencyBounds {
  /** Works that run; the others wait. */
  readonly running: number;
  /** Works that run or wait, in all and for each caller; beyond that they are refused at once. */
  readonly all: number;
  readonly perCaller: number;
}

/** Lets costly works on a few at a time, and refuses what would wait too long. */
export class ConcurrencyGate {
  readonly #bounds: ConcurrencyBounds;
  readonly #byCaller = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #all = 0;
  #running = 0;

  constructor(bounds: ConcurrencyBounds) {
    this.#bounds = bounds;
  }

  /** Counts an attempt from its beginning to its end. @returns undefined when it was refused */
  enter(caller: string): { leave(): void } | undefined {
    const count = this.#byCaller.get(caller) ?? 0;
    if (this.#all >= this.#bounds.all || count >= this.#bounds.perCaller) return undefined;
    this.#all++;
    this.#byCaller.set(caller, count + 1);
    return { leave: () => this.#leave(caller) };
  }

  /** Runs a work when it is its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#bounds.running) this.#running++;
    // Whoever ends hands its place on.
    else await new Promise<void>(resolve => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #leave(caller: string): void {
    this.#all--;
    const count = (this.#byCaller.get(caller) ?? 0) - 1;
    if (count > 0) this.#byCaller.set(caller, count);
    else this.#byCaller.delete(caller);
  }
}
