import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { socialLimits } from '../../limits/social-limits.ts';
import { relationshipTypes } from '../../relationship.ts';
import { checkBody, checkBoolean, checkEnum, checkRequiredText, checkText, type Fields, isAbsent } from '../field.ts';
import type { Report } from '../report.ts';

/** What a PUT asks for by default: it sends a request, or accepts the other user's. */
export const requestOrAccept = -1;

/** Checks the body that requests a relationship by username. @see docs/spec/social.md#relationships */
export function checkRelationshipRequest(value: unknown): Issue[] {
  return checkBody(value, (report, body) => {
    checkRequiredText(report, 'username', body.username, limits.usernameLengthMax);
    checkNote(report, body);
  });
}

/** Checks the note of a request alone. @see docs/spec/social.md#relationships */
export function checkRequestNote(value: unknown): Issue[] {
  return checkBody(value, checkNote);
}

/** Checks the body that requests, accepts or blocks. @see docs/spec/social.md#relationships */
export function checkRelationshipPut(value: unknown): Issue[] {
  return checkPut(value, [requestOrAccept, relationshipTypes.FRIEND, relationshipTypes.BLOCKED]);
}

/** As {@link checkRelationshipPut}, in a game, where nobody can be blocked. @see docs/spec/social.md#relationships */
export function checkGameRelationshipPut(value: unknown): Issue[] {
  return checkPut(value, [requestOrAccept, relationshipTypes.FRIEND]);
}

/** Checks the body that gives a friend a nickname. @see docs/spec/social.md#relationships */
export function checkRelationshipEdit(value: unknown): Issue[] {
  return checkBody(value, (report, { nickname }) => {
    if (!isAbsent(nickname)) checkText(report, 'nickname', nickname, 1, socialLimits.nicknameLengthMax);
  });
}

function checkPut(value: unknown, types: readonly number[]): Issue[] {
  return checkBody(value, (report, body) => {
    if (!isAbsent(body.type)) checkEnum(report, 'type', body.type, types);
    for (const flag of ['confirm_stranger_request', 'from_friend_suggestion']) {
      if (!isAbsent(body[flag])) checkBoolean(report, flag, body[flag]);
    }
    checkNote(report, body);
  });
}

function checkNote(report: Report, { note }: Fields): void {
  if (!isAbsent(note)) checkText(report, 'note', note, 0, socialLimits.relationshipNoteLengthMax);
}
