import type { GuildUpdated } from '../../../model/gateway.ts';
import {
  type Channel,
  type Guild,
  type GuildMember,
  type LinkedLobby,
  type Role,
  textChannelType,
  threadTypes,
} from '../../../model/guild.ts';
import { lobbyFlags } from '../../../model/lobby.ts';
import type { Presence } from '../../../model/presence.ts';
import { type Snowflake, snowflakeTimeMs, type UserId } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { User } from '../../../model/user.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  GuildMemberRecord,
  GuildRecord,
  LobbyRecord,
  RoleRecord,
} from '../../store/records.ts';
import { byChannel } from '../lobbies/records.ts';

/** How guilds and their content are shown to clients. */

/** The user of an application's bot: it has the application's id. */
export function botUserId({ id }: Pick<ApplicationRecord, 'id'>): UserId {
  return id as Snowflake as UserId;
}

/**
 * The bot's membership in a guild whose member list does not contain it: no roles, joined when the guild was created.
 */
export function impliedBotMember(guild: GuildRecord, application: Pick<ApplicationRecord, 'id'>): GuildMemberRecord {
  return {
    guild_id: guild.id,
    user_id: botUserId(application),
    roles: [],
    nick: null,
    joined_at_ms: snowflakeTimeMs(guild.id),
  };
}

export function memberView(member: GuildMemberRecord, user: User): GuildMember {
  return {
    user,
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: member.roles,
    joined_at: formatTimestamp(member.joined_at_ms),
    premium_since: null,
    communication_disabled_until: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
  };
}

export function roleView({ id, name, permissions, position }: RoleRecord): Role {
  return {
    id,
    name,
    permissions,
    position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    managed: false,
    mentionable: false,
    flags: 0,
  };
}

/** @param lobby the lobby that is linked to the channel */
export function channelView(channel: ChannelRecord, guild: GuildRecord, lobby?: LobbyRecord): Channel {
  const linked_lobby = lobby && showLinkedLobby(lobby);
  return { ...channel, guild_id: guild.id, flags: 0, ...(linked_lobby && { linked_lobby }) };
}

/** A thread as gateway clients need it: open, as old as its id, created by the guild's owner. */
export function threadView(channel: ChannelRecord, guild: GuildRecord): Channel & Readonly<Record<string, unknown>> {
  const created = formatTimestamp(snowflakeTimeMs(channel.id));
  return {
    ...channelView(channel, guild),
    owner_id: guild.owner_id,
    member_count: 0,
    message_count: 0,
    total_message_sent: 0,
    rate_limit_per_user: 0,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 1440,
      archive_timestamp: created,
      create_timestamp: created,
      locked: false,
    },
  };
}

/** What a linked channel shows of its lobby. @see docs/spec/lobbies.md#link-a-channel */
export function showLinkedLobby({ id, application_id, link, flags }: LobbyRecord): LinkedLobby | undefined {
  if (!link) return undefined;
  return {
    application_id,
    lobby_id: id,
    linked_by: link.by,
    linked_at: formatTimestamp(link.at_ms),
    require_application_authorization: (flags & lobbyFlags.REQUIRE_APPLICATION_AUTHORIZATION) !== 0,
  };
}

/** Whether lobbies can be linked to such a channel. @see docs/spec/lobbies.md#link-a-channel */
export function canBeLinked({ type, nsfw }: Pick<ChannelRecord, 'type' | 'nsfw'>): boolean {
  return type === textChannelType && !nsfw;
}

/** The content of a guild as a bot may see it. */
export interface GuildContent {
  readonly self: GuildMember;
  /** The members to list, including the bot's own. */
  readonly members: readonly GuildMember[];
  /** The number of all members. */
  readonly memberCount: number;
  /** Lobbies linked to the guild's channels. */
  readonly linked: readonly LobbyRecord[];
  readonly presences?: readonly Presence[];
}

/** A guild as GUILD_CREATE shows it. */
export function guildView(guild: GuildRecord, content: GuildContent): Guild {
  const { self, members, memberCount, linked, presences = [] } = content;
  const lobbies = byChannel(linked);
  const isThread = ({ type }: ChannelRecord) => threadTypes.has(type);
  return {
    ...guildUpdatedView(guild),
    joined_at: self.joined_at,
    large: members.length < memberCount,
    unavailable: false,
    member_count: memberCount,
    channels: guild.channels
      .filter(channel => !isThread(channel))
      .map(channel => channelView(channel, guild, lobbies.get(channel.id))),
    threads: guild.channels.filter(isThread).map(channel => threadView(channel, guild)),
    members,
    presences,
    ...emptyLists,
  };
}

/** A guild as GUILD_UPDATE shows it. */
export function guildUpdatedView(guild: GuildRecord) {
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.owner_id,
    preferred_locale: guild.locale,
    roles: guild.roles.map(roleView),
    features: [],
    ...absentFromThisInterface,
  } satisfies GuildUpdated;
}

// Fields of a guild that gateway clients read without checking that they are there.
const absentFromThisInterface = {
  icon: null,
  splash: null,
  banner: null,
  description: null,
  discovery_splash: null,
  home_header: null,
  vanity_url_code: null,
  application_id: null,
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  widget_channel_id: null,
  widget_enabled: false,
  // Voice servers no longer have regions: the hosted service has this value in their place.
  region: 'deprecated',
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw: false,
  nsfw_level: 0,
  // The limits that the hosted service shows; this service does not enforce them.
  max_presences: null,
  max_members: 500_000,
  max_video_channel_users: 25,
  max_stage_video_channel_users: 50,
  incidents_data: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  emojis: [],
  stickers: [],
} as const;

const emptyLists = {
  voice_states: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
} as const;
