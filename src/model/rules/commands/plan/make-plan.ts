import { type Command, type CommandType, commandKey, commandTypes } from '../../../command.ts';
import { ValidationError } from '../../../errors/errors.ts';
import { checkCommandList } from '../command.ts';
import { diffCommand } from '../command-diff.ts';
import { type DesiredCommand, traitsUnknown } from './desired.ts';
import type { Plan, PlanContext, PlanItem } from './plan.ts';
import { warningsOf } from './warnings.ts';

/**
 * Compares what is registered with what is desired.
 *
 * Unspecified: an entry point that the definitions do not mention stays. The service created it, and rejects a bulk write
 * that would remove it.
 *
 * @param stored the scope's commands with whole dictionaries of translations
 * @throws ValidationError every fault of every definition; the definition's index comes first in each path
 */
export function makePlan(stored: readonly Command[], desired: readonly DesiredCommand[], context: PlanContext): Plan {
  const traits = { ...traitsUnknown, ...context.traits };
  const issues = checkCommandList(desired, { scope: context.scope, traits });
  if (issues.length > 0) throw new ValidationError('The set of commands', issues);
  const matches = matchDesired(stored, desired);
  const matched = new Set(matches);
  const items = [
    ...desired.map((definition, i) => planOne(definition, matches[i], context)),
    ...stored.filter(command => !matched.has(command)).map(planUnmentioned),
  ];
  return {
    place: context.place,
    items,
    creates: items.filter(({ action }) => action === 'create').length,
    warnings: warningsOf(items, context),
    isInSync: items.every(({ action }) => action === 'leave'),
    desired,
    stored,
  };
}

function planOne(desired: DesiredCommand, stored: Command | undefined, context: PlanContext): PlanItem {
  const named = { type: desired.type ?? commandTypes.CHAT_INPUT, name: desired.name };
  if (!stored) return { action: 'create', ...named, desired };
  const changes = diffCommand(stored, desired, context);
  if (changes.length === 0) return { action: 'leave', ...named, desired, stored };
  return { action: 'edit', ...named, desired, stored, changes };
}

function planUnmentioned(stored: Command): PlanItem {
  const action = stored.type === commandTypes.PRIMARY_ENTRY_POINT ? 'leave' : 'delete';
  return { action, type: stored.type, name: stored.name, stored };
}

/**
 * The registered command of each definition, undefined for a new one: the command with its id, else with its type and name,
 * else with its former name. No command is matched twice.
 *
 * Unspecified: the entry point, of which a scope has one, matches under any name. An id of another scope or type is ignored,
 * as in bulk writes.
 */
function matchDesired(
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
  // The more exact match goes first, whatever the order of the definitions.
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
