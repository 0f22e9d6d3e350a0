import type { Localizations } from './locale.ts';
import type { ApplicationId, CommandId, GuildId, Snowflake } from './snowflake.ts';

/** @see docs/spec/commands.md#command-types */
export const commandTypes = { CHAT_INPUT: 1, USER: 2, MESSAGE: 3, PRIMARY_ENTRY_POINT: 4 } as const;
export type CommandType = (typeof commandTypes)[keyof typeof commandTypes];

/** What is unique among the commands of a scope, as text. @see docs/spec/commands.md#uniqueness */
export function commandKey({ type, name }: { readonly type?: CommandType | null; readonly name: string }): string {
  return `${type ?? commandTypes.CHAT_INPUT} ${name}`;
}

export const optionTypes = {
  SUB_COMMAND: 1,
  SUB_COMMAND_GROUP: 2,
  STRING: 3,
  INTEGER: 4,
  BOOLEAN: 5,
  USER: 6,
  CHANNEL: 7,
  ROLE: 8,
  MENTIONABLE: 9,
  NUMBER: 10,
  ATTACHMENT: 11,
} as const;
export type OptionType = (typeof optionTypes)[keyof typeof optionTypes];

/** Who answers when an entry point is used: the app by the interaction's token, or the service by launching the Activity. */
export const entryPointHandlers = { APP_HANDLER: 1, DISCORD_LAUNCH_ACTIVITY: 2 } as const;
export type EntryPointHandler = (typeof entryPointHandlers)[keyof typeof entryPointHandlers];

export const interactionContexts = { GUILD: 0, BOT_DM: 1, PRIVATE_CHANNEL: 2 } as const;
export type InteractionContext = (typeof interactionContexts)[keyof typeof interactionContexts];

export const integrationTypes = { GUILD_INSTALL: 0, USER_INSTALL: 1 } as const;
export type IntegrationType = (typeof integrationTypes)[keyof typeof integrationTypes];

/** Channel types an option of type CHANNEL may be narrowed to. */
export const optionChannelTypes = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16] as const;

/** @see docs/spec/commands.md#choices */
export interface CommandChoice {
  /** 1–100 characters. */
  name: string;
  name_localizations?: Localizations | null;
  /** Text of at most 100 characters for STRING, a whole number for INTEGER, a double for NUMBER. */
  value: string | number;
}

/** @see docs/spec/commands.md#options */
export interface CommandOption {
  type: OptionType;
  name: string;
  name_localizations?: Localizations | null;
  description: string;
  description_localizations?: Localizations | null;
  required?: boolean;
  choices?: readonly CommandChoice[];
  options?: readonly CommandOption[];
  channel_types?: readonly number[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
  autocomplete?: boolean;
  file_types?: readonly string[];
}

/** What registers a command. @see docs/spec/commands.md#parameters */
export interface CommandInput {
  type?: CommandType | null;
  name: string;
  name_localizations?: Localizations | null;
  /** 1–100 characters for CHAT_INPUT and PRIMARY_ENTRY_POINT; empty or absent for USER and MESSAGE. */
  description?: string | null;
  description_localizations?: Localizations | null;
  options?: readonly CommandOption[] | null;
  /** Permission bits as decimal text; `"0"` leaves the command to administrators; null lifts the restriction. */
  default_member_permissions?: string | number | null;
  /** @deprecated use `contexts` */
  dm_permission?: boolean | null;
  /** @deprecated use `default_member_permissions` and `contexts` */
  default_permission?: boolean | null;
  integration_types?: readonly IntegrationType[] | null;
  contexts?: readonly InteractionContext[] | null;
  nsfw?: boolean | null;
  /** Only for PRIMARY_ENTRY_POINT of an application that has an Activity. */
  handler?: EntryPointHandler | null;
}

/** One item of a bulk PUT: a command, with its id when a rename must keep it. */
export interface CommandItem extends CommandInput {
  id?: CommandId | null;
}

/** What edits a command: fields given replace the stored ones whole. A command's type cannot change. */
export type CommandEdit = Partial<Omit<CommandInput, 'type'>>;

/**
 * A registered command as the service answers it.
 *
 * @see docs/spec/commands.md#command
 */
export interface Command {
  id: CommandId;
  application_id: ApplicationId;
  /** Rises with every substantial change. */
  version: Snowflake<'version'>;
  default_member_permissions: string | null;
  type: CommandType;
  name: string;
  name_localized?: string;
  name_localizations?: Localizations | null;
  description: string;
  description_localized?: string;
  description_localizations?: Localizations | null;
  guild_id?: GuildId;
  dm_permission?: boolean;
  contexts?: readonly InteractionContext[] | null;
  integration_types?: readonly IntegrationType[];
  options?: readonly CommandOption[];
  nsfw: boolean;
  handler?: EntryPointHandler;
}
