import { setTimeout } from 'node:timers/promises';
import type { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

const stepMs = 250;

/**
 * Waits for `work` while virtual time goes on, with real time between its steps: for work that also waits for disks,
 * other processes or a service with a clock of its own. Use {@link elapse} for work that does not.
 *
 * @param spanMs virtual time after which the work must have ended
 * @param realMs how much real time each quarter of a virtual second takes
 */
export async function passTime<T>(clock: VirtualClock, work: Promise<T>, spanMs = 60_000, realMs = 2): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (let passedMs = 0; passedMs <= spanMs && !isDone; passedMs += stepMs) {
    await setTimeout(realMs);
    if (!isDone) await clock.advance(stepMs);
  }
  if (isDone) return work;
  throw new Error(`The work did not end within ${spanMs} ms of virtual time.`);
}
