import type { Issue } from '../issue.ts';
import { limits } from '../limits.ts';
import { lobbyFlags, lobbyMemberFlags } from '../lobby.ts';
import { readSnowflake } from '../snowflake.ts';
import {
  checkEnum,
  checkInteger,
  checkList,
  checkObjectItem,
  checkSnowflake,
  checkString,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from './field.ts';
import { Report } from './report.ts';
import { codePoints } from './text-length.ts';

const lobbyFlagValues = [0, lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION];
const memberFlagValues = [0, lobbyMemberFlags.CanLinkLobby];

/**
 * Checks the body that creates or edits a lobby; every field may be absent or null.
 *
 * @see interface.md, "Lobbies (server to server)"; lobbies.md 1.6, 2.1, 2.4
 */
export function checkLobby(value: unknown): Issue[] {
  return checkBody(value, (report, lobby) => {
    checkMetadata(report, lobby.metadata);
    checkMembers(report, lobby.members);
    checkIdleTimeout(report, lobby.idle_timeout_seconds);
    if (!isAbsent(lobby.flags)) checkEnum(report, 'flags', lobby.flags, lobbyFlagValues);
    checkWebhooksUrl(report, lobby.override_event_webhooks_url);
  });
}

/**
 * Checks the body that adds or updates one member; every field may be absent or null.
 *
 * @see lobbies.md 2.6
 */
export function checkLobbyMember(value: unknown): Issue[] {
  return checkBody(value, (report, member) => {
    checkMemberFields(report, member);
    if (isAbsent(member.additional_name)) return;
    checkText(report, 'additional_name', member.additional_name, 1, limits.lobbyAdditionalNameLengthMax);
  });
}

function checkBody(value: unknown, checkFields: (report: Report, body: Fields) => void): Issue[] {
  const report = new Report();
  if (isFields(value)) checkFields(report, value);
  else report.here('DICT_TYPE_CONVERT');
  return report.issues;
}

/** What a member has both in a lobby's list and in a body of its own. */
function checkMemberFields(report: Report, member: Fields): void {
  checkMetadata(report, member.metadata);
  if (!isAbsent(member.flags)) checkEnum(report, 'flags', member.flags, memberFlagValues);
}

/**
 * Text → text.
 *
 * Our choice: the total length is that of all keys and all values in code points, without any syntax around them; the
 * number of entries is bounded by nothing else, as the interface bounds nothing else.
 */
function checkMetadata(report: Report, metadata: unknown): void {
  if (isAbsent(metadata)) return;
  if (!isFields(metadata)) {
    report.at('metadata', 'DICT_TYPE_CONVERT');
    return;
  }
  let length = 0;
  report.enter('metadata');
  for (const key of Object.keys(metadata)) {
    const text = metadata[key];
    length += codePoints(key);
    if (checkString(report, key, text)) length += codePoints(text);
  }
  report.leave();
  if (length > limits.lobbyMetadataLengthMax) {
    report.at('metadata', 'BASE_TYPE_MAX_LENGTH', limits.lobbyMetadataLengthMax);
  }
}

/** Our choice: a user listed twice is refused, for the two entries may say different things. */
function checkMembers(report: Report, members: unknown): void {
  const max = limits.lobbyMembersPerRequestMax;
  if (isAbsent(members) || !checkList(report, 'members', members, max)) return;
  const ids = new Set<string>();
  report.enter('members');
  report.enter(0);
  for (let i = 0; i < Math.min(members.length, max); i++) {
    const member = members[i];
    report.moveTo(i);
    if (checkObjectItem(report, member)) checkMember(report, member, ids);
  }
  report.leave();
  report.leave();
}

function checkMember(report: Report, member: Fields, ids: Set<string>): void {
  checkMemberFields(report, member);
  if (isAbsent(member.id) || member.id === '') report.at('id', 'BASE_TYPE_REQUIRED');
  else checkSnowflake(report, 'id', member.id);
  const id = readSnowflake(member.id);
  if (id === undefined) return;
  if (ids.has(id)) report.at('id', 'LIST_ITEM_DUPLICATE');
  ids.add(id);
}

function checkIdleTimeout(report: Report, seconds: unknown): void {
  if (isAbsent(seconds)) return;
  const { lobbyIdleTimeoutSecondsMin: min, lobbyIdleTimeoutSecondsMax: max } = limits;
  checkInteger(report, 'idle_timeout_seconds', seconds, min, max);
}

function checkWebhooksUrl(report: Report, url: unknown): void {
  const key = 'override_event_webhooks_url';
  if (isAbsent(url) || !checkText(report, key, url, 0, limits.lobbyWebhooksUrlLengthMax)) return;
  if (!URL.canParse(url)) report.at(key, 'URL_TYPE_INVALID_URL');
  else if (!/^https?:/i.test(url)) report.at(key, 'URL_TYPE_INVALID_SCHEME');
}
