import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { overwriteTypes } from '../../overwrite.ts';
import { readSnowflake } from '../../snowflake.ts';
import {
  checkBoolean,
  checkList,
  checkObjectItem,
  checkRequiredEnum,
  checkRequiredId,
  type Fields,
  isAbsent,
  isFields,
} from '../field.ts';
import { Report } from '../report.ts';

const types = Object.values(overwriteTypes);

/**
 * Checks the body that replaces a command's overwrites, `{permissions: […]}`: at most `limits.commandPermissionsMax`
 * entries, each with an id, a type and a boolean. The caller checks that the ids belong to the guild.
 *
 * Unspecified: the list is required (null could clear overwrites by accident, so clearing takes `[]`),
 * and two entries for one role, user or channel are rejected, because they could contradict each other.
 *
 * @see docs/spec/permissions.md#replacing
 */
export function checkOverwrites(value: unknown): Issue[] {
  const report = new Report();
  if (!isFields(value)) report.here('DICT_TYPE_CONVERT');
  else if (isAbsent(value.permissions)) report.at('permissions', 'BASE_TYPE_REQUIRED');
  else if (checkList(report, 'permissions', value.permissions, limits.commandPermissionsMax)) {
    checkEntries(report, value.permissions);
  }
  return report.issues;
}

function checkEntries(report: Report, entries: readonly unknown[]): void {
  const seen = new Set<string>();
  report.enter('permissions');
  report.enter(0);
  for (let i = 0; i < Math.min(entries.length, limits.commandPermissionsMax); i++) {
    const entry = entries[i];
    report.moveTo(i);
    if (checkObjectItem(report, entry)) checkEntry(report, entry, seen);
  }
  report.leave();
  report.leave();
}

function checkEntry(report: Report, { id, type, permission }: Fields, seen: Set<string>): void {
  checkRequiredId(report, 'id', id);
  checkRequiredEnum(report, 'type', type, types);
  if (isAbsent(permission)) report.at('permission', 'BASE_TYPE_REQUIRED');
  else checkBoolean(report, 'permission', permission);
  const target = readSnowflake(id);
  if (target === undefined || typeof type !== 'number') return;
  const key = `${type} ${target}`;
  if (seen.has(key)) report.at('id', 'LIST_ITEM_DUPLICATE');
  seen.add(key);
}
