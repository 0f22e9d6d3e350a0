import { type OptionType, optionTypes } from '../../command.ts';
import { limits } from '../../limits/limits.ts';
import {
  checkList,
  checkNumber,
  checkObjectItem,
  checkRequiredText,
  checkText,
  type Fields,
  isAbsent,
} from '../field.ts';
import type { FullReport } from '../full-report.ts';
import { checkLocalizations } from '../locales/localizations.ts';

/**
 * Checks the choices of an option of type STRING, INTEGER or NUMBER.
 *
 * Unspecified: two choices may share a name or a value, and a value may lie outside the option's bounds; no source
 * rejects either, and the hosted service is known to accept the latter.
 *
 * @see docs/spec/commands.md#choices; docs/spec/commands.md#options
 */
export function checkChoices(report: FullReport, value: unknown, type: OptionType): void {
  if (!checkList(report, 'choices', value, limits.optionChoicesMax)) return;
  const count = Math.min(value.length, limits.optionChoicesMax);
  report.enter('choices');
  report.enter(0);
  for (let i = 0; i < count; i++) {
    const choice = value[i];
    report.moveTo(i);
    if (checkObjectItem(report, choice)) checkChoice(report, choice, type);
  }
  report.leave();
  report.leave();
}

function checkChoice(report: FullReport, choice: Fields, type: OptionType): void {
  checkRequiredText(report, 'name', choice.name, limits.choiceNameLengthMax);
  checkLocalizations(report, 'name_localizations', choice.name_localizations, checkLocalizedName);
  checkValue(report, choice.value, type);
}

function checkLocalizedName(report: FullReport, locale: string, text: unknown): void {
  checkText(report, locale, text, 1, limits.choiceNameLengthMax);
}

function checkValue(report: FullReport, value: unknown, type: OptionType): void {
  if (type === optionTypes.STRING) checkRequiredText(report, 'value', value, limits.choiceValueLengthMax);
  else if (isAbsent(value)) report.at('value', 'BASE_TYPE_REQUIRED');
  else checkOptionNumber(report, 'value', value, type);
}

/** A number that an option of type INTEGER or NUMBER can carry. */
export function checkOptionNumber(report: FullReport, key: string, value: unknown, type: OptionType): value is number {
  const whole = type === optionTypes.INTEGER;
  const max = whole ? limits.integerMax : limits.numberMax;
  return checkNumber(report, key, value, -max, max, whole ? 'int' : 'float');
}
