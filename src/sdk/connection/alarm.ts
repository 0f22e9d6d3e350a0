import type { Cancel, Clock } from '../../wire/clock/ports.ts';
import { watchForJumps } from '../../wire/gateway/jump-watch.ts';

/**
 * Runs a task once at an instant of the calendar: on time, or as soon as it is noticed that the machine slept past it,
 * which takes seconds by itself and nothing after {@link check}. Does not keep the process alive.
 */
export class Alarm {
  readonly #clock: Clock;
  #set: { readonly atMs: number; readonly task: () => void; readonly stopWatch: Cancel; cancel: Cancel } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what was set before. An instant that has passed means now; the task never runs within this call. */
  set(atMs: number, task: () => void): void {
    this.cancel();
    this.#set = { atMs, task, stopWatch: watchForJumps(this.#clock, () => this.check()), cancel: this.#arm(atMs) };
  }

  /** Checks the time: for callers that know that the machine resumed from sleep. */
  check(): void {
    const set = this.#set;
    if (!set) return;
    if (this.#clock.now() >= set.atMs) {
      this.cancel();
      set.task();
    } else {
      set.cancel();
      set.cancel = this.#arm(set.atMs);
    }
  }

  /** Idempotent. */
  cancel(): void {
    this.#set?.stopWatch();
    this.#set?.cancel();
    this.#set = undefined;
  }

  // Timers count lived time. Should the machine's time have been set back meanwhile, check() waits for the rest.
  #arm(atMs: number): Cancel {
    return this.#clock.schedule(atMs - this.#clock.now(), () => this.check());
  }
}
