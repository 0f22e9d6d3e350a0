import { type Command, type CommandChoice, type CommandOption, commandTypes, optionTypes } from '../model/command.ts';
import { ArgumentError } from '../model/errors/errors.ts';
import type { OptionValue } from '../model/interaction.ts';
import { requireType } from '../wire/arguments.ts';

/** The values of a command's options by their names; users, channels and roles by name or id. */
export type OptionInputs = Readonly<Record<string, string | number | boolean>>;

/** A channel of a guild. */
export interface Channel {
  readonly id: string;
  readonly guildId: string;
}

/** Finds ids by names. */
export interface Names {
  userId(nameOrId: string): string | Promise<string>;
  /** @param nameOrId the default channel when it is left out @throws ArgumentError `not_in_world` */
  channel(nameOrId?: string): Channel;
}

/** A command that somebody wants to use, and which of its subcommands. */
export interface ChosenCommand {
  readonly command: Command;
  /** Subcommand group and subcommand. */
  readonly path: readonly string[];
}

/**
 * Finds the command that somebody writes: `/rally`, `/crew add`, or the name of a context-menu command. The slash may be left out.
 *
 * @throws ArgumentError `not_in_world`
 */
export function findCommand(commands: readonly Command[], written: string): ChosenCommand {
  requireType('command', written, 'string');
  const inMenu = commands.find(({ type, name }) => type !== commandTypes.CHAT_INPUT && name === written);
  if (inMenu) return { command: inMenu, path: [] };
  const [first, ...path] = written.replace(/^\//, '').split(' ');
  const command = commands.find(({ type, name }) => type === commandTypes.CHAT_INPUT && name === first);
  if (command) return { command, path };
  if (commands.length > 0) throw notInWorld('command that the user may use here', written, commands.map(nameOf));
  throw new ArgumentError(
    'not_in_world',
    `The user cannot use "${written}" here: no application has registered a command that this user may use. Usually an application does so when its server starts.`,
  );
}

/** @param focused the option that is being typed @throws ArgumentError `not_in_world` */
export async function optionValues(
  { command, path }: ChosenCommand,
  inputs: OptionInputs,
  names: Names,
  focused?: string,
): Promise<readonly OptionValue[]> {
  const chain: CommandOption[] = [];
  let declared: readonly CommandOption[] = command.options ?? [];
  for (const name of path) {
    const next = declared.find(option => option.name === name);
    if (!next) throw notInWorld(`subcommand of /${command.name}`, name, namesOf(declared));
    chain.push(next);
    declared = ('options' in next ? next.options : undefined) ?? [];
  }
  const values: OptionValue[] = [];
  for (const [name, value] of Object.entries(inputs)) {
    const option = declared.find(one => one.name === name);
    if (!option) throw notInWorld(`option of ${[nameOf(command), ...path].join(' ')}`, name, namesOf(declared));
    const isFocused = name === focused;
    const sent = isFocused ? String(value) : await inputValue(option, value, names);
    values.push({ name, type: option.type, value: sent, ...(isFocused && { focused: true }) });
  }
  return chain.reduceRight<readonly OptionValue[]>((options, { name, type }) => [{ name, type, options }], values);
}

/** The value that a chat client sends for what a person writes: an id for a name, the value of a choice, a number for its digits. */
async function inputValue(
  option: CommandOption,
  input: string | number | boolean,
  names: Names,
): Promise<OptionValue['value'] & {}> {
  const { type } = option;
  if (type === optionTypes.USER) return names.userId(String(input));
  if (type === optionTypes.CHANNEL) return names.channel(String(input)).id;
  const choices: readonly CommandChoice[] = ('choices' in option ? option.choices : undefined) ?? [];
  const chosen = choices.find(({ name }) => name === input);
  if (chosen) return chosen.value;
  const isNumber = type === optionTypes.INTEGER || type === optionTypes.NUMBER;
  if (isNumber && typeof input === 'string' && /^-?\d+(\.\d+)?$/.test(input)) return Number(input);
  if (type === optionTypes.BOOLEAN && (input === 'true' || input === 'false')) return input === 'true';
  return input;
}

function namesOf(options: readonly CommandOption[]): readonly string[] {
  return options.map(({ name }) => name);
}

/** @param name undefined: any would do, and there is none @returns the error, which lists what there is */
export function notInWorld(what: string, name: string | undefined, known: readonly string[]): ArgumentError {
  if (name === undefined) return new ArgumentError('not_in_world', `There is no ${what}.`);
  const listed = known.length === 0 ? 'There are none' : `Known are: ${known.join(', ')}`;
  return new ArgumentError('not_in_world', `There is no ${what} named "${name}". ${listed}.`);
}

function nameOf({ name, type }: Command): string {
  return type === commandTypes.CHAT_INPUT ? `/${name}` : name;
}
