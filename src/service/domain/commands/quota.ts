import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import { Fault } from '../../support/fault.ts';

/**
 * Counts commands that a scope gains against its daily creates. One becomes available again with every share of the
 * day, here 432 s, rather than all of them at once.
 *
 * Our choice: what is used is kept in the store with the commands themselves, so that neither a failed write nor a
 * restart changes it.
 *
 * @throws Fault `too_many_command_creates` with nothing counted; its `retry_after` is in seconds
 * @see docs/spec/limits.md; docs/spec/limits.md#daily-creates
 */
export async function takeCreates(
  { clock, limits }: Core,
  transaction: Transaction,
  scope: string,
  count: number,
): Promise<void> {
  const limit = limits.buckets['command-create'];
  if (!limit || count === 0) return;
  const nowMs = clock.now();
  const used = await transaction.get('command_quotas', scope);
  // Never further off than a whole day's: the clock was set back.
  const usedUpToMs = Math.min(used?.full_at_ms ?? 0, nowMs + limit.windowMs);
  const fullAtMs = Math.max(usedUpToMs, nowMs) + count * (limit.windowMs / limit.requests);
  const waitMs = fullAtMs - nowMs - limit.windowMs;
  if (waitMs > 0) throw new Fault('too_many_command_creates', { retry_after: waitMs / 1000, global: false });
  transaction.put('command_quotas', { scope, full_at_ms: fullAtMs });
}
