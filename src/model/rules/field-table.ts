import {
  checkBoolean,
  checkInteger,
  checkItems,
  checkList,
  checkSnowflake,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from './field.ts';
import type { FullReport } from './full-report.ts';

/** The known fields of an object; the value of a field is kept as it is (true), or is an object or list of objects with these fields. */
export interface KnownFields {
  readonly [field: string]: true | KnownFields;
}

/** The value with its known fields that are not null; of a list each item. */
export function pickKnown(value: unknown, known: KnownFields): unknown {
  if (Array.isArray(value)) return value.map(item => pickKnown(item, known));
  if (!isFields(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(known)) {
    if (!isAbsent(value[field])) picked[field] = inner === true ? value[field] : pickKnown(value[field], inner);
  }
  return picked;
}

/** The rule for a field. */
export interface FieldRule {
  /** Called with a value that is not absent; reports at `key`. */
  readonly check: (report: FullReport, key: string, value: unknown) => void;
  readonly known: true | KnownFields;
  readonly isRequired?: true;
}

/** The rules for the fields of an object, by their names; null counts as absent. */
export type FieldTable = Readonly<Record<string, FieldRule>>;

export function checkTable(report: FullReport, value: Fields, table: FieldTable): void {
  for (const [key, { check, isRequired }] of Object.entries(table)) {
    if (!isAbsent(value[key]) && !(isRequired && value[key] === '')) check(report, key, value[key]);
    else if (isRequired) report.at(key, 'BASE_TYPE_REQUIRED');
  }
}

/** The names of a table's fields, and of what is in them. */
export function knownOf(table: FieldTable): KnownFields {
  return Object.fromEntries(Object.entries(table).map(([key, { known }]) => [key, known]));
}

function rule(check: FieldRule['check'], known: FieldRule['known'] = true): FieldRule {
  return { check, known };
}

export const aBoolean = rule(checkBoolean);
export const aSnowflake = rule(checkSnowflake);
export const aTime = rule((report, key, value) => {
  if (typeof value !== 'string') report.at(key, 'STRING_TYPE_CONVERT');
  else if (!isoTime.test(value) || Number.isNaN(Date.parse(value))) report.at(key, 'DATE_TIME_TYPE_PARSE', value);
});

export function aText(max: number): FieldRule {
  return rule((report, key, value) => checkText(report, key, value, 0, max));
}

export function anInteger(min: number, max: number): FieldRule {
  return rule((report, key, value) => checkInteger(report, key, value, min, max));
}

/** An address for the web; an empty text says that there is none. */
export function anAddress(max: number): FieldRule {
  return rule((report, key, value) => {
    if (checkText(report, key, value, 0, max) && value !== '') checkAddress(report, key, value, ['http', 'https']);
  });
}

/** What is shown: an address for the web, or a file of the message. */
export function aMediaAddress(max: number): FieldRule {
  return rule((report, key, value) => {
    if (checkText(report, key, value, 0, max) && value !== '') checkMediaAddress(report, key, value);
  });
}

export function anObject(table: FieldTable): FieldRule {
  return rule((report, key, value) => {
    if (!isFields(value)) {
      report.at(key, 'MODEL_TYPE_CONVERT');
      return;
    }
    report.enter(key);
    checkTable(report, value, table);
    report.leave();
  }, knownOf(table));
}

export function aList(max: number, table: FieldTable): FieldRule {
  return rule((report, key, value) => {
    if (checkList(report, key, value, max)) {
      checkItems(report, key, value, max, (_, item) => checkTable(report, item, table));
    }
  }, knownOf(table));
}

export function required(field: FieldRule): FieldRule {
  return { ...field, isRequired: true };
}

const isoTime = /^\d{4}-\d\d-\d\d(?:[T ][\d:.,]{1,20}(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** An absolute address of one of the schemes. */
export function checkAddress(report: FullReport, key: string, text: string, schemes: readonly string[]): void {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!URL.canParse(text)) report.at(key, 'URL_TYPE_INVALID_URL');
  else if (!schemes.includes(scheme.toLowerCase())) report.at(key, 'URL_TYPE_INVALID_SCHEME');
}

const attachmentPrefix = 'attachment://';

/** An address for the web, or `attachment://` and the name of a file of the message. */
export function checkMediaAddress(report: FullReport, key: string, text: string): void {
  const name = text.startsWith(attachmentPrefix) ? text.slice(attachmentPrefix.length) : undefined;
  if (name === undefined) checkAddress(report, key, text, ['http', 'https']);
  else if (name === '' || report.attachmentNames?.has(name) === false) {
    report.at(key, 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND', name);
  }
}
