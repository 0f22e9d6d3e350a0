import { clearTimeout, setTimeout } from 'node:timers';
import type { MaybePromise } from './support/maybe-promise.ts';

/** Functions that close what is open, in the order of opening. */
export type Closing = (() => MaybePromise<unknown>)[];

/**
 * Closes in reverse order. If one fails, the others still close; one that has not finished by the deadline is not waited for. The
 * deadline is in the machine's time, because a virtual clock may stand still.
 *
 * @param onLate called when the deadline has come
 */
export async function closeAll(closing: Readonly<Closing>, timeoutMs: number, onLate?: () => void): Promise<void> {
  const failures: unknown[] = [];
  const late = new AbortController();
  const timer = setTimeout(() => {
    onLate?.();
    late.abort();
  }, timeoutMs);
  const deadline = new Promise<void>(resolve => late.signal.addEventListener('abort', () => resolve()));
  for (const close of closing.toReversed()) {
    const closed = (async () => close())().catch((error: unknown) => void failures.push(error));
    await Promise.race([closed, deadline]);
  }
  clearTimeout(timer);
  if (failures.length > 0) throw new AggregateError(failures, 'The service did not close cleanly.');
}
