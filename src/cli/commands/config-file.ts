import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { environmentVariables } from '../../wire/environment-variables.ts';
import { readJsonFile } from '../../wire/json-file.ts';
import { CommandFailure } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { suggestion } from '../nearest.ts';

/** The file that is read where `--config` names none and the working folder has it. */
export const configFileName = 'rallypoint.config.json';

/** What the file may say, field by field. */
export const configFields = {
  baseUrl: { kind: 'text', help: 'the address of the service' },
  applicationId: { kind: 'text', help: 'the application, as text' },
  definitions: { kind: 'path', help: 'FILE of plan, deploy and check, from the folder of this file' },
  localizations: { kind: 'path', help: 'folder of the translations, from the folder of this file' },
  allowUnencrypted: { kind: 'flag', help: 'true: as --allow-unencrypted' },
} as const;

/** What a configuration file says. */
export interface Config {
  /** The file itself; undefined when there is none. */
  readonly path?: string;
  readonly baseUrl?: string;
  readonly applicationId?: string;
  /** Absolute, as {@link localizations} is. */
  readonly definitions?: string;
  readonly localizations?: string;
  readonly allowUnencrypted?: boolean;
}

/**
 * Reads the configuration of `rallypoint commands`.
 *
 * @param named the file of `--config`; without it the working folder is looked at
 * @throws CommandFailure it cannot be read, is not JSON, or says something else than it may
 */
export function readConfigFile(named: string | undefined): Config {
  const path = named ?? configFileName;
  if (named === undefined && !existsSync(path)) return {};
  const content = readJsonFile(readText(path));
  if ('fault' in content) throw new CommandFailure(`${path} is not JSON: ${content.fault}.`);
  const { value } = content;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandFailure(`${path} must hold an object, like { "baseUrl": "http://127.0.0.1:8910" }.`);
  }
  const fields = Object.entries(value).map(([name, field]) => [name, readField(path, name, field)]);
  return { path, ...Object.fromEntries(fields) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

function readField(path: string, name: string, value: unknown): string | boolean {
  const names = Object.keys(configFields) as (keyof typeof configFields)[];
  const known = names.find(one => one === name);
  if (!known) throw new CommandFailure(unknownField(path, name, names));
  const { kind } = configFields[known];
  if (kind === 'flag') {
    if (typeof value === 'boolean') return value;
    throw new CommandFailure(`${name} in ${path} must be true or false.`);
  }
  if (typeof value !== 'string' || value === '') {
    const hint = known === 'applicationId' ? ': in quotation marks, because a JSON number loses digits of an id' : '';
    throw new CommandFailure(`${name} in ${path} must be text${hint}.`);
  }
  return kind === 'path' ? resolve(dirname(path), value) : value;
}

/** The value is not repeated, because it may be a secret. */
function unknownField(path: string, name: string, names: readonly string[]): string {
  if (/token|secret/i.test(name)) {
    const { botToken, clientSecret } = environmentVariables;
    return `${path} must not hold secrets, because such files are shared (${name}). Set ${botToken} or ${clientSecret} instead.`;
  }
  return `${path} has an unknown field "${name}".${suggestion(name, names)} It may have ${names.join(', ')}.`;
}
