import type { Cancel, Clock } from '../wire/clock/ports.ts';

/** The service's clock for games and their servers: it knows how many of their timers are waiting. */
export class WorldClock implements Clock {
  readonly #clock: Clock;
  #pending = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
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
}

const turns = 20;

/** Lets sockets on this machine deliver what is on its way: no event says that nothing is. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
