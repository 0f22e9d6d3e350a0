import { type Command, commandKey, commandTypes } from '../../model/command.ts';
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
  const left = new Set(stored);
  const matches = new Array<Command | undefined>(desired.length).fill(undefined);
  // Whoever names a command more exactly chooses first, wherever it stands in the list.
  for (const names of namings) {
    for (const [i, definition] of desired.entries()) {
      if (matches[i]) continue;
      const match = [...left].find(command => names(definition, command));
      if (!match) continue;
      left.delete(match);
      matches[i] = match;
    }
  }
  return matches;
}

type Naming = (desired: DesiredCommand, stored: Command) => boolean;

const namings: readonly Naming[] = [
  (desired, stored) => desired.id === stored.id && typeOf(desired) === stored.type,
  (desired, stored) => commandKey(desired) === commandKey(stored),
  (desired, stored) => desired.formerName === stored.name && typeOf(desired) === stored.type,
  (desired, stored) => typeOf(desired) === commandTypes.PRIMARY_ENTRY_POINT && typeOf(desired) === stored.type,
];

function typeOf({ type }: DesiredCommand) {
  return type ?? commandTypes.CHAT_INPUT;
}
