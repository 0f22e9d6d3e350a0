import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandChoice, CommandOption } from '../../model/command.ts';
import { ArgumentError, ValidationError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { isLocale, type Locale, type Localizations } from '../../model/locale.ts';
import type { DesiredCommand } from '../../model/rules/commands/plan/desired.ts';
import { type Fields, isFields } from '../../model/rules/field.ts';
import { readJsonFile } from '../../wire/json-file.ts';

/**
 * The texts of one command, option or choice in one locale. Options are named by their default names, choices by their
 * values.
 */
export interface ItemTexts {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly options?: Readonly<Record<string, ItemTexts>> | undefined;
  /** Value of the choice → its name. */
  readonly choices?: Readonly<Record<string, string>> | undefined;
}

/** Locale → default name of a command → its texts. A name counts for every command that has it, whatever its type. */
export type LocalizationTexts = Readonly<Partial<Record<Locale, Readonly<Record<string, ItemTexts>>>>>;

/** Gives definitions their translations; what a definition says itself stays. Handlers stay too. */
export type Localizer = <Definition extends DesiredCommand>(commands: readonly Definition[]) => Definition[];

/**
 * Makes a localizer from unchecked texts.
 *
 * @returns a function that throws a ValidationError naming every key that belongs to no command, option or choice; each
 *   path begins with the locale
 */
export function createLocalizer(texts: unknown): Localizer {
  return commands => {
    const issues: Issue[] = [];
    const byLocale = readLocales(issues, texts);
    for (const { locale, node } of byLocale) checkCommands(issues, [locale], node, commands);
    if (issues.length > 0) throw new ValidationError('The set of translations', issues);
    return commands.map(command => translate(command, childrenOf(byLocale, command.name)));
  };
}

interface Texts {
  readonly locale: Locale;
  readonly node: Fields;
}

function readLocales(issues: Issue[], texts: unknown): Texts[] {
  if (!isFields(texts)) {
    unknown(issues, [], 'Translations are an object: locale → texts');
    return [];
  }
  return Object.entries(texts).flatMap(([locale, node]) => {
    if (!isLocale(locale)) unknown(issues, [locale], `There is no locale "${locale}"`);
    else if (!isFields(node)) unknown(issues, [locale], 'The texts of a locale are an object: command → texts');
    else return [{ locale, node }];
    return [];
  });
}

/** What translations can be about. */
type Item = Pick<CommandOption, 'name' | 'name_localizations'> & {
  readonly description?: string | null | undefined;
  readonly options?: readonly CommandOption[] | null | undefined;
  readonly choices?: readonly CommandChoice[] | undefined;
};

function checkCommands(issues: Issue[], path: readonly string[], node: Fields, commands: readonly Item[]): void {
  for (const [name, texts] of Object.entries(node)) {
    const named = commands.filter(command => command.name === name);
    if (named.length === 0) unknown(issues, [...path, name], `There is no command "${name}"`);
    // Of several with one name the texts may be about any.
    else checkItem(issues, [...path, name], texts, named.find(({ description }) => description) ?? (named[0] as Item));
  }
}

function checkItem(issues: Issue[], path: readonly string[], texts: unknown, item: Item): void {
  if (!isFields(texts)) {
    unknown(issues, path, 'Texts are an object: name, description, options, choices');
    return;
  }
  for (const [key, value] of Object.entries(texts)) {
    const at = [...path, key];
    if (key === 'name' || (key === 'description' && item.description)) checkText(issues, at, value);
    else if (key === 'options' && isFields(value)) checkOptions(issues, at, value, item);
    else if (key === 'choices' && isFields(value)) checkChoices(issues, at, value, item);
    else unknown(issues, at, `"${key}" is nothing to translate here`);
  }
}

function checkOptions(issues: Issue[], path: readonly string[], texts: Fields, { name, options }: Item): void {
  for (const [key, value] of Object.entries(texts)) {
    const option = options?.find(each => each.name === key);
    if (option) checkItem(issues, [...path, key], value, option);
    else unknown(issues, [...path, key], `"${name}" has no option "${key}"`);
  }
}

function checkChoices(issues: Issue[], path: readonly string[], texts: Fields, { name, choices }: Item): void {
  for (const [key, value] of Object.entries(texts)) {
    if (choices?.some(choice => String(choice.value) === key)) checkText(issues, [...path, key], value);
    else unknown(issues, [...path, key], `"${name}" has no choice of the value "${key}"`);
  }
}

function checkText(issues: Issue[], path: readonly string[], value: unknown): void {
  if (typeof value !== 'string') unknown(issues, path, 'A translation is text');
}

function unknown(issues: Issue[], path: readonly string[], message: string): void {
  issues.push({ path, code: 'LOCALIZATION_UNKNOWN', message });
}

/** The item with its translations, in all locales and on all levels. */
function translate<Translated extends Item>(item: Translated, texts: readonly Texts[]): Translated {
  const { options, choices } = item;
  return {
    ...item,
    ...translated(item, 'name', texts),
    ...translated(item, 'description', texts),
    ...(options && { options: options.map(option => translate(option, childrenOf(texts, 'options', option.name))) }),
    ...(choices && { choices: choices.map(choice => translateChoice(choice, texts)) }),
  };
}

function translateChoice(choice: CommandChoice, texts: readonly Texts[]): CommandChoice {
  const value = String(choice.value);
  const names = texts.flatMap(({ locale, node }) => {
    const name = isFields(node.choices) && Object.hasOwn(node.choices, value) ? node.choices[value] : undefined;
    return name === undefined ? [] : [{ locale, node: { name } }];
  });
  return { ...choice, ...translated(choice, 'name', names) };
}

function translated(item: object, field: 'name' | 'description', texts: readonly Texts[]): object {
  const key = `${field}_localizations` as const;
  const given = texts.flatMap(({ locale, node }) =>
    Object.hasOwn(node, field) ? [[locale, node[field]] as const] : [],
  );
  const own = (item as { readonly [Key in typeof key]?: Localizations | null })[key];
  return given.length === 0 ? {} : { [key]: { ...Object.fromEntries(given), ...own } };
}

/** The texts one or two keys further down, where there are any. */
function childrenOf(texts: readonly Texts[], ...keys: readonly string[]): Texts[] {
  return texts.flatMap(({ locale, node }) => {
    const child = keys.reduce<unknown>(
      (at, key) => (isFields(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      node,
    );
    return isFields(child) ? [{ locale, node: child }] : [];
  });
}

/**
 * Gets translations that live apart from the definitions.
 *
 * @param source texts by locale, or a folder with a JSON file for each: `de.json`, `pt-BR.json`
 * @throws ArgumentError `unreadable_localizations`: the folder or a file in it cannot be read, or is not JSON
 * @example
 * ```ts
 * // locales/de.json: { "rally": { "name": "sammeln", "options": { "map": { "choices": { "harbour": "Hafen" } } } } }
 * const localize = await loadLocalizations('locales');
 * const commands = localize([rally, party]);
 * ```
 */
export async function loadLocalizations(source: string | URL | LocalizationTexts): Promise<Localizer> {
  if (typeof source === 'string') return createLocalizer(await readFolder(source));
  return createLocalizer(source instanceof URL ? await readFolder(fileURLToPath(source)) : source);
}

const extension = '.json';

async function readFolder(folder: string): Promise<Record<string, unknown>> {
  const names = await readdir(folder).catch(error => {
    throw unreadable(folder, error);
  });
  const files = names.filter(name => name.endsWith(extension)).sort();
  const texts = await Promise.all(files.map(file => readTexts(join(folder, file))));
  return Object.fromEntries(files.map((file, i) => [file.slice(0, -extension.length), texts[i]]));
}

async function readTexts(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw unreadable(path, error);
  });
  const texts = readJsonFile(text);
  if ('fault' in texts) throw new ArgumentError('unreadable_localizations', `${path} is not JSON: ${texts.fault}.`);
  return texts.value;
}

function unreadable(path: string, cause: Error): ArgumentError {
  return new ArgumentError('unreadable_localizations', `${path} cannot be read: ${cause.message}`, { cause });
}
