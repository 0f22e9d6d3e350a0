import { commandTypes } from '../../../command.ts';
import { formatPath } from '../../../errors/issue.ts';
import { limits } from '../../../limits/limits.ts';
import { type Locale, localeFallbacks } from '../../../locale.ts';
import { snowflakeTimeMs } from '../../../snowflake.ts';
import { shownFallbacks } from '../../locales/shown-texts.ts';
import { countByType, firstExceededType } from '../command-count.ts';
import type { PlanContext, PlanItem, PlanWarning } from './plan.ts';

/** Everything there is to warn of, command by command, then of the whole. */
export function warningsOf(items: readonly PlanItem[], context: PlanContext): PlanWarning[] {
  return [
    ...items.flatMap(item => [...fallbacksShown(item), ...permissionsLost(item, context)]),
    ...tooMany(items),
    ...fewCreatesLeft(items, context),
    ...entryPointMissing(items),
  ];
}

const fallbackLocales = Object.keys(localeFallbacks) as Locale[];

function fallbacksShown(item: PlanItem): PlanWarning[] {
  if (item.action === 'delete' || !item.desired) return [];
  const { desired, type, name } = item;
  return fallbackLocales.flatMap(locale => {
    const shown = shownFallbacks(desired, locale);
    const [first] = shown;
    if (!first) return [];
    const others = shown.length > 1 ? ` and ${shown.length - 1} more` : '';
    const message =
      `Readers of ${locale} see the ${first.from} text of ${formatPath(first.path)}${others}. ` +
      `If they should see the default, give it under ${locale} as well.`;
    return [{ code: 'fallback_shows', message, command: { type, name } }];
  });
}

/** Renaming or deleting a command drops its overwrites. @see docs/spec/permissions.md#overwrite */
export function dropsOverwrites(item: PlanItem): item is Extract<PlanItem, { action: 'edit' | 'delete' }> {
  return item.action === 'delete' || (item.action === 'edit' && item.stored.name !== item.name);
}

function permissionsLost(item: PlanItem, { scope, overwritten }: PlanContext): PlanWarning[] {
  if (!dropsOverwrites(item)) return [];
  const { action, type, name, stored } = item;
  const has = overwritten?.has(stored.id);
  // That a deleted command has nothing left is no news, unless it is known to have had something.
  if (has === false || (has === undefined && action === 'delete')) return [];
  const what = action === 'edit' ? `Renaming ${stored.name} to ${name}` : `Deleting ${name}`;
  const where = scope === 'global' ? ' in every guild that has set some' : '';
  return [
    { code: 'permissions_lost', message: `${what} drops its permission overwrites${where}.`, command: { type, name } },
  ];
}

function tooMany(items: readonly PlanItem[]): PlanWarning[] {
  const counts = countByType(items.filter(({ action }) => action !== 'delete'));
  const type = firstExceededType(counts);
  if (type === undefined) return [];
  const typeName = Object.entries(commandTypes).find(([, value]) => value === type)?.[0];
  const message = `${counts[type]} commands of type ${typeName} are more than the ${limits.commandsPerScope[type]} that a scope holds.`;
  return [{ code: 'too_many_commands', message }];
}

const dayMs = 24 * 3_600_000;

/** Commands that are less than a day old have cost a create each; deleted ones cannot be counted. */
function fewCreatesLeft(items: readonly PlanItem[], { nowMs }: PlanContext): PlanWarning[] {
  const needed = items.filter(({ action }) => action === 'create').length;
  const made = items.filter(item => item.action !== 'create' && nowMs - snowflakeTimeMs(item.stored.id) < dayMs).length;
  const max = limits.commandCreatesPerDay;
  if (needed === 0 || needed + made <= max) return [];
  const message = `${needed} creates and the ${made} commands of the last day are more than the ${max} creates of a day.`;
  return [{ code: 'daily_creates', message }];
}

function entryPointMissing(items: readonly PlanItem[]): PlanWarning[] {
  return items
    .filter(item => item.action === 'leave' && !item.desired)
    .map(({ type, name }) => ({
      code: 'entry_point_missing' as const,
      message: `No definition mentions the entry point ${name}; it stays as it is.`,
      command: { type, name },
    }));
}
