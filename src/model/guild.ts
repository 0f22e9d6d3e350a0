import type { ApplicationId, ChannelId, GuildId, LobbyId, RoleId, Snowflake, UserId } from './snowflake.ts';
import type { User } from './user.ts';

/** Permission bits that this interface gives a meaning, by name. @see docs/spec/permissions.md#who-may-edit; docs/spec/permissions.md#evaluation */
export const permissionBits = {
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  MENTION_EVERYONE: 1n << 17n,
  USE_EXTERNAL_EMOJIS: 1n << 18n,
  MANAGE_ROLES: 1n << 28n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
} as const;

/** Every bit there may be: what an owner and an administrator hold. */
export const allPermissions = (1n << 54n) - 1n;

/** The type of a guild's text channels. @see docs/spec/commands.md#channel-types */
export const textChannelType = 0;

/** The type of the channel in which a user and a bot write to each other, outside guilds. */
export const directChannelType = 1;

/** Types of channels that hang below another and go by its permissions. @see docs/spec/commands.md#channel-types */
export const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);

/** What a channel changes for a role or a member; bits as decimal text. */
export interface PermissionOverwrite {
  id: Snowflake;
  /** 0 role, 1 member. */
  type: 0 | 1;
  allow: string;
  deny: string;
}

export interface Role {
  id: RoleId;
  name: string;
  /** Permission bits as decimal text. */
  permissions: string;
  position: number;
  color: number;
  colors: { primary_color: number; secondary_color: null; tertiary_color: null };
  hoist: boolean;
  icon: null;
  unicode_emoji: null;
  managed: boolean;
  mentionable: boolean;
  flags: number;
}

export interface Channel {
  id: ChannelId;
  /** 0 text, 2 voice, 4 category and so on. @see docs/spec/commands.md#channel-types */
  type: number;
  guild_id: GuildId;
  name: string;
  nsfw: boolean;
  position: number;
  parent_id: ChannelId | null;
  permission_overwrites: readonly PermissionOverwrite[];
  flags: number;
  /** Absent while the channel is linked to no lobby. */
  linked_lobby?: LinkedLobby;
}

/** A user's direct messages with the bot that looks. */
export interface DirectChannel {
  id: ChannelId;
  type: typeof directChannelType;
  flags: number;
  last_message_id: null;
  /** The user. */
  recipients: readonly [User];
}

/** The lobby that shares a channel's conversation. @see docs/spec/lobbies.md#link-a-channel */
export interface LinkedLobby {
  application_id: ApplicationId;
  lobby_id: LobbyId;
  linked_by: UserId;
  /** ISO 8601 with microseconds. */
  linked_at: string;
  require_application_authorization: boolean;
}

/** What the picker of a channel to link shows beside the channel. @see docs/spec/lobbies.md#choosing-a-channel */
export interface LinkableChannel extends Channel {
  /** Whether the one who asks could link it to a lobby now. */
  is_linkable: boolean;
  /** Whether every user who could use it through a link can already read and write it. */
  is_viewable_and_writeable_by_all_members: boolean;
}

/** A guild as the list of the current user's guilds shows it. */
export interface OwnGuild {
  id: GuildId;
  name: string;
  icon: string | null;
  banner: string | null;
  owner: boolean;
  /** The user's permissions there, channels aside, as decimal text. */
  permissions: string;
  features: readonly string[];
  /** Only where counts were asked for. */
  approximate_member_count?: number;
}

export interface GuildMember {
  user: User;
  nick: string | null;
  avatar: string | null;
  banner: string | null;
  roles: readonly RoleId[];
  /** ISO 8601 with microseconds. */
  joined_at: string;
  premium_since: string | null;
  /** The end of a time-out; always null, because this service has none. */
  communication_disabled_until: string | null;
  deaf: boolean;
  mute: boolean;
  pending: boolean;
  flags: number;
}

/** A guild as GUILD_CREATE shows it to a bot; the lists of things that this interface does not have are empty. */
export interface Guild {
  id: GuildId;
  name: string;
  owner_id: UserId;
  preferred_locale: string;
  joined_at: string;
  /** More members than the session's `large_threshold`: only the bot itself is listed. */
  large: boolean;
  unavailable: false;
  member_count: number;
  roles: readonly Role[];
  channels: readonly Channel[];
  members: readonly GuildMember[];
  features: readonly string[];
  [field: string]: unknown;
}
