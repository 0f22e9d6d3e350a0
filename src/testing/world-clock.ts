import type { Cancel, Clock } from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';

/** A virtual clock that knows how many timers are waiting on it. */
export class WorldClock implements Clock {
  readonly #clock: VirtualClock;
  #pending = 0;

  constructor(startMs: number) {
    this.#clock = new VirtualClock(startMs, settle);
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(delayMs: number, run: () => void | Promise<void>): Cancel {
    let isPending = true;
    const done = () => {
      if (isPending) this.#pending--;
      isPending = false;
    };
    this.#pending++;
    const cancel = this.#clock.schedule(delayMs, () => {
      done();
      return run();
    });
    return () => {
      done();
      cancel();
    };
  }

  /** Timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.#pending;
  }

  async advance(ms: number): Promise<void> {
    await this.#clock.advance(ms);
  }
}

const turns = 20;

/** Lets sockets on this machine deliver what is on its way: no event says that nothing is. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
