import type { ApplicationTraits } from '../../model/application.ts';
import type { GuildId } from '../../model/snowflake.ts';
import type { Call } from '../calls.ts';
import { type CommandCalls, type CommandPlace, createCommandCalls } from './calls.ts';

/** The application's commands of one scope. */
export interface Commands extends CommandCalls {}

/** Global commands, and the way to those of a guild. */
export interface GlobalCommands extends Commands {
  /** The commands registered in one guild; their shape is the same. @throws ArgumentError `invalid_snowflake` */
  inGuild(guildId: GuildId): Commands;
}

export function createCommands(call: Call, applicationId: string, traits: ApplicationTraits): GlobalCommands {
  const open = (place: CommandPlace): Commands => createCommandCalls(call, place, traits);
  return { ...open({ applicationId }), inGuild: guildId => open({ applicationId, guildId }) };
}
