import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import type { Metadata } from '../../lobby.ts';
import { checkBody } from '../body.ts';
import { checkBoolean, checkList, checkWebAddress, type Fields, isAbsent } from '../field.ts';
import { Report } from '../report.ts';
import {
  checkAdditionalName,
  checkIdleTimeout,
  checkLobbyFlags,
  checkMemberEntries,
  checkMemberFields,
  checkMetadata,
} from './lobby-fields.ts';

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
