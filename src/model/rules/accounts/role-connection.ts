import type { Issue } from '../../errors/issue.ts';
import { roleConnectionLimits } from '../../limits/role-connection-limits.ts';
import {
  type RoleConnectionMetadata,
  type RoleConnectionType,
  roleConnectionTypes as types,
} from '../../role-connection.ts';
import {
  checkBody,
  checkObjectItem,
  checkRequiredEnum,
  checkRequiredText,
  checkString,
  checkText,
  type Fields,
  isAbsent,
  isFields,
  isLonger,
} from '../field.ts';
import { checkLocalizations } from '../locales/localizations.ts';
import { Report } from '../report.ts';

const keyPattern = /^[a-z0-9_]+$/;
const allTypes = Object.values(types);

/** Checks the list of all that guilds can ask of an application's users. */
export function checkRoleConnectionMetadata(value: unknown): Issue[] {
  const report = new Report();
  const max = roleConnectionLimits.roleConnectionMetadataMax;
  if (!Array.isArray(value)) report.here('LIST_TYPE_CONVERT');
  else {
    if (value.length > max) report.here('BASE_TYPE_MAX_LENGTH', max);
    checkRecords(report, value.slice(0, max));
  }
  return report.issues;
}

function checkRecords(report: Report, records: readonly unknown[]): void {
  const keys = new Set<unknown>();
  report.enter(0);
  records.forEach((record, i) => {
    report.moveTo(i);
    if (!checkObjectItem(report, record)) return;
    checkRecord(report, record);
    if (keys.has(record.key)) report.at('key', 'LIST_ITEM_DUPLICATE');
    keys.add(record.key);
  });
  report.leave();
}

function checkRecord(report: Report, record: Fields): void {
  const { roleConnectionNameLengthMax: nameMax, roleConnectionDescriptionLengthMax: descriptionMax } =
    roleConnectionLimits;
  checkRequiredEnum(report, 'type', record.type, allTypes);
  if (
    checkRequiredText(report, 'key', record.key, roleConnectionLimits.roleConnectionKeyLengthMax) &&
    !keyPattern.test(record.key)
  ) {
    report.at('key', 'STRING_TYPE_REGEX');
  }
  checkRequiredText(report, 'name', record.name, nameMax);
  checkTranslations(report, 'name_localizations', record.name_localizations, nameMax);
  checkRequiredText(report, 'description', record.description, descriptionMax);
  checkTranslations(report, 'description_localizations', record.description_localizations, descriptionMax);
}

function checkTranslations(report: Report, key: string, value: unknown, max: number): void {
  checkLocalizations(report, key, value, (at, locale, text) => checkText(at, locale, text, 1, max));
}

/**
 * Checks the body that says what an application knows of a user elsewhere.
 *
 * Unspecified: a value whose key is of no record is text like any other, as records may come after their values; of one
 * that is, the type of the record decides.
 *
 * @param records of the application
 */
export function checkRoleConnection(value: unknown, records: readonly RoleConnectionMetadata[]): Issue[] {
  return checkBody(value, (report, { platform_name, platform_username, metadata }) => {
    if (!isAbsent(platform_name))
      checkText(report, 'platform_name', platform_name, 0, roleConnectionLimits.platformNameLengthMax);
    if (!isAbsent(platform_username)) {
      checkText(report, 'platform_username', platform_username, 0, roleConnectionLimits.platformUsernameLengthMax);
    }
    if (!isAbsent(metadata)) checkValues(report, metadata, records);
  });
}

function checkValues(report: Report, metadata: unknown, records: readonly RoleConnectionMetadata[]): void {
  if (!isFields(metadata)) {
    report.at('metadata', 'DICT_TYPE_CONVERT');
    return;
  }
  const max = roleConnectionLimits.roleConnectionMetadataMax;
  const keys = Object.keys(metadata);
  if (keys.length > max) report.at('metadata', 'BASE_TYPE_MAX_LENGTH', max);
  report.enter('metadata');
  for (const key of keys.slice(0, max)) {
    const record = records.find(one => one.key === key);
    if (isLonger(key, roleConnectionLimits.roleConnectionKeyLengthMax) || !keyPattern.test(key))
      report.at(key, 'STRING_TYPE_REGEX');
    else checkValue(report, key, metadata[key], record?.type);
  }
  report.leave();
}

/** Numbers stand for their text. */
function checkValue(report: Report, key: string, value: unknown, type: RoleConnectionType | undefined): void {
  const text = typeof value === 'number' ? String(value) : value;
  if (!checkString(report, key, text)) return;
  if (!checkText(report, key, text, 0, roleConnectionLimits.roleConnectionValueLengthMax)) return;
  switch (type) {
    case types.DATETIME_LESS_THAN_OR_EQUAL:
    case types.DATETIME_GREATER_THAN_OR_EQUAL:
      if (!isTime(text)) report.at(key, 'DATE_TIME_TYPE_PARSE', text);
      return;
    case types.BOOLEAN_EQUAL:
    case types.BOOLEAN_NOT_EQUAL:
      if (text !== '0' && text !== '1') report.at(key, 'BASE_TYPE_CHOICES', [0, 1]);
      return;
    case undefined:
      return;
    default:
      if (!/^-?\d+$/.test(text)) report.at(key, 'NUMBER_TYPE_COERCE', text, 'int');
  }
}

/** A day, or a moment of it. */
function isTime(text: string): boolean {
  const form = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}
