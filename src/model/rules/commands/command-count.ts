import { type CommandType, commandTypes } from '../../command.ts';
import { limits } from '../../limits/limits.ts';

/** How many commands of each type; a type without an entry has none. */
export type CommandCounts = Readonly<Partial<Record<CommandType, number>>>;

/** Counts commands by type; one without a type is CHAT_INPUT. */
export function countByType(commands: Iterable<{ readonly type?: CommandType | null }>): CommandCounts {
  const counts: Partial<Record<CommandType, number>> = {};
  for (const { type } of commands) {
    const counted = type ?? commandTypes.CHAT_INPUT;
    counts[counted] = (counts[counted] ?? 0) + 1;
  }
  return counts;
}

/**
 * The first type of which a scope would hold more than `limits.commandsPerScope` allows, or undefined.
 *
 * The answer to it is the error `too_many_commands`, not an issue of the body.
 *
 * @see docs/spec/limits.md
 */
export function firstExceededType(counts: CommandCounts): CommandType | undefined {
  return Object.values(commandTypes).find(type => (counts[type] ?? 0) > limits.commandsPerScope[type]);
}
