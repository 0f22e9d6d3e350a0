import { type Command, type CommandChoice, type CommandOption, interactionContexts } from '../../../model/command.ts';
import type { Locale, Localizations } from '../../../model/locale.ts';
import { localize } from '../../../model/rules/locales/localize.ts';
import type { CommandRecord } from '../../store/records.ts';

/**
 * How translations are shown: all of them, or only the texts for a reader of one locale, if it is known.
 *
 * @see docs/spec/commands.md#translations-in-answers
 */
export type Translations = 'all' | { readonly locale: Locale | undefined };

/** A command as answers show it: fields in the order of the interface, those without a value left out. @see docs/spec/commands.md#command */
export function showCommand(command: CommandRecord, translations: Translations): Command {
  const { options, guild_id, handler } = command;
  return {
    id: command.id,
    application_id: command.application_id,
    version: command.version,
    default_member_permissions: command.default_member_permissions,
    type: command.type,
    name: command.name,
    ...translated('name', command.name_localizations, translations),
    description: command.description,
    ...translated('description', command.description_localizations, translations),
    ...(guild_id === undefined ? showPlaces(command) : { guild_id }),
    ...(options && options.length > 0 && { options: options.map(option => showOption(option, translations)) }),
    nsfw: command.nsfw,
    ...(handler !== undefined && { handler }),
  };
}

/** Where a global command can be used. The deprecated flag follows the contexts once those are set. */
function showPlaces({ contexts = null, dm_permission, integration_types = [] }: CommandRecord) {
  const usableInDms = contexts === null ? dm_permission : contexts.includes(interactionContexts.BOT_DM);
  return { dm_permission: usableInDms, contexts, integration_types };
}

/** @see docs/spec/commands.md#options */
function showOption(option: CommandOption, translations: Translations): CommandOption {
  const { type, name, name_localizations, description, description_localizations, options, choices } = option;
  return {
    type,
    name,
    ...translated('name', name_localizations, translations),
    description,
    ...translated('description', description_localizations, translations),
    ...pick(option, 'required', 'autocomplete', 'channel_types'),
    ...(options && { options: options.map(inner => showOption(inner, translations)) }),
    ...(choices && { choices: choices.map(choice => showChoice(choice, translations)) }),
    ...pick(option, 'min_value', 'max_value', 'min_length', 'max_length', 'file_types'),
  };
}

function showChoice({ name, name_localizations, value }: CommandChoice, translations: Translations): CommandChoice {
  return { name, ...translated('name', name_localizations, translations), value };
}

type Translated = Pick<
  Command,
  'name_localized' | 'name_localizations' | 'description_localized' | 'description_localizations'
>;

function translated(
  field: 'name' | 'description',
  texts: Localizations | null | undefined,
  translations: Translations,
): Translated {
  if (translations === 'all') return { [`${field}_localizations`]: texts ?? null };
  const text = translations.locale && localize(texts, translations.locale);
  return text === undefined ? {} : { [`${field}_localized`]: text };
}

function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  ...keys: readonly Key[]
): Partial<Source> {
  const picked: Partial<Source> = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key];
  return picked;
}
