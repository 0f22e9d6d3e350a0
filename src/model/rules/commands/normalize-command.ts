import type { ApplicationTraits } from '../../application.ts';
import {
  type Command,
  type CommandChoice,
  type CommandInput,
  type CommandOption,
  commandTypes,
  entryPointHandlers,
} from '../../command.ts';
import type { Localizations } from '../../locale.ts';
import { dropEqualTexts } from '../locales/localize.ts';
import type { CommandScope } from './command.ts';

/**
 * A command with all defaults filled in: two bodies that mean the same give equal ones, in the field order of an
 * answer. `contexts` and `integration_types` are there for global commands only, `options` when there are any.
 */
export interface NormalizedCommand
  extends Pick<
    Command,
    | 'default_member_permissions'
    | 'type'
    | 'name'
    | 'description'
    | 'contexts'
    | 'integration_types'
    | 'options'
    | 'nsfw'
    | 'handler'
  > {
  name_localizations: Localizations | null;
  description_localizations: Localizations | null;
  /** The deprecated flag as sent; an answer's `dm_permission` follows `contexts` when those are set. */
  dm_permission: boolean;
}

/**
 * Fills in the defaults of a command that passed its check without an issue.
 *
 * - dropped: empty options and choices, `required: false`, `autocomplete: false`, null, texts equal to their default
 * - lists that are sets (contexts, installation and channel types) are sorted, file types are in lower case
 * - permission bits become decimal text without leading zeros
 *
 * Unspecified:
 * - An entry point without `handler` gets DISCORD_LAUNCH_ACTIVITY, as the automatic one has.
 * - `default_permission: false` stands for `default_member_permissions: "0"` when that is absent: the legacy flag asked
 *   for the same, and to forget it would open the command to everyone.
 * - In a guild `contexts` and `integration_types` have no effect and are dropped.
 *
 * @param options its options if they were normalized before
 * @see docs/spec/commands.md#command; docs/spec/commands.md#options; docs/spec/commands.md#entry-point-command
 */
export function normalizeCommand(
  input: CommandInput,
  traits: ApplicationTraits,
  scope: CommandScope = 'global',
  options: readonly CommandOption[] | undefined = normalizeOptions(input.options),
): NormalizedCommand {
  const type = input.type ?? commandTypes.CHAT_INPUT;
  const description = input.description ?? '';
  const normalized: Omit<NormalizedCommand, 'nsfw'> & { nsfw?: boolean } = {
    default_member_permissions: permissions(input),
    type,
    name: input.name,
    name_localizations: dropEqualTexts(input.name_localizations, input.name),
    description,
    description_localizations: dropEqualTexts(input.description_localizations, description),
    dm_permission: input.dm_permission ?? true,
  };
  // Assigned one by one, as in an option.
  if (scope === 'global') {
    normalized.contexts = isGiven(input.contexts) ? sorted(input.contexts) : null;
    normalized.integration_types = sorted(input.integration_types ?? traits.integration_types);
  }
  if (options) normalized.options = options;
  normalized.nsfw = input.nsfw ?? false;
  if (type === commandTypes.PRIMARY_ENTRY_POINT)
    normalized.handler = input.handler ?? entryPointHandlers.DISCORD_LAUNCH_ACTIVITY;
  return normalized as NormalizedCommand;
}

function permissions({ default_member_permissions: bits, default_permission }: CommandInput): string | null {
  if (bits === null) return null;
  if (bits !== undefined) return BigInt(bits).toString();
  return default_permission === false ? '0' : null;
}

function normalizeOptions(options: CommandInput['options']): readonly CommandOption[] | undefined {
  return hasItems(options) ? options.map(normalizeOption) : undefined;
}

function normalizeOption(option: CommandOption): CommandOption {
  const { type, name, description, channel_types, options, choices, file_types } = option;
  const normalized: CommandOption = {
    type,
    name,
    name_localizations: dropEqualTexts(option.name_localizations, name),
    description,
    description_localizations: dropEqualTexts(option.description_localizations, description),
  };
  // Assigned one by one: spreading them takes twice as long, and a list has thousands.
  if (option.required) normalized.required = true;
  if (option.autocomplete) normalized.autocomplete = true;
  if (hasItems(channel_types)) normalized.channel_types = sorted(channel_types);
  if (hasItems(options)) normalized.options = options.map(normalizeOption);
  if (hasItems(choices)) normalized.choices = choices.map(normalizeChoice);
  for (const field of boundFields) {
    const bound = option[field];
    if (typeof bound === 'number') normalized[field] = bound;
  }
  if (hasItems(file_types)) normalized.file_types = file_types.map(type => type.toLowerCase());
  return normalized;
}

const boundFields = ['min_value', 'max_value', 'min_length', 'max_length'] as const;

function normalizeChoice({ name, name_localizations, value }: CommandChoice): CommandChoice {
  return { name, name_localizations: dropEqualTexts(name_localizations, name), value };
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function hasItems<Item>(list: readonly Item[] | null | undefined): list is readonly Item[] {
  return isGiven(list) && list.length > 0;
}

function sorted<Item extends number>(list: readonly Item[]): readonly Item[] {
  // Most are; sorting allocates a kilobyte.
  const isSorted = list.every((item, i) => i === 0 || (list[i - 1] as Item) <= item);
  return isSorted ? [...list] : list.toSorted((a, b) => a - b);
}
