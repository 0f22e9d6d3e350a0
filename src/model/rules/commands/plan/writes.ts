import { type Command, type CommandItem, commandKey } from '../../../command.ts';
import { limits } from '../../../limits/limits.ts';
import { countByType } from '../command-count.ts';
import { bodyOf, type DesiredContext } from './desired.ts';
import type { Plan, PlanItem } from './plan.ts';

/** One call of a deploy. */
export type Write =
  | { readonly kind: 'one'; readonly item: PlanItem }
  | { readonly kind: 'all'; readonly items: readonly CommandItem[] };

/**
 * The fewest calls that carry a plan out: none, the one, or a bulk write for two and more. That one names every command
 * that stays by its id and sends back what it does not change as it was read, so that nothing is lost by it.
 */
export function fewestWrites(plan: Plan, context: DesiredContext): Write[] {
  const items = plan.items.filter(({ action }) => action !== 'leave');
  if (items.length <= 1) return items.map(item => ({ kind: 'one', item }));
  return [{ kind: 'all', items: plan.items.flatMap(item => bulkItem(item, context)) }];
}

function bulkItem(item: PlanItem, context: DesiredContext): CommandItem[] {
  switch (item.action) {
    case 'delete':
      return [];
    case 'leave':
      return [item.stored];
    default:
      return [bodyOf(item.desired, context, item.action === 'edit' ? item.stored : undefined)];
  }
}

/**
 * The same plan, a call for each command, in an order in which each call finds its name free and room under the cap
 * of its type. Edits come as early as they can, deletes as late: what goes stays in use until what replaces it is
 * there, unless it holds a name or the last place.
 *
 * @returns undefined when names are swapped in a circle, which only a bulk write can do
 */
export function writesOneByOne(plan: Plan): Write[] | undefined {
  const scope = new ScopeState(plan.stored);
  const left = new Set(plan.items.filter(({ action }) => action !== 'leave'));
  const ordered: Write[] = [];
  while (left.size > 0) {
    const next = (['edit', 'create', 'delete'] as const)
      .map(action => [...left].find(item => item.action === action && scope.allows(item)))
      .find(item => item !== undefined);
    if (!next) return undefined;
    scope.apply(next);
    left.delete(next);
    ordered.push({ kind: 'one', item: next });
  }
  return ordered;
}

/** A scope as the calls so far have left it. */
class ScopeState {
  /** Name and type → the command that holds them; a created one has no record yet. */
  readonly #holders = new Map<string, Command | undefined>();
  readonly #counts: Partial<Record<number, number>>;

  constructor(stored: readonly Command[]) {
    for (const command of stored) this.#holders.set(commandKey(command), command);
    this.#counts = { ...countByType(stored) };
  }

  allows(item: PlanItem): boolean {
    const key = commandKey(item);
    if (item.action === 'create')
      return !this.#holders.has(key) && this.#count(item) < limits.commandsPerScope[item.type];
    if (item.action === 'edit') return !this.#holders.has(key) || this.#holders.get(key) === item.stored;
    return true;
  }

  apply(item: PlanItem): void {
    if (item.action !== 'create') this.#holders.delete(commandKey(item.stored));
    if (item.action === 'edit') this.#holders.set(commandKey(item), item.stored);
    if (item.action === 'create') this.#holders.set(commandKey(item), undefined);
    if (item.action === 'create') this.#counts[item.type] = this.#count(item) + 1;
    if (item.action === 'delete') this.#counts[item.type] = this.#count(item) - 1;
  }

  #count({ type }: PlanItem): number {
    return this.#counts[type] ?? 0;
  }
}
