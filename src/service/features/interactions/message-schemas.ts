import { activityActionTypes, directChannelTypes } from '../../../model/direct-message.ts';
import { limits } from '../../../model/limits/limits.ts';
import { socialLimits } from '../../../model/limits/social-limits.ts';
import {
  anyObject,
  boolean,
  enumeration,
  integer,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../../http/json-schema.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { textMap } from '../lobbies/schemas.ts';

const metadata = textMap(
  limits.lobbyMessageMetadataEntriesMax,
  limits.lobbyMessageMetadataLengthMax,
  limits.lobbyMessageMetadataLengthMax,
);
const content = text(0, limits.messageContentLengthMax);

const messageFields = {
  id: ref('Snowflake'),
  channel_id: ref('Snowflake'),
  type: integer(0),
  content: text(),
  author: ref('User'),
  flags: integer(0),
  recipient_id: ref('Snowflake'),
};
const messageExtras = {
  activity: ref('MessageActivity'),
  application: object('Whose activity an invite is about', { id: ref('Snowflake'), name: text() }),
  application_id: ref('Snowflake'),
  channel: ref('DirectMessageChannel'),
  moderation_metadata: ref('ModerationMetadata'),
};
const empty = list(anyObject, 0);

/** @see docs/spec/social.md#messages; docs/spec/social.md#invites */
export const messageSchemas = {
  DirectMessageInput: object(
    'A message to a user, or an invite; without an invite its content is not blanks alone',
    {},
    nullableFields({
      content,
      nonce: { anyOf: [text(0, socialLimits.messageNonceLengthMax), integer()] },
      flags: integer(0),
      metadata,
      activity: ref('MessageActivity'),
      application_id: ref('SnowflakeInput'),
    }),
  ),
  DirectMessageEdit: object('The new content, not blanks alone', { content }),
  MessageActivity: object(
    'An invite (1), or a request to join (5)',
    { type: enumeration(activityActionTypes) },
    {
      party_id: text(0, socialLimits.partyIdLengthMax),
      session_id: text(0, socialLimits.sessionIdLengthMax),
    },
  ),
  PartialDirectMessages: list(ref('PartialDirectMessage'), serviceLimits.directHistoryMessagesMax),
  PartialDirectMessage: object(
    'A message between two users as the history shows it; its id tells when it was sent',
    messageFields,
    messageExtras,
  ),
  DirectMessage: object(
    'A message between two users',
    {
      ...messageFields,
      channel_type: enumeration(directChannelTypes),
      timestamp: text(),
      edited_timestamp: nullable(text()),
      tts: boolean,
      pinned: boolean,
      mention_everyone: boolean,
      mentions: empty,
      mention_roles: empty,
      embeds: empty,
      attachments: empty,
      components: empty,
    },
    { ...messageExtras, nonce: text(), metadata },
  ),
  DirectMessageChannel: object(
    'A channel between two users; of an ephemeral message it has the id of the other user',
    {
      id: ref('Snowflake'),
      type: enumeration(directChannelTypes),
      last_message_id: nullable(ref('Snowflake')),
      flags: integer(0),
    },
    { recipients: list(ref('User')), recipient_ids: list(ref('Snowflake')) },
  ),
  ConversationSummaries: list(
    object('A conversation; its last message may have been deleted', {
      user_id: ref('Snowflake'),
      last_message_id: nullable(ref('Snowflake')),
    }),
  ),
  ActivitySecret: object('What lets a player into the party', { secret: text() }),
};
