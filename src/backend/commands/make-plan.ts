import { type Command, commandTypes } from '../../model/command.ts';
import { checkCommandList } from '../../model/rules/commands/command.ts';
import { diffCommand } from '../../model/rules/commands/command-diff.ts';
import { refuseIssues } from '../../wire/http/check.ts';
import { traitsUnknown } from '../traits.ts';
import type { DesiredCommand } from './definition.ts';
import { matchDesired } from './match.ts';
import type { Plan, PlanContext, PlanItem } from './plan.ts';
import { warningsOf } from './warnings.ts';

/**
 * Compares what is registered with what is desired.
 *
 * Our choice: an entry point that the definitions do not mention stays. The service made it, and refuses to have it
 * removed along with others.
 *
 * @param stored the scope's commands with whole dictionaries of translations
 * @throws ValidationError every fault of every definition; the definition's index comes first in each path
 */
export function makePlan(stored: readonly Command[], desired: readonly DesiredCommand[], context: PlanContext): Plan {
  const traits = { ...traitsUnknown, ...context.traits };
  refuseIssues('The set of commands', checkCommandList(desired, { scope: context.scope, traits }));
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
