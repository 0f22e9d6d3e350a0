import { type CommandInput, commandKey } from '../../model/command.ts';
import { ArgumentError, ValidationError } from '../../model/errors/errors.ts';
import { type CommandInvocation, callbackTypes, interactionTypes, type OptionValue } from '../../model/interaction.ts';
import { messageFlags } from '../../model/message.ts';
import { checkInvocation } from '../../model/rules/interactions/invocation.ts';
import type { GuildId } from '../../model/snowflake.ts';
import { parseOptions, requireList, requireType } from '../../wire/arguments.ts';
import {
  type RoutedComponent,
  type RoutedModal,
  type RoutedPattern,
  routeComponents,
  routeModals,
} from '../components/routed.ts';
import type { ReceivedInteraction } from '../interactions/received-interaction.ts';
import type { InteractionHandler } from '../interactions/run-handler.ts';
import type { Suggestion } from './define.ts';
import { readOptionValues } from './option-values.ts';

const { APPLICATION_COMMAND, APPLICATION_COMMAND_AUTOCOMPLETE, MESSAGE_COMPONENT, MODAL_SUBMIT } = interactionTypes;

/** A command with handlers of any type. */
export interface RoutedCommand extends CommandInput {
  readonly use?: ((use: never) => void | Promise<void>) | undefined;
  readonly suggest?: ((use: never) => readonly Suggestion[] | Promise<readonly Suggestion[]>) | undefined;
}

/** Code that runs before and after the handler of an interaction. */
export type Middleware = (interaction: ReceivedInteraction, next: () => Promise<void>) => void | Promise<void>;

export interface RouterOptions {
  /** Commands of single guilds. They take precedence over global ones of the same type and name. */
  readonly guilds?: Readonly<Record<GuildId, readonly RoutedCommand[]>> | undefined;
  /** Buttons and selects of messages. */
  readonly components?: readonly (RoutedComponent | RoutedPattern)[] | undefined;
  /** Modals that `showModal` shows. */
  readonly modals?: readonly RoutedModal[] | undefined;
  /**
   * Runs around every handler, the first one outermost. A middleware that does not call `next` answers by itself; what a handler
   * throws passes through it.
   */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Handles commands, components and modals that are not listed or have no handler. Default: the user gets a message that
   * it is no longer available.
   */
  readonly otherwise?: InteractionHandler | undefined;
}

/**
 * Makes a handler for `interactions.listen()` and `interactions.endpoint()` that calls the handler of the command, component or
 * modal that was used.
 *
 * Option values are checked against the definition first. If they do not fit, because the registered command differs, the
 * user is told that the command is outdated and the handler rejects with a ValidationError.
 *
 * @throws ArgumentError `duplicate_command`: two commands of one type and name in one place; `duplicate_custom_id`
 */
export function router(commands: readonly RoutedCommand[], options?: RouterOptions): InteractionHandler {
  const {
    guilds = {},
    components = [],
    modals = [],
    middleware = [],
    otherwise = answerUnknown,
  } = parseOptions(options);
  const everywhere = byKey('commands', commands);
  const useComponent = routeComponents(components);
  const submitModal = routeModals(modals);
  const inGuilds = new Map(Object.entries(guilds).map(([id, own]) => [id, byKey(`guilds[${id}]`, own)]));

  function find({ type, name, guild_id }: CommandInvocation): RoutedCommand | undefined {
    const key = commandKey({ type, name });
    return (guild_id === undefined ? undefined : inGuilds.get(guild_id)?.get(key)) ?? everywhere.get(key);
  }

  function hand(interaction: ReceivedInteraction): Promise<void> | undefined {
    const { payload } = interaction;
    if (payload.type === MESSAGE_COMPONENT) return useComponent(interaction, payload);
    if (payload.type === MODAL_SUBMIT) return submitModal(interaction, payload);
    const { type, data } = payload;
    const command = data && find(data);
    if (type === APPLICATION_COMMAND && command?.use) return use(interaction, data, command);
    if (type === APPLICATION_COMMAND_AUTOCOMPLETE && command?.suggest) return suggest(interaction, data, command);
    return undefined;
  }

  const handle: InteractionHandler = interaction => hand(interaction) ?? otherwise(interaction);
  return middleware.reduceRight<InteractionHandler>(
    (inner, wrap) => interaction => wrap(interaction, async () => inner(interaction)),
    handle,
  );
}

async function use(interaction: ReceivedInteraction, data: CommandInvocation, command: RoutedCommand): Promise<void> {
  const issues = checkInvocation(data.options, { type: data.type, options: command.options ?? [] });
  if (issues.length > 0) {
    await interaction.reply(privately('This command has just changed. Try it again in a minute.'));
    throw new ValidationError(`The use of "${data.name}"`, issues);
  }
  const given = { ...interaction, options: readOptionValues(data.options), targetId: data.target_id };
  await command.use?.(given as never);
}

async function suggest(interaction: ReceivedInteraction, data: CommandInvocation, command: RoutedCommand) {
  const values = flatten(data.options ?? []);
  const focused = values.find(value => value.focused);
  const given = {
    ...interaction,
    focused: { name: focused?.name, value: String(focused?.value ?? '') },
    options: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  };
  const choices = (await command.suggest?.(given as never)) ?? [];
  await interaction.respond({ type: callbackTypes.APPLICATION_COMMAND_AUTOCOMPLETE_RESULT, data: { choices } });
}

/** The values of the subcommand that is being typed, or of the command itself. */
function flatten(values: readonly OptionValue[]): readonly OptionValue[] {
  return values.flatMap(value => (value.options ? flatten(value.options) : [value]));
}

async function answerUnknown(interaction: ReceivedInteraction): Promise<void> {
  const { type } = interaction.payload;
  if (type === APPLICATION_COMMAND_AUTOCOMPLETE) {
    await interaction.respond({
      type: callbackTypes.APPLICATION_COMMAND_AUTOCOMPLETE_RESULT,
      data: { choices: [] },
    });
  } else {
    const what = type === APPLICATION_COMMAND ? 'This command' : 'This';
    await interaction.reply(privately(`${what} is no longer available here.`));
  }
}

/** A message that only the user sees. */
function privately(content: string) {
  return { content, flags: messageFlags.EPHEMERAL };
}

/** @throws ArgumentError `duplicate_command`, `invalid_argument` */
function byKey(name: string, commands: readonly RoutedCommand[]): ReadonlyMap<string, RoutedCommand> {
  const found = new Map<string, RoutedCommand>();
  requireList(name, commands);
  for (const command of commands) {
    requireType(`Each of ${name}`, command, 'object');
    const key = commandKey(command);
    if (found.has(key)) {
      throw new ArgumentError('duplicate_command', `Two commands of the same type are named "${command.name}".`);
    }
    found.set(key, command);
  }
  return found;
}
