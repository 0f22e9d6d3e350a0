import { type CommandType, commandKey, commandTypes } from '../../../model/command.ts';
import { limits } from '../../../model/limits/limits.ts';
import { countByType, firstExceededType } from '../../../model/rules/commands/command-count.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { CommandRecord } from '../../store/records.ts';
import { apiMessages } from '../../support/api-messages.ts';
import { RequestError } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { encodeCommand } from './view.ts';

/** Rules for the commands of a place together, each with an error of its own. */

type Typed = { readonly type: CommandType };

/** @throws RequestError `too_many_commands`; its message names the limit */
export function rejectTooMany(commands: readonly Typed[]): void {
  const exceeded = firstExceededType(countByType(commands));
  if (exceeded === undefined) return;
  const message = `${apiMessages.too_many_commands} (${limits.commandsPerScope[exceeded]})`;
  throw new RequestError('too_many_commands', { message });
}

/**
 * Unspecified: the bound. With it a list of the commands, all translations included, is an answer that clients of this package accept.
 *
 * @throws RequestError `too_many_commands`; its message names the limit
 */
export function rejectTooLarge(commands: readonly CommandRecord[]): void {
  const max = serviceLimits.commandsBytesMax;
  const bytes = encodedBytes(commands);
  if (bytes <= max) return;
  const message = `The application commands have too many translations: together at most ${max} bytes of JSON (got ${bytes})`;
  throw new RequestError('too_many_commands', { message });
}

/** What the commands take as JSON, all translations included. */
export function encodedBytes(commands: readonly CommandRecord[]): number {
  return commands.reduce((sum, command) => sum + Buffer.byteLength(encodeCommand(command)), 0);
}

/** @throws RequestError `entry_point_missing` when a bulk write would delete the entry point */
export function rejectLostEntryPoint(stored: readonly Typed[], kept: readonly Typed[]): void {
  if (stored.some(isEntryPoint) && !kept.some(isEntryPoint)) throw new RequestError('entry_point_missing');
}

export function isEntryPoint({ type }: Typed): boolean {
  return type === commandTypes.PRIMARY_ENTRY_POINT;
}

/** @throws RequestError `command_name_taken` when another command of the type has the name */
export function rejectTakenName(stored: readonly CommandRecord[], command: CommandRecord): void {
  if (stored.some(other => other.id !== command.id && commandKey(other) === commandKey(command))) {
    throw new RequestError('command_name_taken');
  }
}

/**
 * Counts new commands of a scope against its daily creates. The quota refills evenly, here one every 432 s.
 *
 * Unspecified: the used quota is stored in the transaction of the commands, so that neither a failed write nor a
 * restart changes it.
 *
 * @throws RequestError `too_many_command_creates` with nothing counted; its `retry_after` is in seconds
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
  // At most a whole day away, also when the clock was set back.
  const usedUpToMs = Math.min(used?.full_at_ms ?? 0, nowMs + limit.windowMs);
  const fullAtMs = Math.max(usedUpToMs, nowMs) + count * (limit.windowMs / limit.requests);
  const waitMs = fullAtMs - nowMs - limit.windowMs;
  if (waitMs > 0) throw new RequestError('too_many_command_creates', { retry_after: waitMs / 1000, global: false });
  transaction.put('command_quotas', { scope, full_at_ms: fullAtMs });
}
