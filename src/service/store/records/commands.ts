import type { Command } from '../../../model/command.ts';
import type { Localizations } from '../../../model/locale.ts';
import type { CommandOverwrite } from '../../../model/overwrite.ts';
import type { ApplicationId, CommandId, GuildId } from '../../../model/snowflake.ts';

/** A command as stored; `scope` is {@link commandScope}. */
export interface CommandRecord extends Omit<Command, 'name_localized' | 'description_localized' | 'dm_permission'> {
  scope: string;
  name_localizations: Localizations | null;
  description_localizations: Localizations | null;
  /** The deprecated flag as last sent; what answers show follows `contexts` when those are set. */
  dm_permission: boolean;
}

/** The place whose commands share names and counts: `<application>` for global ones, `<application>/<guild>` for a guild's. */
export function commandScope(applicationId: ApplicationId, guildId?: GuildId): string {
  return guildId === undefined ? applicationId : `${applicationId}/${guildId}`;
}

/** How much of a scope's daily creates is used: each create moves the time on by one day's share. */
export interface CommandQuotaRecord {
  /** {@link commandScope} */
  scope: string;
  /** When all of the creates are available again, if none is made until then. */
  full_at_ms: number;
}

/** The overwrites of a command in a guild; one without any has no record. */
export interface CommandOverwritesRecord {
  guild_id: GuildId;
  application_id: ApplicationId;
  /** The command's id, or the application's: the overwrites of all its commands there that have none of their own. */
  target_id: CommandId | ApplicationId;
  permissions: readonly CommandOverwrite[];
}
