import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { messageFlags } from '../../message.ts';
import { checkBody, checkEnum, checkText, type Fields, isAbsent, isFields } from '../field.ts';
import { Report } from '../report.ts';
import { checkTextMap } from './lobby.ts';

const { SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS } = messageFlags;
/** The flags that a user may set on an own message. */
export const ownMessageFlags = [0, SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS];

export const messageMetadataBounds = {
  entriesMax: limits.lobbyMessageMetadataEntriesMax,
  keyLengthMax: limits.lobbyMessageMetadataLengthMax,
  valueLengthMax: limits.lobbyMessageMetadataLengthMax,
};

const moderationBounds = {
  entriesMax: limits.lobbyModerationEntriesMax,
  keyLengthMax: limits.lobbyModerationKeyLengthMax,
  valueLengthMax: limits.lobbyModerationValueLengthMax,
};

/**
 * Checks the body that sends a message to a lobby. Whether it says anything at all ({@link isSilent}) is a question
 * with an error of its own.
 *
 * Unspecified: 2000 characters, as the client's header and every other message say, not the 4000 of the generated
 * schema; only the flags that every user may set on their own messages; other fields of messages are ignored.
 *
 * @see docs/spec/lobbies.md#metadata; docs/spec/lobbies.md#send-a-message
 */
export function checkLobbyMessage(value: unknown): Issue[] {
  return checkBody(value, (report, message) => {
    checkContent(report, message);
    if (!isAbsent(message.flags)) checkEnum(report, 'flags', message.flags, ownMessageFlags);
    if (isAbsent(message.metadata)) return;
    report.enter('metadata');
    checkTextMap(report, message.metadata, messageMetadataBounds);
    report.leave();
  });
}

/** The text of a message, to a lobby or to a user. */
export function checkContent(report: Report, { content }: Fields): void {
  if (!isAbsent(content)) checkText(report, 'content', content, 0, limits.messageContentLengthMax);
}

/** Whether a message is empty: no content, or only white space. It is answered with `empty_message`. */
export function isSilent(message: unknown): boolean {
  if (!isFields(message) || typeof message.content !== 'string') return true;
  return message.content.trim() === '';
}

/**
 * Checks the body that notes something about a message: the map itself.
 *
 * @see docs/spec/lobbies.md#metadata; docs/spec/lobbies.md#moderation-metadata
 */
export function checkModerationMetadata(value: unknown): Issue[] {
  const report = new Report();
  checkTextMap(report, value, moderationBounds);
  return report.issues;
}
