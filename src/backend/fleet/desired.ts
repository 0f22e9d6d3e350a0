import type { Issue } from '../../model/errors/issue.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyInput, LobbyMemberInput } from '../../model/lobby.ts';
import { checkList, isAbsent, isFields } from '../../model/rules/field.ts';
import {
  checkAdditionalName,
  checkLobby,
  checkMemberEntries,
  checkMemberFields,
} from '../../model/rules/lobbies/lobby.ts';
import { Report } from '../../model/rules/report.ts';
import type { UserId } from '../../model/snowflake.ts';

/**
 * A member as it should be. Metadata and flags left out are to have their defaults (none and 0); an additional name
 * left out is left alone, null is to be none.
 */
export interface DesiredMember extends LobbyMemberInput {
  id: UserId;
}

/**
 * A lobby as it should be. A field left out is left alone; `metadata`, `flags` and `override_event_webhooks_url` of
 * null are to be empty. `members`, up to `limits.lobbyMembersMax`, are all who should be in it.
 */
export interface DesiredLobby extends Omit<LobbyInput, 'members'> {
  members?: readonly DesiredMember[] | null | undefined;
}

/** Every fault of a desired lobby, with the codes and paths that a request of that content would have. */
export function checkDesired(value: unknown): Issue[] {
  if (!isFields(value)) return checkLobby(value);
  const { members, ...fields } = value;
  return [...checkLobby(fields), ...checkMembers(members)];
}

function checkMembers(members: unknown): Issue[] {
  const report = new Report();
  const max = limits.lobbyMembersMax;
  if (isAbsent(members) || !checkList(report, 'members', members, max)) return report.issues;
  report.enter('members');
  checkMemberEntries(
    report,
    members,
    (report, member) => {
      checkMemberFields(report, member);
      checkAdditionalName(report, member.additional_name);
    },
    max,
  );
  return report.issues;
}
