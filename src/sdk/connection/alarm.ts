import { leftMs, type Moment } from '../../wire/clock/moment.ts';
import type { Cancel, Clock } from '../../wire/clock/ports.ts';
import { watchForJumps } from '../../wire/gateway/jump-watch.ts';

/**
 * Runs a task once at a moment: on time, or as soon as it is noticed that the machine slept past it, which takes seconds by
 * itself and nothing after {@link check}. Does not keep the process alive.
 */
export class Alarm {
  readonly #clock: Clock;
  #set: { readonly at: Moment; readonly task: () => void; readonly stopWatch: Cancel; cancel: Cancel } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what was set before. A moment that has come means now; the task never runs within this call. */
  set(at: Moment, task: () => void): void {
    this.cancel();
    this.#set = { at, task, stopWatch: watchForJumps(this.#clock, () => this.check()), cancel: this.#arm(at) };
  }

  /** Checks the time: for callers that know that the machine resumed from sleep. */
  check(): void {
    const set = this.#set;
    if (!set) return;
    if (leftMs(this.#clock, set.at) <= 0) {
      this.cancel();
      set.task();
    } else {
      set.cancel();
      set.cancel = this.#arm(set.at);
    }
  }

  /** Idempotent. */
  cancel(): void {
    this.#set?.stopWatch();
    this.#set?.cancel();
    this.#set = undefined;
  }

  #arm(at: Moment): Cancel {
    return this.#clock.schedule(leftMs(this.#clock, at), () => this.check());
  }
}
