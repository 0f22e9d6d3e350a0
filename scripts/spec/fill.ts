import { endpointLimits } from '../../src/backend/interactions/signed-request.ts';
import { externalAuthTokenLengthMax } from '../../src/model/external-auth.ts';
import { componentLimits } from '../../src/model/limits/component-limits.ts';
import { embedLimits } from '../../src/model/limits/embed-limits.ts';
import { globalRateMax, limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { limits } from '../../src/model/limits/limits.ts';
import { profileLimits } from '../../src/model/limits/profile-limits.ts';
import { roleConnectionLimits } from '../../src/model/limits/role-connection-limits.ts';
import { socialLimits } from '../../src/model/limits/social-limits.ts';
import { activityLimits } from '../../src/model/rules/social/activity.ts';
import { intakeLimits, runtimeLimits, serviceLimits } from '../../src/service/support/service-limits.ts';
import { formatFigure } from './figures.ts';
import { specTables } from './tables.ts';

/** Every figure that a page can name, by name; a nested one by a path with dots. */
const figures: Readonly<Record<string, unknown>> = {
  ...limits,
  ...endpointLimits,
  ...componentLimits,
  ...embedLimits,
  ...roleConnectionLimits,
  ...socialLimits,
  ...profileLimits,
  ...serviceLimits,
  ...runtimeLimits,
  ...intakeLimits,
  ...limitProfiles.standard,
  activity: activityLimits,
  externalAuthTokenLengthMax,
  globalRateMax,
};

/** `32<!--=commandNameLengthMax-->`: the figure, with its unit, stands before the comment that names it. */
const figurePattern = /\d[\d,.]*(?: (?:bytes|KiB|MiB|GiB|ms|s|minutes?|hours?|days?)(?![\w]))?<!--=([\w.-]+?)-->/g;

/** A table stands between `<!-- table: name -->` and `<!-- end -->`, each on a line of its own. */
const tablePattern = /<!-- table: (.+?) -->\n[\s\S]*?<!-- end -->/g;

/**
 * The page with every figure and table as the code has it now.
 *
 * @throws Error when the page names a figure or a table that does not exist
 */
export function fillSpec(page: string): string {
  return page
    .replace(figurePattern, (_, name: string) => `${formatFigure(name, figureOf(name))}<!--=${name}-->`)
    .replace(tablePattern, (_, name: string) => `<!-- table: ${name} -->\n${tableOf(name)}\n<!-- end -->`);
}

/** The names of the figures that a page states. */
export function figuresIn(page: string): string[] {
  return [...page.matchAll(figurePattern)].map(([, name]) => name as string);
}

/** The names of the tables that a page shows. */
export function tablesIn(page: string): string[] {
  return [...page.matchAll(tablePattern)].map(([, name]) => name as string);
}

function figureOf(name: string): number {
  const value = name
    .split('.')
    .reduce<unknown>((table, key) => (table as Record<string, unknown> | undefined)?.[key], figures);
  if (typeof value !== 'number') throw new Error(`docs/spec names the figure "${name}", which no table of limits has.`);
  return value;
}

function tableOf(name: string): string {
  const table = specTables[name];
  if (!table) throw new Error(`docs/spec names the table "${name}", which scripts/spec/tables.ts does not have.`);
  return table();
}
