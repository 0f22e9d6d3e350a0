import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgumentError } from '../../model/errors/errors.ts';
import { readJsonFile } from '../../wire/json-file.ts';
import { createLocalizer, type LocalizationTexts, type Localizer } from './localizer.ts';

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
