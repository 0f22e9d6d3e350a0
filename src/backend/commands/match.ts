import { type Command, type CommandType, commandKey, commandTypes } from '../../model/command.ts';
import type { DesiredCommand } from './definition.ts';

/**
 * The registered command that each definition is about, undefined where it is a new one: the one of its id, else the
 * one of its type and name, else the one that has its former name. No command is matched twice.
 *
 * Our choice: the entry point, of which a scope has one, is matched whatever it is called. An id that is not of this
 * scope, or of another type, is passed over, as bulk writes do.
 */
export function matchDesired(
  stored: readonly Command[],
  desired: readonly DesiredCommand[],
): readonly (Command | undefined)[] {
  const byId = new Map(stored.map(command => [command.id, command]));
  const byKey = new Map(stored.map(command => [commandKey(command), command]));
  const entryPoint = stored.find(({ type }) => type === PRIMARY_ENTRY_POINT);
  const namings: readonly ((definition: DesiredCommand, type: CommandType) => Command | undefined)[] = [
    ({ id }) => (id ? byId.get(id) : undefined),
    definition => byKey.get(commandKey(definition)),
    ({ formerName: name }, type) => (name === undefined ? undefined : byKey.get(commandKey({ type, name }))),
    (_, type) => (type === PRIMARY_ENTRY_POINT ? entryPoint : undefined),
  ];

  const matches = new Array<Command | undefined>(desired.length).fill(undefined);
  const matched = new Set<Command>();
  // Whoever names a command more exactly chooses first, wherever it stands in the list.
  for (const named of namings) {
    for (const [i, definition] of desired.entries()) {
      const type = definition.type ?? commandTypes.CHAT_INPUT;
      const command = matches[i] ? undefined : named(definition, type);
      if (command?.type !== type || matched.has(command)) continue;
      matched.add(command);
      matches[i] = command;
    }
  }
  return matches;
}

const { PRIMARY_ENTRY_POINT } = commandTypes;
