/** How many tasks may run and wait. */
export interface ConcurrencyBounds {
  /** Tasks that run at a time; the others wait. */
  readonly running: number;
  /** Tasks that run or wait, in all and for each caller; further ones are rejected immediately. */
  readonly all: number;
  readonly perCaller: number;
}

/** Runs a few costly tasks at a time, and rejects those that would wait too long. */
export class ConcurrencyGate {
  readonly #bounds: ConcurrencyBounds;
  readonly #byCaller = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #all = 0;
  #running = 0;

  constructor(bounds: ConcurrencyBounds) {
    this.#bounds = bounds;
  }

  /** Counts an attempt until `leave` is called. @returns undefined if it was rejected */
  enter(caller: string): { leave(): void } | undefined {
    const count = this.#byCaller.get(caller) ?? 0;
    if (this.#all >= this.#bounds.all || count >= this.#bounds.perCaller) return undefined;
    this.#all++;
    this.#byCaller.set(caller, count + 1);
    return { leave: () => this.#leave(caller) };
  }

  /** Runs a task when it is its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#bounds.running) this.#running++;
    // A task that ends passes its place to the next.
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
