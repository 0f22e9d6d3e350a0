import fc from 'fast-check';
import {
  type CommandInput,
  type CommandOption,
  commandTypes,
  entryPointHandlers,
  type OptionType,
  optionChannelTypes,
  optionTypes,
} from '../../../src/model/command.ts';
import type { FieldErrorCode } from '../../../src/model/errors/field-errors.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { type Locale, locales } from '../../../src/model/locale.ts';

/**
 * Generated commands, valid and with one fault, for an application that is embedded and not discoverable, in the
 * global scope. Everything they hold is plain JSON.
 */

/** A valid command of any type. */
export function arbitraryCommand(): fc.Arbitrary<CommandInput> {
  return fc.oneof(
    { arbitrary: arbitraryChatCommand(), weight: 4 },
    { arbitrary: contextMenuCommand, weight: 1 },
    { arbitrary: entryPointCommand, weight: 1 },
  );
}

/** A valid CHAT_INPUT command: options with values, or subcommands and groups. */
export function arbitraryChatCommand(): fc.Arbitrary<CommandInput> {
  return fc
    .record(
      {
        type: fc.constantFrom(commandTypes.CHAT_INPUT, null),
        name: chatName,
        description: shownText(limits.commandDescriptionLengthMax),
        description_localizations: localizations(shownText(limits.commandDescriptionLengthMax)),
        options: fc.oneof(parameters, subcommandsAndGroups),
        ...sharedFields,
      },
      { requiredKeys: ['name', 'description'] },
    )
    .map(command => withLocalizedNames(command));
}

/** A command with exactly one fault, and where and as what the rulebook must report it (other issues may follow from it). */
export interface BrokenCommand {
  /** What was done to the valid command. */
  readonly fault: string;
  readonly body: unknown;
  readonly path: readonly string[];
  readonly code: FieldErrorCode;
}

/** A valid command that one mutation of {@link mutations} has broken. */
export function arbitraryBrokenCommand(): fc.Arbitrary<BrokenCommand> {
  return fc
    .record({ command: arbitraryCommand(), mutation: fc.constantFrom(...mutations), pick: fc.nat() })
    .map(({ command, mutation, pick }) => breakCommand(command, mutation, pick))
    .filter(broken => broken !== undefined);
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789-_'äßøжλあ漢हिไท".match(/./gu) ?? [];
const chatName = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: limits.commandNameLengthMax });

/** Text as people write it, now and then with characters of two UTF-16 units, and sometimes at the bound. */
function shownText(max: number): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: Math.min(max, 12) }), weight: 6 },
    { arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }), weight: 2 },
    { arbitrary: fc.constant('🎲'.repeat(Math.min(max, 40))), weight: 1 },
  );
}

function localizations(text: fc.Arbitrary<string>): fc.Arbitrary<Partial<Record<Locale, string>> | null> {
  return fc.option(
    fc.dictionary(fc.constantFrom(...locales), text, { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<
      Partial<Record<Locale, string>>
    >,
  );
}

const sharedFields = {
  default_member_permissions: fc.oneof(
    fc.constant(null),
    fc.nat(),
    fc.bigInt({ min: 0n, max: limits.permissionBitsMax }).map(String),
  ),
  dm_permission: fc.constantFrom(true, false, null),
  default_permission: fc.constantFrom(true, false, null),
  nsfw: fc.constantFrom(true, false, null),
  integration_types: fc.option(fc.uniqueArray(fc.constantFrom(0, 1), { minLength: 1 })),
  contexts: fc.option(fc.uniqueArray(fc.constantFrom(0, 1, 2), { minLength: 1 })),
};

const contextMenuCommand: fc.Arbitrary<CommandInput> = fc.record(
  {
    type: fc.constantFrom(commandTypes.USER, commandTypes.MESSAGE),
    name: shownText(limits.commandNameLengthMax).filter(name => [...name].length <= limits.commandNameLengthMax),
    name_localizations: localizations(fc.string({ minLength: 1, maxLength: 8 })),
    description: fc.constantFrom('', null),
    ...sharedFields,
  },
  { requiredKeys: ['type', 'name'] },
);

const entryPointCommand: fc.Arbitrary<CommandInput> = fc.record(
  {
    type: fc.constant(commandTypes.PRIMARY_ENTRY_POINT),
    name: fc.constantFrom('Launch', 'launch', 'Play now'),
    description: shownText(limits.commandDescriptionLengthMax),
    handler: fc.constantFrom(...Object.values(entryPointHandlers), null),
    ...sharedFields,
  },
  { requiredKeys: ['type', 'name', 'description'] },
);

const parameter: fc.Arbitrary<CommandOption> = fc.oneof(
  textParameter(),
  numberParameter(optionTypes.INTEGER, fc.maxSafeInteger()),
  numberParameter(optionTypes.NUMBER, fc.double({ min: -(2 ** 53), max: 2 ** 53, noNaN: true }).map(positiveZero)),
  anyOption(fc.constantFrom(optionTypes.BOOLEAN, optionTypes.USER, optionTypes.ROLE, optionTypes.MENTIONABLE), {}),
  anyOption(fc.constant(optionTypes.CHANNEL), {
    channel_types: fc.uniqueArray(fc.constantFrom(...optionChannelTypes)),
  }),
  anyOption(fc.constant(optionTypes.ATTACHMENT), {
    file_types: fc.array(fc.constantFrom('image', 'Video', '.png', '.tar.gz'), { maxLength: limits.fileTypesMax }),
  }),
);

const parameters = fc
  .uniqueArray(parameter, { maxLength: 4, selector: option => option.name })
  .map(options => options.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false)));

