import type { MaybePromise } from './support/maybe-promise.ts';

/** What closes the parts that stand already, in the order they were built. */
export type Closing = (() => MaybePromise<unknown>)[];

/**
 * In the reverse of the order things were built; one that fails does not keep the others open, and one that has not ended
 * by the deadline is not waited for. That is the machine's time: a virtual clock may stand still.
 */
export async function closeAll(closing: Readonly<Closing>, timeoutMs: number): Promise<void> {
  const failures: unknown[] = [];
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const deadline = new Promise<void>(resolve => late.signal.addEventListener('abort', () => resolve()));
  for (const close of closing.toReversed()) {
    const closed = (async () => close())().catch((error: unknown) => void failures.push(error));
    await Promise.race([closed, deadline]);
  }
  clearTimeout(timer);
  if (failures.length > 0) throw new AggregateError(failures, 'The service did not close cleanly.');
}
