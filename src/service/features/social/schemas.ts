import { limits } from '../../../model/limits/limits.ts';
import { profileLimits } from '../../../model/limits/profile-limits.ts';
import { socialLimits } from '../../../model/limits/social-limits.ts';
import { boolean, type Fields, integer, list, nullable, object, ref, text } from '../../http/json-schema.ts';
import { textMap } from '../lobbies/schemas.ts';

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

const profileMetadata = textMap(
  profileLimits.profileMetadataEntriesMax,
  profileLimits.profileMetadataLengthMax,
  profileLimits.profileMetadataLengthMax,
);
const picture = object('A picture', { url: text(0, profileLimits.profileUrlLengthMax) });
const profileName = nullable(text(0, profileLimits.profileUsernameLengthMax));

/** @see docs/spec/social.md#application-profiles */
export const profileSchemas = {
  ApplicationProfile: object('What an application reports about a user', {
    user_id: ref('Snowflake'),
    application_id: ref('Snowflake'),
    username: profileName,
    metadata: nullable(profileMetadata),
    avatar_hash: { type: 'null' },
    data: nullable(ref('ProfileData')),
    external_id: object('Who the user is in the accounts of the application', {
      provider_type: text(),
      provider_issued_user_id: text(1, limits.externalUserIdLengthMax),
      provider_id: nullable(text()),
      preferred_global_name: nullable(text(1, limits.globalNameLengthMax)),
    }),
  }),
  ApplicationProfileEdit: object(
    'What changes; the data is replaced as a whole',
    {},
    { username: profileName, metadata: nullable(profileMetadata), data: nullable(ref('ProfileData')) },
  ),
  ProfileData: object(
    'Figures about the user in the game',
    {},
    {
      primary: nullable({ type: 'object' }),
      dynamic: nullable(
        list(
          object('A text (1), a number (2) or a picture (3)', {
            type: integer(1, 3),
            name: text(1, profileLimits.profileFieldLengthMax),
            value: { oneOf: [text(0, profileLimits.profileFieldLengthMax), { type: 'number' }, picture] },
          }),
          profileLimits.profileFieldsMax,
        ),
      ),
    },
  ),
};