const subcommand = nestingOption(optionTypes.SUB_COMMAND, parameters);
const group = nestingOption(
  optionTypes.SUB_COMMAND_GROUP,
  fc.uniqueArray(subcommand, { maxLength: 2, selector: option => option.name }),
);
const subcommandsAndGroups = fc.uniqueArray(fc.oneof(subcommand, group), {
  maxLength: 4,
  selector: option => option.name,
});

/** JSON knows no negative zero. */
function positiveZero(value: number): number {
  return value === 0 ? 0 : value;
}

function textParameter(): fc.Arbitrary<CommandOption> {
  return anyOption(fc.constant(optionTypes.STRING), {
    choices: choices(shownText(limits.choiceValueLengthMax)),
    min_length: fc.integer({ min: 0, max: 10 }),
    max_length: fc.integer({ min: 10, max: limits.optionLengthMax }),
  });
}

function numberParameter(type: OptionType, value: fc.Arbitrary<number>): fc.Arbitrary<CommandOption> {
  return fc.tuple(value, value).chain(([a, b]) =>
    anyOption(fc.constant(type), {
      choices: choices(value),
      min_value: fc.constant(Math.min(a, b)),
      max_value: fc.constant(Math.max(a, b)),
    }),
  );
}

function choices(value: fc.Arbitrary<string | number>): fc.Arbitrary<CommandOption['choices']> {
  const choice = fc.record(
    { name: shownText(limits.choiceNameLengthMax), name_localizations: localizations(shownText(20)), value },
    { requiredKeys: ['name', 'value'] },
  );
  return fc.array(choice, { maxLength: 3 });
}

function nestingOption(type: OptionType, options: fc.Arbitrary<CommandOption[]>): fc.Arbitrary<CommandOption> {
  return fc.record(
    { type: fc.constant(type), name: chatName, description: shownText(20), options },
    { requiredKeys: ['type', 'name', 'description'] },
  );
}

function anyOption(
  type: fc.Arbitrary<OptionType>,
  fields: { [Field in keyof CommandOption]?: fc.Arbitrary<CommandOption[Field]> },
): fc.Arbitrary<CommandOption> {
  return fc.record(
    {
      type,
      name: chatName,
      description: shownText(30),
      description_localizations: localizations(shownText(30)),
      required: fc.boolean(),
      ...fields,
    },
    { requiredKeys: ['type', 'name', 'description'] },
  ) as fc.Arbitrary<CommandOption>;
}

/** Translates every second option's name to a text that no other option has. */
function withLocalizedNames(command: CommandInput): CommandInput {
  let count = 0;
  const localize = (option: CommandOption): CommandOption => {
    const number = count++;
    const options = option.options?.map(localize);
    return {
      ...option,
      ...(options && { options }),
      ...(number % 2 === 1 && { name_localizations: { de: `übersetzt${number}`, ja: `翻訳${number}` } }),
    };
  };
  return command.options ? { ...command, options: command.options.map(localize) } : command;
}

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null | undefined;
type Item = { [key: string]: Json };
type Path = readonly string[];

/** One way to break a command: a value put into a field of a certain kind of item. */
interface Mutation {
  readonly fault: string;
  readonly target: keyof typeof targets;
  readonly field: string;
  readonly value: Json | ((item: Item) => Json);
  readonly code: FieldErrorCode;
  /** Where the issue is, below the item; absent: at the field. */
  readonly at?: Path;
}

