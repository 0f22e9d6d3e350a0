import {
  type Command,
  type CommandOption,
  commandTypes,
  type OptionType,
  optionTypes,
} from '../../../model/command.ts';
import type { OptionValue } from '../../../model/interaction.ts';

/** A way to use a command: itself, or one of its subcommands. */
export interface Usage {
  readonly command: Command;
  /** Subcommand group and subcommand. */
  readonly path: readonly CommandOption[];
  /** What is filled in. */
  readonly options: readonly CommandOption[];
}

const { SUB_COMMAND, SUB_COMMAND_GROUP, INTEGER, NUMBER, BOOLEAN } = optionTypes;

/** Every way to use a command that is typed in chat. */
export function usagesOf(command: Command): readonly Usage[] {
  const visit = (options: readonly CommandOption[], path: readonly CommandOption[]): readonly Usage[] => {
    const nested = options.filter(({ type }) => type === SUB_COMMAND || type === SUB_COMMAND_GROUP);
    if (nested.length === 0) return [{ command, path, options }];
    return nested.flatMap(option => visit(option.options ?? [], [...path, option]));
  };
  return command.type === commandTypes.CHAT_INPUT
    ? visit(command.options ?? [], [])
    : [{ command, path: [], options: [] }];
}

/** `/crew add`, in the language of the reader. */
export function usageText({ command, path }: Usage): string {
  const prefix = command.type === commandTypes.CHAT_INPUT ? '/' : '';
  return prefix + [command, ...path].map(shownName).join(' ');
}

interface Named {
  readonly name: string;
  readonly name_localized?: string;
  readonly description?: string;
  readonly description_localized?: string;
}

/** Command indexes have the texts of the reader's language beside the default ones. */
export function shownName(named: object): string {
  const { name, name_localized } = named as Named;
  return name_localized ?? name;
}

export function shownDescription(named: object): string {
  const { description = '', description_localized } = named as Named;
  return description_localized ?? description;
}

/** What was filled in, by the option's name; as text, except the number of a file. Options that are left out are absent. */
export type Inputs = Readonly<Record<string, string>>;

/** The values that a chat client sends for what was filled in. @param focused the option that is being typed */
export function optionValues({ path, options }: Usage, inputs: Inputs, focused?: string): readonly OptionValue[] {
  const values = options.flatMap(({ name, type }): OptionValue[] => {
    const input = inputs[name];
    if (name === focused) return [{ name, type, value: input ?? '', focused: true }];
    return input === undefined || input === '' ? [] : [{ name, type, value: inputValue(type, input) }];
  });
  return path.reduceRight<readonly OptionValue[]>((inner, { name, type }) => [{ name, type, options: inner }], values);
}

function inputValue(type: OptionType, input: string): string | number | boolean {
  if (type === BOOLEAN) return input === 'true';
  // What is no number stays as it was typed, for the checks to name it.
  if ((type === INTEGER || type === NUMBER) && input.trim() !== '' && Number.isFinite(Number(input)))
    return Number(input);
  return input;
}

/** Those whose name or description has the text, the ones that begin with it first. */
export function findUsages(usages: readonly Usage[], typed: string): readonly Usage[] {
  const wanted = typed.replace(/^\//, '').trim().toLowerCase();
  if (wanted === '') return usages;
  const rank = (usage: Usage): number => {
    const text = usageText(usage).replace(/^\//, '').toLowerCase();
    if (text.startsWith(wanted)) return 0;
    if (text.includes(wanted)) return 1;
    const last = usage.path.at(-1) ?? usage.command;
    return shownDescription(last).toLowerCase().includes(wanted) ? 2 : 3;
  };
  return usages
    .map(usage => ({ usage, rank: rank(usage) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ usage }) => usage);
}
