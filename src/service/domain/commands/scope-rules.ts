import { type CommandType, commandKey, commandTypes } from '../../../model/command.ts';
import { limits } from '../../../model/limits/limits.ts';
import { countByType, firstExceededType } from '../../../model/rules/commands/command-count.ts';
import type { CommandRecord } from '../../store/records.ts';
import { apiMessages } from '../../support/api-messages.ts';
import { Fault } from '../../support/fault.ts';

/** What the commands of a place must keep to together, each with an error of its own. */

type Typed = { readonly type: CommandType };

/** @throws Fault `too_many_commands`; its message names the limit */
export function refuseTooMany(commands: readonly Typed[]): void {
  const exceeded = firstExceededType(countByType(commands));
  if (exceeded === undefined) return;
  const message = `${apiMessages.too_many_commands} (${limits.commandsPerScope[exceeded]})`;
  throw new Fault('too_many_commands', { message });
}

/** @throws Fault `entry_point_missing` when a bulk write would delete the entry point */
export function refuseLostEntryPoint(stored: readonly Typed[], kept: readonly Typed[]): void {
  if (stored.some(isEntryPoint) && !kept.some(isEntryPoint)) throw new Fault('entry_point_missing');
}

export function isEntryPoint({ type }: Typed): boolean {
  return type === commandTypes.PRIMARY_ENTRY_POINT;
}

/** @throws Fault `command_name_taken` when another command of the type has the name */
export function refuseTakenName(stored: readonly CommandRecord[], command: CommandRecord): void {
  if (stored.some(other => other.id !== command.id && commandKey(other) === commandKey(command))) {
    throw new Fault('command_name_taken');
  }
}
