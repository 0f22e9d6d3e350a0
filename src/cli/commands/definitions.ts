import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DesiredCommand, loadLocalizations } from '../../backend/index.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { readJsonFile } from '../../wire/json-file.ts';
import { CommandFailure } from '../command-line.ts';
import { errorMessage } from '../failure.ts';

/**
 * Reads a file of definitions: JSON, or a module of JavaScript or TypeScript.
 * The list is the whole document or its `commands`; of a module the default export or the one called `commands`, which
 * may be a promise.
 *
 * @returns an unchecked list
 * @throws CommandFailure it cannot be read, or holds no list
 */
export async function loadDefinitions(file: string): Promise<readonly DesiredCommand[]> {
  const found = file.endsWith('.json') ? await readJson(file) : await loadModule(file);
  const list = Array.isArray(found) ? found : asRecord(found)?.commands;
  if (!Array.isArray(list)) {
    throw new CommandFailure(`${file} holds no list of commands: give an array, or an object or export "commands".`);
  }
  return list;
}

/**
 * The definitions with the translations of a folder.
 *
 * @throws ArgumentError it cannot be read; ValidationError a translation belongs to nothing
 */
export async function localized(
  definitions: readonly DesiredCommand[],
  folder: string,
): Promise<readonly DesiredCommand[]> {
  const localize = await loadLocalizations(folder);
  return localize(definitions.map(item => asRecord(item) ?? {}) as unknown as DesiredCommand[]);
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new CommandFailure(`${file} cannot be read: ${errorMessage(error)}`);
  });
  const content = readJsonFile(text);
  if ('fault' in content) throw new CommandFailure(`${file} is not JSON: ${content.fault}.`);
  return content.value;
}

/** The file and the line of an error in what is loaded, as far as they can be found. */
function placeOf(error: unknown, file: string): string {
  const { stack = '' } = Object(error) as { stack?: string };
  // Node.js keeps the place of a syntax error in JavaScript to itself, except where it only checks a file.
  const isUnplaced = error instanceof SyntaxError && !stack.includes('file://');
  const text = isUnplaced ? spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr : stack;
  const [, place, line] =
    /(?:^|\(|at )((?:file:\/\/)?\/[^\n()]*?|[A-Za-z]:[^\n()]*?):(\d+)(?::\d+)?\)?$/m.exec(text) ?? [];
  if (place === undefined) return file;
  const path = place.startsWith('file:') ? fileURLToPath(place) : place;
  return `${resolve(file) === path ? file : path}:${line}`;
}

async function loadModule(file: string): Promise<unknown> {
  // An import of what is not there would name files of this package.
  const found = await stat(file).catch(error => {
    throw new CommandFailure(`${file} cannot be read: ${errorMessage(error)}`);
  });
  if (found.isDirectory()) throw new CommandFailure(`${file} is a folder. Name a file of definitions in it.`);
  const module = await import(pathToFileURL(resolve(file)).href).catch((error: { code?: unknown }) => {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new CommandFailure(
        `This Node.js (${process.version}) cannot load ${file}. TypeScript takes 22.18 or newer; else give .js or .json.`,
      );
    }
    throw new CommandFailure(`${placeOf(error, file)} cannot be loaded: ${errorMessage(error)}`);
  });
  const exported = await (module.default ?? module.commands);
  return exported === undefined ? module : exported;
}
