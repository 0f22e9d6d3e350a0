import { type Command, type CommandOption, commandTypes, optionTypes } from '../model/command.ts';
import { ArgumentError } from '../model/errors/errors.ts';
import type { OptionValue } from '../model/interaction.ts';

/** The values of a command's options by their names; users, channels and roles by name or id. */
export type OptionInputs = Readonly<Record<string, string | number | boolean>>;

/** Finds ids by names. */
export interface Names {
  userId(nameOrId: string): string;
  channelId(nameOrId: string): string;
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
export function optionValues(
  command: Command,
  written: string,
  inputs: OptionInputs,
  names: Names,
  focused?: string,
): readonly OptionValue[] {
  const { path } = readCommand(written);
  const chain: CommandOption[] = [];
  let declared: readonly CommandOption[] = command.options ?? [];
  for (const name of path) {
    const next = declared.find(option => option.name === name);
    if (!next)
      throw notInWorld(
        `subcommand of /${command.name}`,
        name,
        declared.map(option => option.name),
      );
    chain.push(next);
    declared = ('options' in next ? next.options : undefined) ?? [];
  }
  const values = Object.entries(inputs).map(([name, value]): OptionValue => {
    const option = declared.find(one => one.name === name);
    if (!option)
      throw notInWorld(
        `option of ${written}`,
        name,
        declared.map(one => one.name),
      );
    const isFocused = name === focused;
    const sent = isFocused ? String(value) : inputValue(option, value, names);
    return { name, type: option.type, value: sent, ...(isFocused && { focused: true }) };
  });
  return chain.reduceRight<readonly OptionValue[]>((options, { name, type }) => [{ name, type, options }], values);
}

function inputValue(
  { type }: CommandOption,
  value: string | number | boolean,
  names: Names,
): OptionValue['value'] & {} {
  if (type === optionTypes.USER) return names.userId(String(value));
  if (type === optionTypes.CHANNEL) return names.channelId(String(value));
  return value;
}

/** @returns the error, which lists what there is */
export function notInWorld(what: string, name: string, known: readonly string[]): ArgumentError {
  const listed = known.length === 0 ? 'There are none' : `Known are: ${known.join(', ')}`;
  return new ArgumentError('not_in_world', `There is no ${what} named "${name}". ${listed}.`);
}

function nameOf({ name, type }: Command): string {
  return type === commandTypes.CHAT_INPUT ? `/${name}` : name;
}
