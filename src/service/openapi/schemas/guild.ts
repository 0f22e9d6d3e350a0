import { boolean, integer, list, nullable, object, ref, text } from '../json-schema.ts';

const bits = { ...text(), pattern: '^[0-9]+$', description: 'Permission bits as decimal text' };

/** @see commands.md 2.3; lobbies.md 2.10 and 3 */
export const guildSchemas = {
  OwnGuilds: list(ref('OwnGuild')),
  OwnGuild: object('A guild that the user is in', {
    id: ref('Snowflake'),
    name: text(),
    icon: nullable(text()),
    banner: nullable(text()),
    owner: boolean,
    permissions: bits,
    features: list(text()),
  }),
  Channels: list(ref('Channel')),
  Channel: object(
    'A channel of a guild',
    {
      id: ref('Snowflake'),
      type: integer(0),
      guild_id: ref('Snowflake'),
      name: text(),
      nsfw: boolean,
      position: integer(0),
      parent_id: nullable(ref('Snowflake')),
      permission_overwrites: list(
        object('What a role or a member may do there', {
          id: ref('Snowflake'),
          type: { type: 'integer', enum: [0, 1] },
          allow: bits,
          deny: bits,
        }),
      ),
      flags: integer(0),
    },
    {
      linked_lobby: object('The lobby that shares its conversation', {
        application_id: ref('Snowflake'),
        lobby_id: ref('Snowflake'),
        linked_by: ref('Snowflake'),
        linked_at: ref('Timestamp'),
        require_application_authorization: boolean,
      }),
      is_linkable: boolean,
      is_viewable_and_writeable_by_all_members: boolean,
    },
  ),
};
