import { limits } from '../../../model/limits/limits.ts';
import { lobbyFlags, lobbyMemberFlags } from '../../../model/lobby.ts';
import {
  boolean,
  dictionary,
  type Fields,
  integer,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../../http/json-schema.ts';

const metadata = {
  ...dictionary(text(0, limits.lobbyMetadataLengthMax)),
  maxProperties: limits.lobbyMetadataEntriesMax,
  description: `Text → text; all keys and values together at most ${limits.lobbyMetadataLengthMax} characters`,
};
const flagsOf = (table: Readonly<Record<string, number>>) => ({
  type: 'integer',
  enum: [0, ...Object.values(table)],
  'x-enum-varnames': ['NONE', ...Object.keys(table)],
});
const memberFields: Fields = { metadata, flags: flagsOf(lobbyMemberFlags) };
const url = text(0, limits.lobbyWebhooksUrlLengthMax);
const additionalName = text(1, limits.lobbyAdditionalNameLengthMax);
const idleTimeout = {
  ...integer(limits.lobbyIdleTimeoutSecondsMin, limits.lobbyIdleTimeoutSecondsMax),
  default: limits.lobbyIdleTimeoutSecondsDefault,
};

/** @see docs/spec/lobbies.md#lobby; docs/spec/lobbies.md#operations */
export const lobbySchemas = {
  LobbyInput: object(
    'Creates or edits a lobby; on edit a field left out stays, a given one replaces',
    {},
    nullableFields({
      metadata,
      members: list(ref('LobbyMemberEntry'), limits.lobbyMembersPerRequestMax),
      idle_timeout_seconds: idleTimeout,
      flags: flagsOf(lobbyFlags),
      override_event_webhooks_url: url,
    }),
  ),
  LobbyMemberEntry: object('A member to add', { id: ref('SnowflakeInput') }, nullableFields(memberFields)),
  LobbyMemberInput: object(
    'Adds or updates a member',
    {},
    nullableFields({ ...memberFields, additional_name: additionalName }),
  ),
  Lobby: object(
    'A lobby with its members',
    {
      id: ref('Snowflake'),
      application_id: ref('Snowflake'),
      metadata: nullable(metadata),
      members: list(ref('LobbyMember'), limits.lobbyMembersMax),
      flags: integer(0),
    },
    { linked_channel: ref('Channel'), override_event_webhooks_url: url },
  ),
  LobbyMember: object(
    'A member of a lobby',
    { id: ref('Snowflake'), metadata: nullable(metadata), flags: integer(0) },
    { additional_name: additionalName },
  ),
  LobbyMembers: list(ref('LobbyMember'), limits.lobbyMembersPerRequestMax),
  LobbyMemberChanges: list(ref('LobbyMemberChange'), limits.lobbyMembersPerRequestMax, { minItems: 1 }),
  LobbyMemberChange: object(
    'Adds, updates or removes a member',
    { id: ref('SnowflakeInput') },
    nullableFields({ ...memberFields, additional_name: additionalName, remove_member: boolean }),
  ),
  LobbyJoinInput: object(
    'Names a lobby by its secret; what is left out stays as it is',
    { secret: text(1, limits.lobbySecretLengthMax) },
    nullableFields({
      lobby_metadata: metadata,
      member_metadata: metadata,
      idle_timeout_seconds: idleTimeout,
      flags: flagsOf(lobbyFlags),
    }),
  ),
  LobbyLinkInput: object('Without a channel it unlinks', {}, nullableFields({ channel_id: ref('SnowflakeInput') })),
  LobbyInvite: object('An invite to a guild: for one user, once', { code: text(1) }),
  LobbyMessageInput: object(
    'A message to the members of a lobby; not blanks alone',
    { content: text(1, limits.messageContentLengthMax) },
    nullableFields({
      metadata: textMap(
        limits.lobbyMessageMetadataEntriesMax,
        limits.lobbyMessageMetadataLengthMax,
        limits.lobbyMessageMetadataLengthMax,
      ),
      flags: integer(0),
    }),
  ),
  LobbyMessages: list(ref('LobbyMessage'), limits.lobbyHistoryMessagesMax),
  LobbyMessage: object(
    'A message in a lobby; its id tells when it was sent',
    {
      id: ref('Snowflake'),
      type: integer(0),
      content: text(),
      lobby_id: ref('Snowflake'),
      channel_id: ref('Snowflake'),
      author: ref('User'),
      flags: integer(0),
      application_id: ref('Snowflake'),
    },
    {
      lobby_member: object('The author when it wrote', { additional_name: additionalName }),
      moderation_metadata: ref('ModerationMetadata'),
    },
  ),
  ModerationMetadata: textMap(
    limits.lobbyModerationEntriesMax,
    limits.lobbyModerationKeyLengthMax,
    limits.lobbyModerationValueLengthMax,
  ),
};

export function textMap(entriesMax: number, keyLengthMax: number, valueLengthMax: number) {
  const bounds = { maxProperties: entriesMax, propertyNames: { maxLength: keyLengthMax } };
  return dictionary(text(0, valueLengthMax), bounds);
}
