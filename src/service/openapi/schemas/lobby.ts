import { limits } from '../../../model/limits.ts';
import { lobbyFlags, lobbyMemberFlags } from '../../../model/lobby.ts';
import { dictionary, type Fields, integer, list, nullable, nullableFields, object, ref, text } from '../json-schema.ts';

const metadata = {
  ...dictionary(text(0, limits.lobbyMetadataLengthMax)),
  description: `Text → text; all keys and values together at most ${limits.lobbyMetadataLengthMax} characters`,
};
const flagsOf = (table: Readonly<Record<string, number>>) => ({
  type: 'integer',
  enum: [0, ...Object.values(table)],
  'x-enum-varnames': ['NONE', ...Object.keys(table)],
});
const memberFields: Fields = { metadata, flags: flagsOf(lobbyMemberFlags) };
const url = text(0, limits.lobbyWebhooksUrlLengthMax);

/** @see interface.md, "Lobby and lobby member"; lobbies.md 1 and 2 */
export const lobbySchemas = {
  LobbyInput: object(
    'Creates or edits a lobby; on edit a field left out stays, a given one replaces',
    {},
    nullableFields({
      metadata,
      members: list(ref('LobbyMemberEntry'), limits.lobbyMembersPerRequestMax),
      idle_timeout_seconds: {
        ...integer(limits.lobbyIdleTimeoutSecondsMin, limits.lobbyIdleTimeoutSecondsMax),
        default: limits.lobbyIdleTimeoutSecondsDefault,
      },
      flags: flagsOf(lobbyFlags),
      override_event_webhooks_url: url,
    }),
  ),
  LobbyMemberEntry: object('A member to add', { id: ref('SnowflakeInput') }, nullableFields(memberFields)),
  LobbyMemberInput: object(
    'Adds or updates a member',
    {},
    nullableFields({ ...memberFields, additional_name: text(1, limits.lobbyAdditionalNameLengthMax) }),
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
    { override_event_webhooks_url: url },
  ),
  LobbyMember: object(
    'A member of a lobby',
    { id: ref('Snowflake'), metadata: nullable(metadata), flags: integer(0) },
    { additional_name: text(1, limits.lobbyAdditionalNameLengthMax) },
  ),
};
