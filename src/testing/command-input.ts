import { type Command, type CommandChoice, type CommandOption, commandTypes, optionTypes } from '../model/command.ts';
import { ArgumentError } from '../model/errors/errors.ts';
import type { OptionValue } from '../model/interaction.ts';

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

/** A command as somebody writes it: `/rally`, `/crew add`, or the name of a context-menu command. */
export interface WrittenCommand {
  readonly name: string;
  readonly isChatInput: boolean;
  /** Subcommand group and subcommand. */
  readonly path: readonly string[];
}

export function readCommand(written: string): WrittenCommand {
  if (!written.startsWith('/')) return { name: written, isChatInput: false, path: [] };
  const [name = '', ...path] = written.slice(1).split(' ');
  return { name, isChatInput: true, path };
}

/** @throws ArgumentError `not_in_world` */
export function findCommand(commands: readonly Command[], written: string): Command {
  const { name, isChatInput } = readCommand(written);
  const found = commands.find(
    command => command.name === name && (command.type === commandTypes.CHAT_INPUT) === isChatInput,
  );
  if (found) return found;
  throw notInWorld('command that the user may use here', written, commands.map(nameOf));
}

/** @param focused the option that is being typed @throws ArgumentError `not_in_world` */
export async function optionValues(
  command: Command,
  written: string,
  inputs: OptionInputs,
  names: Names,
  focused?: string,
): Promise<readonly OptionValue[]> {
  const { path } = readCommand(written);
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
    if (!option) throw notInWorld(`option of ${written}`, name, namesOf(declared));
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

/** @returns the error, which lists what there is */
export function notInWorld(what: string, name: string, known: readonly string[]): ArgumentError {
  const listed = known.length === 0 ? 'There are none' : `Known are: ${known.join(', ')}`;
  return new ArgumentError('not_in_world', `There is no ${what} named "${name}". ${listed}.`);
}

function nameOf({ name, type }: Command): string {
  return type === commandTypes.CHAT_INPUT ? `/${name}` : name;
}
