import { type Fields, isFields } from '../field.ts';
import type { FullReport } from '../full-report.ts';

/**
 * Checks that a translated option name is not the name of another option of the command, in any place of it: neither a
 * default name nor another option's name in the same locale.
 *
 * Unspecified: options with the same default name count as one here, so that two subcommands can share a translated
 * parameter; a text equal to the option's own default name is ignored, as the interface ignores it. The code is the
 * one for equal default names.
 *
 * @see docs/spec/commands.md#names; docs/spec/commands.md#localization
 */
export function checkLocalizedOptionNames(report: FullReport, options: unknown): void {
  if (!hasLocalizedName(options, levels)) return;
  const names: Names = { defaults: new Set(), owners: new Map() };
  eachOption(report, options, levels, option => names.defaults.add(option.name));
  eachOption(report, options, levels, option => checkOption(report, option, names));
}

interface Names {
  /** Default names of all options. */
  readonly defaults: Set<unknown>;
  /** Locale and text → default name of the option that was first to use it. */
  readonly owners: Map<string, unknown>;
}

/** Command, group, subcommand: options nest no deeper. Deeper ones are rejected elsewhere and ignored here. */
const levels = 3;

function hasLocalizedName(options: unknown, left: number): boolean {
  if (left === 0 || !Array.isArray(options)) return false;
  return options.some(
    option => isFields(option) && (isFields(option.name_localizations) || hasLocalizedName(option.options, left - 1)),
  );
}

/** Visits every option that has a name, the report standing at it. */
function eachOption(report: FullReport, options: unknown, left: number, visit: (option: Fields) => void): void {
  if (left === 0 || !Array.isArray(options)) return;
  report.enter('options');
  options.forEach((option, i) => {
    if (!isFields(option)) return;
    report.enter(i);
    if (typeof option.name === 'string') visit(option);
    eachOption(report, option.options, left - 1, visit);
    report.leave();
  });
  report.leave();
}

function checkOption(report: FullReport, { name, name_localizations }: Fields, { defaults, owners }: Names): void {
  if (!isFields(name_localizations)) return;
  report.enter('name_localizations');
  for (const [locale, text] of Object.entries(name_localizations)) {
    if (typeof text !== 'string' || text === name) continue;
    const key = `${locale} ${text}`;
    const owner = owners.get(key) ?? name;
    owners.set(key, owner);
    if (owner !== name || defaults.has(text)) report.at(locale, 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', text);
  }
  report.leave();
}
