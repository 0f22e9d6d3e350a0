import type { ApplicationId, ChannelId, GuildId, RoleId, Snowflake, UserId } from '../../../model/snowflake.ts';

export interface RoleRecord {
  id: RoleId;
  name: string;
  /** Permission bits as decimal text. */
  permissions: string;
  position: number;
}

export interface OverwriteRecord {
  id: Snowflake;
  /** 0 role, 1 member. */
  type: 0 | 1;
  allow: string;
  deny: string;
}

export interface ChannelRecord {
  id: ChannelId;
  type: number;
  name: string;
  nsfw: boolean;
  position: number;
  parent_id: ChannelId | null;
  permission_overwrites: readonly OverwriteRecord[];
}

export interface GuildRecord {
  id: GuildId;
  name: string;
  owner_id: UserId;
  locale: string;
  /** Applications authorized in the guild with `applications.commands`. */
  applications: readonly ApplicationId[];
  /** The first is @everyone, with the guild's own id. */
  roles: readonly RoleRecord[];
  channels: readonly ChannelRecord[];
}

export interface GuildMemberRecord {
  guild_id: GuildId;
  user_id: UserId;
  roles: readonly RoleId[];
  nick: string | null;
  joined_at_ms: number;
}

/** An application in a guild: the same as the guild's own list says, found by application. */
export interface InstallationRecord {
  application_id: ApplicationId;
  guild_id: GuildId;
}
