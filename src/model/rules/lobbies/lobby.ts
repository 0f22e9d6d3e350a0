import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { lobbyFlags, lobbyMemberFlags, type Metadata } from '../../lobby.ts';
import { readSnowflake } from '../../snowflake.ts';
import {
  checkBody,
  checkBoolean,
  checkEnum,
  checkInteger,
  checkList,
  checkObjectItem,
  checkSnowflake,
  checkString,
  checkText,
  checkWebAddress,
  codePointsUpTo,
  type Fields,
  isAbsent,
  isFields,
  isLonger,
} from '../field.ts';
import { Report } from '../report.ts';

/** Checks that the bodies about lobbies share; all fields may be absent or null. */

const lobbyFlagValues = [0, lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION];
const memberFlagValues = [0, lobbyMemberFlags.CanLinkLobby];

export function checkLobbyFlags(report: Report, flags: unknown): void {
  if (!isAbsent(flags)) checkEnum(report, 'flags', flags, lobbyFlagValues);
}

export function checkIdleTimeout(report: Report, seconds: unknown): void {
  if (isAbsent(seconds)) return;
  const { lobbyIdleTimeoutSecondsMin: min, lobbyIdleTimeoutSecondsMax: max } = limits;
  checkInteger(report, 'idle_timeout_seconds', seconds, min, max);
}

/**
 * Text → text, of a lobby or a member.
 *
 * Unspecified: the total length is that of all keys and all values in code points, without any syntax around them;
 * and the bound of the number of entries.
 */
export function checkMetadata(report: Report, name: string, metadata: unknown): void {
  if (isAbsent(metadata)) return;
  if (!isFields(metadata)) {
    report.at(name, 'DICT_TYPE_CONVERT');
    return;
  }
  const max = limits.lobbyMetadataLengthMax;
  let length = 0;
  report.enter(name);
  for (const key of Object.keys(metadata)) {
    const text = metadata[key];
    length += codePointsUpTo(key, max);
    if (checkString(report, key, key) && checkString(report, key, text)) length += codePointsUpTo(text, max);
  }
  report.leave();
  if (length > max) report.at(name, 'BASE_TYPE_MAX_LENGTH', max);
  else if (Object.keys(metadata).length > limits.lobbyMetadataEntriesMax) {
    report.at(name, 'BASE_TYPE_MAX_LENGTH', limits.lobbyMetadataEntriesMax);
  }
}

/** What a member has both in a lobby's list and in a body of its own. */
export function checkMemberFields(report: Report, member: Fields): void {
  checkMetadata(report, 'metadata', member.metadata);
  if (!isAbsent(member.flags)) checkEnum(report, 'flags', member.flags, memberFlagValues);
}

export function checkAdditionalName(report: Report, name: unknown): void {
  if (!isAbsent(name)) checkText(report, 'additional_name', name, 1, limits.lobbyAdditionalNameLengthMax);
}

/**
 * The entries about single members, where the report stands; of a list that is too long only what is allowed is looked
 * at. Unspecified: a user listed twice is rejected, because the two entries may differ.
 */
export function checkMemberEntries(
  report: Report,
  entries: readonly unknown[],
  checkFields: (report: Report, entry: Fields) => void,
  max: number = limits.lobbyMembersPerRequestMax,
): void {
  const ids = new Set<string>();
  report.enter(0);
  for (let i = 0; i < Math.min(entries.length, max); i++) {
    const entry = entries[i];
    report.moveTo(i);
    if (!checkObjectItem(report, entry)) continue;
    checkFields(report, entry);
    checkMemberId(report, entry.id, ids);
  }
  report.leave();
}

function checkMemberId(report: Report, value: unknown, ids: Set<string>): void {
  if (isAbsent(value) || value === '') report.at('id', 'BASE_TYPE_REQUIRED');
  else checkSnowflake(report, 'id', value);
  const id = readSnowflake(value);
  if (id === undefined) return;
  if (ids.has(id)) report.at('id', 'LIST_ITEM_DUPLICATE');
  ids.add(id);
}

/** Bounds of a text → text map that count its entries and each of them. */
export interface TextMapBounds {
  readonly entriesMax: number;
  readonly keyLengthMax: number;
  readonly valueLengthMax: number;
}

/** Text → text, where the report stands. */
export function checkTextMap(report: Report, map: unknown, bounds: TextMapBounds): void {
  if (!isFields(map)) {
    report.here('DICT_TYPE_CONVERT');
    return;
  }
  const keys = Object.keys(map);
  if (keys.length > bounds.entriesMax) report.here('BASE_TYPE_MAX_LENGTH', bounds.entriesMax);
  for (const key of keys.slice(0, bounds.entriesMax)) {
    if (!checkString(report, key, key)) continue;
    if (isLonger(key, bounds.keyLengthMax)) report.at(key, 'BASE_TYPE_MAX_LENGTH', bounds.keyLengthMax);
    checkText(report, key, map[key], 0, bounds.valueLengthMax);
  }
}

/**
 * Checks the body that creates or edits a lobby; every field may be absent or null.
 *
 * @see docs/spec/lobbies.md#operations; docs/spec/lobbies.md#metadata; docs/spec/lobbies.md#create; docs/spec/lobbies.md#edit
 */
export function checkLobby(value: unknown): Issue[] {
  return checkBody(value, (report, lobby) => {
    checkMetadata(report, 'metadata', lobby.metadata);
    checkMembers(report, lobby.members);
    checkIdleTimeout(report, lobby.idle_timeout_seconds);
    checkLobbyFlags(report, lobby.flags);
    checkWebhooksUrl(report, lobby.override_event_webhooks_url);
  });
}

/**
 * Checks the body that adds or updates one member; every field may be absent or null.
 *
 * @see docs/spec/lobbies.md#put-a-member
 */
export function checkLobbyMember(value: unknown): Issue[] {
  return checkBody(value, (report, member) => {
    checkMemberFields(report, member);
    checkAdditionalName(report, member.additional_name);
  });
}

/**
 * Checks the body of a bulk update: a list of 1 to `max` entries.
 *
 * @param max more than one request takes, for a list that will be sent in several
 * @see docs/spec/lobbies.md#bulk-update
 */
export function checkLobbyMemberChanges(value: unknown, max: number = limits.lobbyMembersPerRequestMax): Issue[] {
  const report = new Report();
  if (!Array.isArray(value)) report.here('LIST_TYPE_CONVERT');
  else {
    if (value.length < 1 || value.length > max) report.here('BASE_TYPE_BAD_LENGTH', 1, max);
    checkMemberEntries(report, value, checkChange, max);
  }
  return report.issues;
}

function checkChange(report: Report, entry: Fields): void {
  checkMemberFields(report, entry);
  checkAdditionalName(report, entry.additional_name);
  if (!isAbsent(entry.remove_member)) checkBoolean(report, 'remove_member', entry.remove_member);
}

function checkMembers(report: Report, members: unknown): void {
  if (isAbsent(members) || !checkList(report, 'members', members, limits.lobbyMembersPerRequestMax)) return;
  report.enter('members');
  checkMemberEntries(report, members, checkMemberFields);
  report.leave();
}

function checkWebhooksUrl(report: Report, url: unknown): void {
  if (!isAbsent(url)) checkWebAddress(report, 'override_event_webhooks_url', url, limits.lobbyWebhooksUrlLengthMax);
}

/** Whether two say the same, in whatever order. */
export function sameMetadata(a: Metadata | null, b: Metadata | null): boolean {
  if (a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && a[name] === b[name]);
}
