import type { Clock } from './ports.ts';

/** How long a close waits for what is in progress. */
export const closeMsMax = 1_000;

/** Resolves when `work` has settled, or after `ms`. */
export async function settleWithin(clock: Clock, ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const { promise: tooLate, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(ms, resolve, { keepAlive: true });
  await Promise.race([work?.catch(() => {}), tooLate]);
  cancel();
}
