import { activityActionTypes } from '../../direct-message.ts';
import type { Issue } from '../../errors/issue.ts';
import { socialLimits } from '../../limits/social-limits.ts';
import { checkBody, checkEnum, checkRequiredEnum, checkSnowflake, checkText, isAbsent, isFields } from '../field.ts';
import { checkTextMap } from '../lobbies/lobby.ts';
import { checkContent, messageMetadataBounds, ownMessageFlags } from '../lobbies/lobby-message.ts';
import type { Report } from '../report.ts';

/**
 * Checks the body that sends a message to a user, without what depends on other state: whether it says anything ({@link
 * isEmptyMessage}), and what the invite is about. Unspecified: other fields of messages are ignored.
 *
 * @see docs/spec/social.md#messages
 */
export function checkDirectMessage(value: unknown): Issue[] {
  return checkBody(value, (report, message) => {
    checkContent(report, message);
    checkNonce(report, message.nonce);
    if (!isAbsent(message.flags)) checkEnum(report, 'flags', message.flags, ownMessageFlags);
    if (!isAbsent(message.metadata)) {
      report.enter('metadata');
      checkTextMap(report, message.metadata, messageMetadataBounds);
      report.leave();
    }
    if (!isAbsent(message.application_id)) checkSnowflake(report, 'application_id', message.application_id);
    if (!isAbsent(message.activity)) checkInvite(report, message.activity);
  });
}

/** Checks the body that edits a message. */
export function checkDirectMessageEdit(value: unknown): Issue[] {
  return checkBody(value, checkContent);
}

/** Whether a message has no content, or only white space, and is no invite. It is answered with `empty_message`. */
export function isEmptyMessage(message: unknown): boolean {
  if (!isFields(message)) return true;
  if (isFields(message.activity)) return false;
  return typeof message.content !== 'string' || message.content.trim() === '';
}

function checkNonce(report: Report, nonce: unknown): void {
  if (isAbsent(nonce) || Number.isSafeInteger(nonce)) return;
  checkText(report, 'nonce', nonce, 0, socialLimits.messageNonceLengthMax);
}

const actionTypes = Object.values(activityActionTypes);

function checkInvite(report: Report, activity: unknown): void {
  if (!isFields(activity)) {
    report.at('activity', 'DICT_TYPE_CONVERT');
    return;
  }
  report.enter('activity');
  checkRequiredEnum(report, 'type', activity.type, actionTypes);
  if (!isAbsent(activity.party_id)) {
    checkText(report, 'party_id', activity.party_id, 0, socialLimits.partyIdLengthMax);
  }
  if (!isAbsent(activity.session_id)) {
    checkText(report, 'session_id', activity.session_id, 0, socialLimits.sessionIdLengthMax);
  }
  report.leave();
}
