import type { Issue } from '../errors/issue.ts';
import { readSnowflake, type Snowflake, snowflakeMax } from '../snowflake.ts';
import { Report } from './report.ts';

/** Length of a text in Unicode code points, as every bound of the interface counts it. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isHigh(text.charCodeAt(i - 1)) && isLow(text.charCodeAt(i))) count--;
  }
  return count;
}

/** As {@link codePoints}; of a text that has more than `max` for certain its UTF-16 units, which need not be counted. */
export function codePointsUpTo(text: string, max: number): number {
  return text.length > 2 * max ? text.length : codePoints(text);
}

/** Whether the text has more than `max` code points. Counts only when the answer is not plain from `length`. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && codePointsUpTo(text, max) > max;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Checks of one field, shared by all rules. Each reports at `key` of the value where the report stands and says
 * whether the field can be built on.
 *
 * Unspecified, for the whole rulebook:
 * - JSON types are not converted (`"1"` is no number, `1` no text), so that a body means the same to every reader.
 * - An optional field that is null counts as absent; clients send both.
 * - A text with a lone surrogate, which JSON can carry as an escape, is no text, except in commands: UTF-8 could not keep two of them apart.
 * - Of a list that is too long only the allowed number of items is looked at.
 */
export type Key = string | number;

/** An object of a JSON body; what its fields hold is yet unknown. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Text of 1 to `max` characters that must be there. */
export function checkRequiredText(report: Report, key: Key, value: unknown, max: number): value is string {
  if (typeof value === 'string' && value !== '') return checkText(report, key, value, 1, max);
  report.at(key, isAbsent(value) || value === '' ? 'BASE_TYPE_REQUIRED' : 'STRING_TYPE_CONVERT');
  return false;
}

/** Text of `min` (0 or 1) to `max` characters. */
export function checkText(report: Report, key: Key, value: unknown, min: 0 | 1, max: number): value is string {
  if (!checkString(report, key, value)) return false;
  report.textUnits += value.length;
  if (value.length >= min && !isLonger(value, max)) return true;
  if (min === 0) report.at(key, 'BASE_TYPE_MAX_LENGTH', max);
  else report.at(key, 'BASE_TYPE_BAD_LENGTH', min, max);
  return false;
}

/** An absolute `http:` or `https:` address of at most `max` characters. */
export function checkWebAddress(report: Report, key: Key, value: unknown, max: number): value is string {
  if (!checkText(report, key, value, 0, max)) return false;
  if (!URL.canParse(value)) report.at(key, 'URL_TYPE_INVALID_URL');
  else if (!/^https?:/i.test(value)) report.at(key, 'URL_TYPE_INVALID_SCHEME');
  else return true;
  return false;
}

/** Well-formed text of any length. */
export function checkString(report: Report, key: Key, value: unknown): value is string {
  if (report.isText(value)) return true;
  report.at(key, 'STRING_TYPE_CONVERT');
  return false;
}

export function checkBoolean(report: Report, key: Key, value: unknown): value is boolean {
  if (typeof value === 'boolean') return true;
  report.at(key, 'BOOLEAN_TYPE_CONVERT');
  return false;
}

/** A whole number from `min` to `max`. */
export function checkInteger(report: Report, key: Key, value: unknown, min: number, max: number): value is number {
  return checkNumber(report, key, value, min, max, 'int');
}

/** A number from `min` to `max`; whole when `kind` is `int`. */
export function checkNumber(
  report: Report,
  key: Key,
  value: unknown,
  min: number,
  max: number,
  kind: 'int' | 'float',
): value is number {
  if (typeof value !== 'number' || !(kind === 'int' ? Number.isInteger(value) : Number.isFinite(value))) {
    report.at(key, 'NUMBER_TYPE_COERCE', value, kind);
  } else if (value < min) report.at(key, 'NUMBER_TYPE_MIN', min, kind);
  else if (value > max) report.at(key, 'NUMBER_TYPE_MAX', max, kind);
  else return true;
  return false;
}

