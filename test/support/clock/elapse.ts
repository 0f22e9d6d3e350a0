import { setTimeout as wait } from 'node:timers/promises';
import type { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { isShared } from '../engines/is-shared.ts';

/** PostgreSQL and Redis answer in real time, however fast virtual time goes on. */
const realMs = 10;

/**
 * Waits for `work` while virtual time goes on in steps, with a moment of real time for sockets between two of them.
 *
 * @param spanMs virtual time after which the work must have ended
 */
export async function elapse<T>(clock: VirtualClock, work: Promise<T>, spanMs = 60_000, stepMs = 50): Promise<T> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (let passedMs = 0; passedMs <= spanMs; passedMs += stepMs) {
    for (let turn = 0; turn < 20 && !isDone; turn++) await new Promise(resolve => setImmediate(resolve));
    if (isDone) return work;
    if (isShared) await Promise.race([wait(realMs), work.catch(() => {})]);
    await clock.advance(stepMs);
  }
  throw new Error(`The work did not end within ${spanMs} ms of virtual time.`);
}
