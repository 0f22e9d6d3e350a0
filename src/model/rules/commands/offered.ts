import {
  type Command,
  type CommandOption,
  type IntegrationType,
  type InteractionContext,
  integrationTypes,
  interactionContexts,
  optionTypes,
} from '../../command.ts';

type Placed = Pick<Command, 'guild_id' | 'contexts' | 'dm_permission' | 'integration_types'>;

/**
 * Whether a command is offered in such a place, for any user.
 *
 * Without contexts a global command is for guilds and, unless the deprecated flag forbids it, for the bot's direct
 * messages; a guild's command is for guilds.
 *
 * @see docs/spec/commands.md#availability
 */
export function isOfferedIn(command: Placed, context: InteractionContext): boolean {
  const { GUILD, BOT_DM } = interactionContexts;
  if (command.guild_id !== undefined) return context === GUILD;
  if (command.contexts) return command.contexts.includes(context);
  return context === GUILD || (context === BOT_DM && command.dm_permission !== false);
}

/** Whether a command belongs to such an installation of its application; a guild's command is for that guild's. */
export function isInstalledBy(command: Placed, type: IntegrationType): boolean {
  return command.integration_types?.includes(type) ?? type === integrationTypes.GUILD_INSTALL;
}

/**
 * A command as a picker shows it: without groups that have no subcommands. Undefined if it has nothing else, because a command with
 * groups cannot be used by itself.
 *
 * @see docs/spec/commands.md#subcommands
 */
export function inPicker<Shown extends Pick<Command, 'options'>>(command: Shown): Shown | undefined {
  if (!command.options?.some(isEmptyGroup)) return command;
  const options = command.options.filter(option => !isEmptyGroup(option));
  return options.length > 0 ? { ...command, options } : undefined;
}

function isEmptyGroup({ type, options = [] }: CommandOption): boolean {
  return type === optionTypes.SUB_COMMAND_GROUP && options.length === 0;
}
