import { directChannelType } from '../../../model/guild.ts';
import { anyObject, boolean, integer, list, nullable, object, ref, text } from '../../http/json-schema.ts';

const bits = { ...text(), pattern: '^[0-9]+$', description: 'Permission bits as decimal text' };

// What gateway clients look for in a guild and this interface does not have, nothing or zero each.
const absentTexts = [
  ...['icon', 'splash', 'banner', 'description', 'discovery_splash', 'home_header', 'vanity_url_code'],
  ...['application_id', 'widget_channel_id'],
  ...['afk_channel_id', 'system_channel_id', 'rules_channel_id', 'public_updates_channel_id'],
  'safety_alerts_channel_id',
];
const settings = [
  ...['afk_timeout', 'system_channel_flags', 'verification_level', 'default_message_notifications'],
  ...['explicit_content_filter', 'mfa_level', 'nsfw_level', 'premium_tier', 'premium_subscription_count'],
];

// The hosted service's bounds, and what it says of things that are gone there, too.
const foreignSettings = ['max_members', 'max_video_channel_users', 'max_stage_video_channel_users'];

const memberCount = { ...integer(0), description: 'Only where counts were asked for' };

/** @see docs/spec/permissions.md#who-may-edit; docs/spec/lobbies.md#link-a-channel; docs/spec/lobbies.md#choosing-a-channel */
export const guildSchemas = {
  OwnGuilds: list(ref('OwnGuild')),
  OwnGuild: object(
    'A guild that the user is in',
    {
      id: ref('Snowflake'),
      name: text(),
      icon: nullable(text()),
      banner: nullable(text()),
      owner: boolean,
      permissions: bits,
      features: list(text()),
    },
    { approximate_member_count: memberCount },
  ),
  Guild: object(
    'A guild by itself',
    {
      id: ref('Snowflake'),
      name: text(),
      owner_id: ref('Snowflake'),
      preferred_locale: text(),
      roles: ref('Roles'),
      features: list(text()),
      ...Object.fromEntries(absentTexts.map(name => [name, nullable(text())])),
      ...Object.fromEntries(settings.map(name => [name, integer(0)])),
      ...Object.fromEntries(foreignSettings.map(name => [name, integer(0)])),
      max_presences: { type: 'null' },
      region: text(),
      incidents_data: { type: 'null' },
      nsfw: boolean,
      widget_enabled: boolean,
      premium_progress_bar_enabled: boolean,
      emojis: list(anyObject),
      stickers: list(anyObject),
    },
    { approximate_member_count: memberCount },
  ),
  Roles: list(ref('Role')),
  Role: object('A role of a guild; the one with the guild’s id is everybody’s', {
    id: ref('Snowflake'),
    name: text(),
    permissions: bits,
    position: integer(0),
    color: integer(0),
    colors: object('Its colours, where it has several', {
      primary_color: integer(0),
      secondary_color: nullable(integer(0)),
      tertiary_color: nullable(integer(0)),
    }),
    hoist: boolean,
    icon: nullable(text()),
    unicode_emoji: nullable(text()),
    managed: boolean,
    mentionable: boolean,
    flags: integer(0),
  }),
  GuildMembers: list(ref('GuildMember')),
  GuildMember: object('A member of a guild', {
    user: ref('User'),
    nick: nullable(text()),
    avatar: nullable(text()),
    banner: nullable(text()),
    roles: list(ref('Snowflake')),
    joined_at: ref('Timestamp'),
    premium_since: nullable(text()),
    communication_disabled_until: nullable(text()),
    deaf: boolean,
    mute: boolean,
    pending: boolean,
    flags: integer(0),
  }),
  ThreadList: object('The threads of a guild, and who of them the bot has joined', {
    threads: ref('Channels'),
    members: list(anyObject),
    has_more: boolean,
  }),
  AnyChannel: { anyOf: [ref('Channel'), ref('DirectChannel')] },
  DirectChannelInput: object('Whom a bot would write to', { recipient_id: ref('SnowflakeInput') }),
  DirectChannel: object('A user’s direct messages with the bot', {
    id: ref('Snowflake'),
    type: { const: directChannelType },
    flags: integer(0),
    last_message_id: { type: 'null' },
    recipients: list(ref('User'), 1),
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
