import { isLocale, locales } from '../../locale.ts';
import { isAbsent, isFields } from '../field.ts';
import type { Report } from '../report.ts';

/** Checks one text of a dictionary; the report stands at the dictionary. */
export type CheckText<Check extends Report> = (report: Check, locale: string, text: unknown) => void;

/**
 * Checks a dictionary locale → text: keys are known locales, texts follow the rules of the field they translate.
 *
 * Null clears the dictionary. Unspecified: a null text counts as no entry (widespread builders send it to remove one),
 * and a bad text is reported at its locale on every level, not at the dictionary.
 *
 * @see docs/spec/commands.md#localization
 */
export function checkLocalizations<Check extends Report>(
  report: Check,
  key: string,
  value: unknown,
  checkText: CheckText<Check>,
): void {
  if (!isAbsent(value)) checkDictionary(report, key, value, checkText);
}

function checkDictionary<Check extends Report>(
  report: Check,
  key: string,
  value: unknown,
  checkText: CheckText<Check>,
): void {
  if (!isFields(value)) {
    report.at(key, 'DICT_TYPE_CONVERT');
    return;
  }
  const given = Object.keys(value);
  if (given.length > locales.length) report.at(key, 'BASE_TYPE_MAX_LENGTH', locales.length);
  report.enter(key);
  for (const locale of given.slice(0, locales.length)) {
    if (!isLocale(locale)) report.at(locale, 'BASE_TYPE_CHOICES', locales);
    else if (!isAbsent(value[locale])) checkText(report, locale, value[locale]);
  }
  report.leave();
}