/** One of the whole numbers `choices`. */
export function checkEnum<Choice extends number>(
  report: Report,
  key: Key,
  value: unknown,
  choices: readonly Choice[],
): value is Choice {
  if (typeof value !== 'number' || !Number.isInteger(value)) report.at(key, 'NUMBER_TYPE_COERCE', value, 'int');
  else if (!(choices as readonly number[]).includes(value)) report.at(key, 'BASE_TYPE_CHOICES', choices);
  else return true;
  return false;
}

/** As {@link checkEnum}, of a value that must be there. */
export function checkRequiredEnum<Choice extends number>(
  report: Report,
  key: Key,
  value: unknown,
  choices: readonly Choice[],
): value is Choice {
  if (!isAbsent(value)) return checkEnum(report, key, value, choices);
  report.at(key, 'BASE_TYPE_REQUIRED');
  return false;
}

/** As {@link checkSnowflake}, of an id that must be there. */
export function checkRequiredId(report: Report, key: Key, value: unknown): void {
  if (isAbsent(value)) report.at(key, 'BASE_TYPE_REQUIRED');
  else checkSnowflake(report, key, value);
}

/** An id in any form the interface reads; gives its decimal text. */
export function checkSnowflake(report: Report, key: Key, value: unknown): Snowflake | undefined {
  const id = readSnowflake(value);
  if (id !== undefined) return id;
  if (typeof value === 'string' && /^[1-9][0-9]*$/.test(value)) {
    report.at(key, 'NUMBER_TYPE_MAX', snowflakeMax, 'snowflake');
  } else report.at(key, 'NUMBER_TYPE_COERCE', value, 'snowflake');
  return undefined;
}

/** A list of at most `max` items; longer ones are reported and remain usable as far as `max`. */
export function checkList(report: Report, key: Key, value: unknown, max: number): value is readonly unknown[] {
  if (!Array.isArray(value)) {
    report.at(key, 'LIST_TYPE_CONVERT');
    return false;
  }
  if (value.length > max) report.at(key, 'BASE_TYPE_MAX_LENGTH', max);
  return true;
}

/** A list of `min` to `max` items that must be there; usable as far as `max`. */
export function checkSizedList(
  report: Report,
  key: Key,
  value: unknown,
  min: number,
  max: number,
): value is readonly unknown[] {
  if (isAbsent(value)) report.at(key, 'BASE_TYPE_REQUIRED');
  else if (!Array.isArray(value)) report.at(key, 'LIST_TYPE_CONVERT');
  else {
    if (value.length < min || value.length > max) report.at(key, 'BASE_TYPE_BAD_LENGTH', min, max);
    return true;
  }
  return false;
}

/** Each of the first `max` items of a list of objects; the report stands at the item. */
export function checkItems<Check extends Report>(
  report: Check,
  key: Key,
  list: readonly unknown[],
  max: number,
  checkItem: (report: Check, item: Fields, index: number) => void,
): void {
  report.enter(key);
  report.enter(0);
  for (let i = 0; i < Math.min(list.length, max); i++) {
    const item = list[i];
    report.moveTo(i);
    if (checkObjectItem(report, item)) checkItem(report, item, i);
  }
  report.leave();
  report.leave();
}

/** An item of a list of objects; the report stands at it. */
export function checkObjectItem(report: Report, item: unknown): item is Fields {
  if (isFields(item)) return true;
  if (isAbsent(item) || item === '') report.here('LIST_ITEM_VALUE_REQUIRED');
  else report.here('MODEL_TYPE_CONVERT');
  return false;
}

/** A list of different enumeration values, `min` of them or more. */
export function checkEnumSet(report: Report, key: Key, value: unknown, choices: readonly number[], min: 0 | 1): void {
  if (!checkList(report, key, value, choices.length)) return;
  if (value.length < min) report.at(key, 'BASE_TYPE_MIN_LENGTH', min);
  const items = value.slice(0, choices.length);
  report.enter(key);
  items.forEach((item, i) => {
    if (checkEnum(report, i, item, choices) && items.indexOf(item) < i) report.at(i, 'LIST_ITEM_DUPLICATE');
  });
  report.leave();
}

/** A body that must be an object. */
export function checkBody(value: unknown, checkFields: (report: Report, body: Fields) => void): Issue[] {
  const report = new Report();
  if (isFields(value)) checkFields(report, value);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}