const targets = {
  command: (): Path[] => [[]],
  described: (command: Item): Path[] => (isContextMenu(command) ? [] : [[]]),
  contextMenu: (command: Item): Path[] => (isContextMenu(command) ? [[]] : []),
  chat: (command: Item): Path[] => (isChat(command) ? [[]] : []),
  notEntryPoint: (command: Item): Path[] => (command.type === commandTypes.PRIMARY_ENTRY_POINT ? [] : [[]]),
  /** Whatever has a name typed in chat: the command and all its options. */
  named: (command: Item): Path[] => (isChat(command) ? [[], ...optionPaths(command)] : []),
  option: (command: Item): Path[] => optionPaths(command),
  parameter: (command: Item): Path[] => optionPaths(command).filter(path => Number(at(command, path).type) > 2),
  nesting: (command: Item): Path[] => optionPaths(command).filter(path => Number(at(command, path).type) <= 2),
  choosable: (command: Item): Path[] => optionPaths(command).filter(path => isChoosable(at(command, path))),
  unchoosable: (command: Item): Path[] => optionPaths(command).filter(path => !isChoosable(at(command, path))),
  choice: (command: Item): Path[] => choicePaths(command),
} as const;

const tooLong = (max: number): string => 'x'.repeat(max + 1);
const newOption: Item = { type: 3, name: 'unused', description: 'An option' };

