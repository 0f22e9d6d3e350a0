import type { RallypointError } from '../../model/errors/errors.ts';
import type { ApplicationId, ChannelId, CommandId, GuildId } from '../../model/snowflake.ts';

/**
 * Where commands are listed: in a guild, in one of its channels, in the direct messages with the game's bot, or
 * anywhere, of the applications that the player has installed for itself.
 */
export type CommandPlace =
  | { readonly guildId: GuildId }
  | { readonly channelId: ChannelId }
  | 'bot_dm'
  | 'user_install';

/** The commands that the player may use in a place. Frozen, and shared as far as nothing changed. */
export interface CommandsSnapshot {
  /**
   * - `loading`: nothing is known yet
   * - `current`: the service's latest answer
   * - `stale`: its latest answer before the connection was lost, or before a request failed
   */
  readonly status: 'loading' | 'current' | 'stale';
  readonly commands: readonly CommandSnapshot[];
  /** Why the last request failed; absent when it did not. */
  readonly error?: RallypointError;
}

/** @see docs/spec/commands.md#command */
export interface CommandSnapshot extends Named {
  readonly id: CommandId;
  readonly applicationId: ApplicationId;
  /** Of {@link commandTypes}. */
  readonly type: number;
  /** Undefined for a command of every guild. */
  readonly guildId: GuildId | undefined;
  readonly options: readonly CommandOptionSnapshot[];
  readonly nsfw: boolean;
}

/** @see docs/spec/commands.md#options */
export interface CommandOptionSnapshot extends Named {
  /** Of {@link optionTypes}. */
  readonly type: number;
  readonly required: boolean;
  readonly autocomplete: boolean;
  readonly choices: readonly CommandChoiceSnapshot[];
  readonly options: readonly CommandOptionSnapshot[];
  readonly channelTypes: readonly number[];
  readonly minValue: number | undefined;
  readonly maxValue: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
}

export interface CommandChoiceSnapshot {
  readonly name: string;
  /** The name in the player's language, or the name. */
  readonly displayName: string;
  readonly value: string | number;
}

export interface Named {
  /** What names it in an interaction. */
  readonly name: string;
  /** The name in the player's language, or the name. */
  readonly displayName: string;
  readonly description: string;
  /** The description in the player's language, or the description. */
  readonly displayDescription: string;
}
