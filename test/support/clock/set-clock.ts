import type { Cancel, Clock } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

/** A machine's clock that can be set: time passes by {@link advance} alone, and {@link set} moves what it shows. */
export class SetClock implements Clock {
  readonly #lived = new VirtualClock(0);
  #offsetMs = 1_800_000_000_000;

  now(): number {
    return this.#lived.now() + this.#offsetMs;
  }

  steady(): number {
    return this.#lived.now();
  }

  schedule(delayMs: number, task: () => void | Promise<void>): Cancel {
    return this.#lived.schedule(delayMs, task);
  }

  scheduleAt(dueMs: number, task: () => void | Promise<void>): Cancel {
    let cancel: Cancel = () => {};
    const look = (): void | Promise<void> => {
      const leftMs = dueMs - this.now();
      if (leftMs <= 0) return task();
      cancel = this.schedule(Math.min(leftMs, 1000), look);
    };
    cancel = this.schedule(Math.min(dueMs - this.now(), 1000), look);
    return () => cancel();
  }

  /** @param byMs forward or, below 0, back */
  set(byMs: number): void {
    this.#offsetMs += byMs;
  }

  async advance(ms: number): Promise<void> {
    await this.#lived.advance(ms);
  }
}
