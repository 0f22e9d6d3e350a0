import { type CommandType, commandKey } from '../../../model/command.ts';
import type { CommandId } from '../../../model/snowflake.ts';
import type { CommandRecord } from '../../store/records.ts';

/** What tells which stored command an item of a bulk write stands for. */
export interface Matchable {
  readonly id?: CommandId | undefined;
  readonly type: CommandType;
  readonly name: string;
}

/**
 * The stored command of each item, undefined where the item is a new one: matched by id where the item has one of this
 * scope, else by type and name. No command is matched twice.
 *
 * Our choice: an id from elsewhere, or of a command of another type (which never changes), is passed over, because
 * clients send back what they fetched from other scopes.
 *
 * @see docs/spec/commands.md#writing-commands
 */
export function matchCommands(
  stored: readonly CommandRecord[],
  items: readonly Matchable[],
): readonly (CommandRecord | undefined)[] {
  const byId = new Map(stored.map(command => [command.id, command]));
  const left = new Map(stored.map(command => [commandKey(command), command]));
  const claimed = items.map(({ id, type }) => {
    const command = id === undefined ? undefined : byId.get(id);
    if (command?.type !== type) return undefined;
    left.delete(commandKey(command));
    return command;
  });
  return items.map((item, index) => claimed[index] ?? left.get(commandKey(item)));
}
