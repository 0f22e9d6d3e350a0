import { type Command, type CommandChoice, type CommandOption, interactionContexts } from '../../../model/command.ts';
import type { Locale, Localizations } from '../../../model/locale.ts';
import { localize } from '../../../model/rules/locales/localize.ts';
import type { CommandRecord } from '../../store/records.ts';

/**
 * Which translations are shown: all of them, or only the text for a reader's locale, if it is known.
 *
 * @see docs/spec/commands.md#translations-in-answers
 */
export type Translations = 'all' | { readonly locale: Locale | undefined };

/**
 * A command as answers show it: fields in the order of the interface, without empty ones.
 * @see docs/spec/commands.md#command
 */
export function showCommand(command: CommandRecord, translations: Translations): Command {
  const { id, application_id, version, default_member_permissions, type, name, description, options } = command;
  const shown = { id, application_id, version, default_member_permissions, type, name } as Command;
  translate(shown, 'name', command.name_localizations, translations);
  shown.description = description;
  translate(shown, 'description', command.description_localizations, translations);
  if (command.guild_id === undefined) showPlaces(shown, command);
  else shown.guild_id = command.guild_id;
  if (options && options.length > 0) shown.options = showOptions(options, translations);
  shown.nsfw = command.nsfw;
  if (command.handler !== undefined) shown.handler = command.handler;
  return shown;
}

/** The JSON of options, which are most of a command, for as long as some command has them. */
const optionTexts = new WeakMap<readonly CommandOption[], string>();

/** The command with all translations, as {@link showCommand} shows it, encoded as JSON. */
export function encodeCommand(command: CommandRecord): string {
  const pieces: string[] = [];
  encodeInto(pieces, command);
  return pieces.join('');
}

/** A list of commands as {@link encodeCommand} encodes each. */
export function encodeCommands(commands: readonly CommandRecord[]): string {
  // Joined in one step: a text that is put together in several is copied once more when it is sent.
  const pieces = ['['];
  for (const command of commands) {
    if (pieces.length > 1) pieces.push(',');
    encodeInto(pieces, command);
  }
  pieces.push(']');
  return pieces.join('');
}

function encodeInto(pieces: string[], command: CommandRecord): void {
  const shown = showCommand(command, 'all');
  const { options } = shown;
  // Overwritten, because V8 handles an object from which a field was deleted more slowly.
  const text = JSON.stringify(Object.assign(shown, { options: undefined }));
  if (!options) {
    pieces.push(text);
    return;
  }
  let optionsText = optionTexts.get(options);
  if (optionsText === undefined) {
    optionsText = JSON.stringify(options);
    optionTexts.set(options, optionsText);
  }
  // Fields have an order, and the options come before this one. Quotes within texts are escaped, so that no text looks like it.
  const at = text.lastIndexOf(',"nsfw":');
  pieces.push(text.slice(0, at), ',"options":', optionsText, text.slice(at));
}

/** Where a global command can be used. The deprecated flag follows the contexts once those are set. */
function showPlaces(shown: Command, { contexts = null, dm_permission, integration_types = [] }: CommandRecord): void {
  shown.dm_permission = contexts === null ? dm_permission : contexts.includes(interactionContexts.BOT_DM);
  shown.contexts = contexts;
  shown.integration_types = integration_types;
}

/**
 * With all translations, options are answered as they are stored, because `normalizeCommand` has given them that
 * form.
 */
function showOptions(options: readonly CommandOption[], translations: Translations): readonly CommandOption[] {
  return translations === 'all' ? options : options.map(option => showOption(option, translations));
}

/** @see docs/spec/commands.md#options */
function showOption(option: CommandOption, translations: Translations): CommandOption {
  const { type, name, name_localizations, description, description_localizations, options, choices } = option;
  const shown = { type, name } as CommandOption;
  translate(shown, 'name', name_localizations, translations);
  shown.description = description;
  translate(shown, 'description', description_localizations, translations);
  return {
    ...shown,
    ...pick(option, 'required', 'autocomplete', 'channel_types'),
    ...(options && { options: showOptions(options, translations) }),
    ...(choices && { choices: choices.map(choice => showChoice(choice, translations)) }),
    ...pick(option, 'min_value', 'max_value', 'min_length', 'max_length', 'file_types'),
  };
}

function showChoice({ name, name_localizations, value }: CommandChoice, translations: Translations): CommandChoice {
  const shown = { name } as CommandChoice;
  translate(shown, 'name', name_localizations, translations);
  shown.value = value;
  return shown;
}

/** The fields of an answer with the translations of a field: one text, or all. */
const translatedFields = {
  name: { one: 'name_localized', all: 'name_localizations' },
  description: { one: 'description_localized', all: 'description_localizations' },
} as const;

type Translated = Pick<
  Command,
  'name_localized' | 'name_localizations' | 'description_localized' | 'description_localizations'
>;

function translate(
  shown: Translated,
  field: keyof typeof translatedFields,
  texts: Localizations | null | undefined,
  translations: Translations,
): void {
  const { one, all } = translatedFields[field];
  if (translations === 'all') {
    shown[all] = texts ?? null;
    return;
  }
  const text = translations.locale && localize(texts, translations.locale);
  if (text !== undefined) shown[one] = text;
}

function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  ...keys: readonly Key[]
): Partial<Source> {
  const picked: Partial<Source> = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key];
  return picked;
}
