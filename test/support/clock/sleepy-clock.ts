import type { Cancel, Clock, ScheduleOptions } from '../../../src/wire/clock/ports.ts';

/** A clock whose machine can sleep: time passes, but none that its timers count. */
export class SleepyClock implements Clock {
  readonly #clock: Clock;
  #sleptMs = 0;

  readonly #isBusy: boolean;

  /** @param isBusy it does not sleep but is busy: its timers come late, and its steady time passes */
  constructor(clock: Clock, { isBusy = false } = {}) {
    this.#clock = clock;
    this.#isBusy = isBusy;
  }

  now(): number {
    return this.#clock.now() + this.#sleptMs;
  }

  steady(): number {
    return this.#isBusy ? this.now() : this.#clock.now();
  }

  schedule(delayMs: number, task: () => void | Promise<void>, options?: ScheduleOptions): Cancel {
    return this.#clock.schedule(delayMs, task, options);
  }

  sleep(ms: number): void {
    this.#sleptMs += ms;
  }
}
