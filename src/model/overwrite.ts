import type { ApplicationId, CommandId, GuildId, Snowflake } from './snowflake.ts';

/** What an overwrite is about. @see docs/spec/permissions.md#overwrite */
export const overwriteTypes = { ROLE: 1, USER: 2, CHANNEL: 3 } as const;
export type OverwriteType = (typeof overwriteTypes)[keyof typeof overwriteTypes];

/**
 * One allow or deny on a command: for a role, a user or a channel, or for one of the constants {@link everyoneId} (a
 * ROLE) and {@link allChannelsId} (a CHANNEL).
 *
 * @see docs/spec/permissions.md#overwrite
 */
export interface CommandOverwrite {
  id: Snowflake;
  type: OverwriteType;
  /** True allows, false disallows. */
  permission: boolean;
}

/**
 * All overwrites of one command in a guild or, under the application's own id, those of all its commands there that
 * have none of their own.
 *
 * @see docs/spec/permissions.md#guild-command-permissions
 */
export interface GuildCommandPermissions {
  id: CommandId | ApplicationId;
  application_id: ApplicationId;
  guild_id: GuildId;
  /** At most 100. */
  permissions: readonly CommandOverwrite[];
}

/** The role id that stands for every member of the guild: the guild's own. */
export function everyoneId(guildId: GuildId): Snowflake<'role'> {
  return guildId as Snowflake as Snowflake<'role'>;
}

/** The channel id that stands for every channel of the guild: the guild's, less one. */
export function allChannelsId(guildId: GuildId): Snowflake<'channel'> {
  return (BigInt(guildId) - 1n).toString();
}