/** Every way a generated command can be broken; each names the one issue that must be reported. */
export const mutations: readonly Mutation[] = [
  { fault: 'no name', target: 'command', field: 'name', value: undefined, code: 'BASE_TYPE_REQUIRED' },
  { fault: 'a null name', target: 'command', field: 'name', value: null, code: 'BASE_TYPE_REQUIRED' },
  { fault: 'a number as name', target: 'command', field: 'name', value: 7, code: 'STRING_TYPE_CONVERT' },
  { fault: 'a long name', target: 'command', field: 'name', value: tooLong(32), code: 'BASE_TYPE_BAD_LENGTH' },
  { fault: 'an unknown type', target: 'command', field: 'type', value: 5, code: 'BASE_TYPE_CHOICES' },
  { fault: 'a text as type', target: 'command', field: 'type', value: '1', code: 'NUMBER_TYPE_COERCE' },
  { fault: 'a text as nsfw', target: 'command', field: 'nsfw', value: 'yes', code: 'BOOLEAN_TYPE_CONVERT' },
  { fault: 'no contexts in the list', target: 'command', field: 'contexts', value: [], code: 'BASE_TYPE_MIN_LENGTH' },
  {
    fault: 'a context twice',
    target: 'command',
    field: 'contexts',
    value: [0, 0],
    code: 'LIST_ITEM_DUPLICATE',
    at: ['contexts', '1'],
  },
  {
    fault: 'an unknown installation type',
    target: 'command',
    field: 'integration_types',
    value: [2],
    code: 'BASE_TYPE_CHOICES',
    at: ['integration_types', '0'],
  },
  {
    fault: 'a permission bit too many',
    target: 'command',
    field: 'default_member_permissions',
    value: String(limits.permissionBitsMax + 1n),
    code: 'NUMBER_TYPE_MAX',
  },
  {
    fault: 'an unknown locale',
    target: 'command',
    field: 'name_localizations',
    value: { pt_BR: 'convite' },
    code: 'BASE_TYPE_CHOICES',
    at: ['name_localizations', 'pt_BR'],
  },
  {
    fault: 'a list as dictionary',
    target: 'command',
    field: 'description_localizations',
    value: ['x'],
    code: 'DICT_TYPE_CONVERT',
  },
  { fault: 'no description', target: 'described', field: 'description', value: '', code: 'BASE_TYPE_REQUIRED' },
  {
    fault: 'a long description',
    target: 'described',
    field: 'description',
    value: tooLong(100),
    code: 'BASE_TYPE_BAD_LENGTH',
  },
  {
    fault: 'a description on a context menu',
    target: 'contextMenu',
    field: 'description',
    value: 'x',
    code: 'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
  },
  {
    fault: 'options on a context menu',
    target: 'contextMenu',
    field: 'options',
    value: [newOption],
    code: 'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID',
  },
  { fault: 'an object as options', target: 'chat', field: 'options', value: {}, code: 'LIST_TYPE_CONVERT' },
  {
    fault: 'an option too many',
    target: 'chat',
    field: 'options',
    value: Array.from({ length: limits.commandOptionsMax + 1 }, (_, i) => ({ ...newOption, name: `o${i}` })),
    code: 'BASE_TYPE_MAX_LENGTH',
  },
  {
    fault: 'a null option',
    target: 'chat',
    field: 'options',
    value: ({ options }) => [...(Array.isArray(options) ? options.slice(0, 24) : []), null],
    code: 'LIST_ITEM_VALUE_REQUIRED',
    at: ['options', 'last'],
  },
  {
    fault: 'the first option twice',
    target: 'chat',
    field: 'options',
    value: ({ options }) => {
      const first = Array.isArray(options) && options.length > 0 ? options : [newOption];
      return [...first, { ...(first[0] as Item) }];
    },
    code: 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
    at: ['options', 'last'],
  },
  {
    fault: 'a handler on another type',
    target: 'notEntryPoint',
    field: 'handler',
    value: 1,
    code: 'APPLICATION_COMMAND_HANDLER_INVALID',
  },
  { fault: 'a blank in a name', target: 'named', field: 'name', value: 'two words', code: 'STRING_TYPE_REGEX' },
  {
    fault: 'a capital in a name',
    target: 'named',
    field: 'name',
    value: 'Invite',
    code: 'APPLICATION_COMMAND_INVALID_NAME',
  },
  {
    fault: 'a capital in a translated name',
    target: 'named',
    field: 'name_localizations',
    value: { de: 'Einladen' },
    code: 'APPLICATION_COMMAND_INVALID_NAME',
    at: ['name_localizations', 'de'],
  },
  { fault: 'an option without type', target: 'option', field: 'type', value: undefined, code: 'BASE_TYPE_REQUIRED' },
  {
    fault: 'an option of unknown type',
    target: 'option',
    field: 'type',
    value: 12,
    code: 'UNION_TYPE_CHOICES',
    at: [],
  },
  {
    fault: 'an option without description',
    target: 'option',
    field: 'description',
    value: undefined,
    code: 'BASE_TYPE_REQUIRED',
  },
  { fault: 'a text as required', target: 'option', field: 'required', value: 'yes', code: 'BOOLEAN_TYPE_CONVERT' },
  {
    fault: 'a required subcommand',
    target: 'nesting',
    field: 'required',
    value: true,
    code: 'APPLICATION_COMMAND_REQUIRED_INVALID',
  },
  {
    fault: 'an option inside a parameter',
    target: 'parameter',
    field: 'options',
    value: [newOption],
    code: 'APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  },
  {
    fault: 'a group inside a group or subcommand',
    target: 'nesting',
    field: 'options',
    value: [{ ...newOption, type: 2 }],
    code: 'UNION_TYPE_CHOICES',
    at: ['options', '0'],
  },
  {
    fault: 'choices on a type without',
    target: 'unchoosable',
    field: 'choices',
    value: [{ name: 'x', value: 'x' }],
    code: 'APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  },
  {
    fault: 'a choice too many',
    target: 'choosable',
    field: 'choices',
    value: Array.from({ length: limits.optionChoicesMax + 1 }, (_, i) => ({ name: `c${i}`, value: i })),
    code: 'BASE_TYPE_MAX_LENGTH',
  },
  { fault: 'a choice without name', target: 'choice', field: 'name', value: '', code: 'BASE_TYPE_REQUIRED' },
  { fault: 'a long choice name', target: 'choice', field: 'name', value: tooLong(100), code: 'BASE_TYPE_BAD_LENGTH' },
  { fault: 'a choice without value', target: 'choice', field: 'value', value: null, code: 'BASE_TYPE_REQUIRED' },
];

function breakCommand(command: CommandInput, mutation: Mutation, pick: number): BrokenCommand | undefined {
  const body = structuredClone(command) as unknown as Item;
  const places = targets[mutation.target](body);
  const place = places[pick % places.length];
  if (place === undefined) return undefined;
  const item = at(body, place);
  const value = typeof mutation.value === 'function' ? mutation.value(item) : mutation.value;
  if (value === undefined) delete item[mutation.field];
  else item[mutation.field] = value;
  const last = Array.isArray(value) ? String(value.length - 1) : '';
  const below = (mutation.at ?? [mutation.field]).map(step => (step === 'last' ? last : step));
  return { fault: mutation.fault, body, path: [...place, ...below], code: mutation.code };
}

function isChat(command: Item): boolean {
  return (command.type ?? commandTypes.CHAT_INPUT) === commandTypes.CHAT_INPUT;
}

function isContextMenu(command: Item): boolean {
  return command.type === commandTypes.USER || command.type === commandTypes.MESSAGE;
}

function isChoosable(option: Item): boolean {
  return (
    option.type === optionTypes.STRING || option.type === optionTypes.INTEGER || option.type === optionTypes.NUMBER
  );
}

function at(command: Item, path: Path): Item {
  return path.reduce<Item>((item, step) => item[step] as Item, command);
}

function itemPaths(item: Item, list: string): Path[] {
  const items = item[list];
  return Array.isArray(items) ? items.map((_, i) => [list, String(i)]) : [];
}

function optionPaths(item: Item): Path[] {
  return itemPaths(item, 'options').flatMap(path => [
    path,
    ...optionPaths(at(item, path)).map(below => [...path, ...below]),
  ]);
}

function choicePaths(command: Item): Path[] {
  return optionPaths(command).flatMap(path =>
    itemPaths(at(command, path), 'choices').map(below => [...path, ...below]),
  );
}
