import { limits } from '../../limits/limits.ts';
import { codePoints, type Fields, isFields } from '../field.ts';
import type { FullReport } from '../full-report.ts';

/**
 * Combined length, in code points, of the names, descriptions and choice values of a command, its options and their
 * choices; of a translated field only the longest variant counts, the default included.
 *
 * Unspecified: a number as choice value has no length.
 *
 * Bound: `limits.commandTextLengthMax`. @see docs/spec/commands.md#size
 */
export function commandTextLength(command: unknown): number {
  return isFields(command) ? sumTexts(command, levels) : 0;
}

/**
 * Checks the combined length of a command's texts; the report stands at the command.
 *
 * @param textUnits what the report had counted before it came to the command
 */
export function checkCommandSize(report: FullReport, command: Fields, textUnits: number): void {
  const max = limits.commandTextLengthMax;
  // The texts are walked again only when they, translations and all, could be too long.
  if (report.textUnits - textUnits <= max) return;
  if (sumTexts(command, levels) > max) report.here('APPLICATION_COMMAND_TOO_LARGE', max);
}

/** Lists of options below each other: of the command, of a group, of a subcommand. */
const levels = 3;

function sumTexts(item: Fields, left: number): number {
  let sum = longest(item.name, item.name_localizations) + longest(item.description, item.description_localizations);
  if (left > 0 && Array.isArray(item.options)) {
    for (const option of item.options) if (isFields(option)) sum += sumTexts(option, left - 1);
  }
  if (Array.isArray(item.choices)) sum += sumChoices(item.choices);
  return sum;
}

function sumChoices(choices: readonly unknown[]): number {
  let sum = 0;
  for (const choice of choices) {
    if (!isFields(choice)) continue;
    sum += longest(choice.name, choice.name_localizations);
    if (typeof choice.value === 'string') sum += codePoints(choice.value);
  }
  return sum;
}

function longest(text: unknown, localizations: unknown): number {
  let most = typeof text === 'string' ? codePoints(text) : 0;
  if (!isFields(localizations)) return most;
  for (const locale of Object.keys(localizations)) {
    const translated = localizations[locale];
    if (typeof translated === 'string') most = Math.max(most, codePoints(translated));
  }
  return most;
}
