import { limits } from '../../../model/limits/limits.ts';
import { socialLimits } from '../../../model/limits/social-limits.ts';
import { boolean, type Fields, integer, list, nullable, object, ref, text } from '../json-schema.ts';

const note: Fields = { note: nullable(text(0, socialLimits.relationshipNoteLengthMax)) };

/** @see docs/spec/social.md#relationships */
export const relationshipSchemas = {
  Relationship: object(
    'What another user is to the caller: 1 a friend, 2 blocked, 3 has sent a request, 4 was sent one',
    {
      id: ref('Snowflake'),
      type: integer(1, 4),
      user: ref('User'),
      nickname: nullable(text()),
      is_spam_request: boolean,
      stranger_request: boolean,
      user_ignored: boolean,
      origin_application_id: nullable(ref('Snowflake')),
      since: ref('Timestamp'),
    },
    { has_played_game: boolean, ...note },
  ),
  Relationships: list(ref('Relationship')),
  GameRelationship: object('What another user is to the caller in a game', {
    id: ref('Snowflake'),
    user_id: ref('Snowflake'),
    application_id: ref('Snowflake'),
    type: integer(1, 4),
    since: ref('Timestamp'),
    dm_access_type: integer(0),
  }),
  GameRelationships: list(ref('GameRelationship')),
  RelationshipRequest: object(
    'Whom to send a request',
    { username: text(1, limits.usernameLengthMax) },
    { discriminator: nullable({ description: 'Ignored: usernames are unique' }), ...note },
  ),
  RelationshipPut: object(
    'What to do: -1 requests or accepts, 1 accepts, 2 blocks',
    {},
    {
      type: nullable({ type: 'integer', enum: [-1, 1, 2], default: -1 }),
      confirm_stranger_request: nullable(boolean),
      from_friend_suggestion: nullable(boolean),
      ...note,
    },
  ),
  GameRelationshipPut: object(
    'What to do: -1 requests or accepts, 1 accepts',
    {},
    { type: nullable({ type: 'integer', enum: [-1, 1], default: -1 }), ...note },
  ),
  RelationshipEdit: object('A nickname', {}, { nickname: nullable(text(1, socialLimits.nicknameLengthMax)) }),
};
