import { locales } from '../../model/locale.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { resolveBaseUrl } from '../../wire/addresses.ts';
import { environmentVariables } from '../../wire/environment-variables.ts';
import {
  type GivenOptions,
  type OptionGroups,
  type OptionRow,
  optionText,
  readArguments,
  UsageError,
} from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import type { Terminal } from '../terminal.ts';
import { type Config, configFileName, readConfigFile } from './config-file.ts';

/** What each `rallypoint commands …` does. */
export const actionSummaries = {
  plan: 'show what a deploy of FILE would change; writes nothing',
  deploy: 'make the definitions in FILE the registered commands',
  check: 'like plan, but exit with 1 when something differs',
  pull: 'print the registered commands as definitions',
  show: 'list the registered commands, or show the one called NAME',
} as const;
export type ActionName = keyof typeof actionSummaries;

/** What an action takes besides its options. */
export const operands: Readonly<Record<ActionName, string | undefined>> = {
  plan: 'FILE',
  deploy: 'FILE',
  check: 'FILE',
  pull: undefined,
  show: '[NAME]',
};

interface CommandsOptionRow extends OptionRow {
  /** The actions that take it; absent: all. */
  readonly actions?: readonly ActionName[];
}

const ofFile: readonly ActionName[] = ['plan', 'deploy', 'check'];

/** The options of all actions, by the headings of the help. */
const commandsOptions: Readonly<Record<string, Readonly<Record<string, CommandsOptionRow>>>> = {
  'Which commands': {
    'base-url': { value: 'URL', help: [`address of the service (or set ${environmentVariables.baseUrl})`] },
    application: { value: 'ID', help: [`the application (or set ${environmentVariables.applicationId})`] },
    guild: { value: 'ID', help: ['the commands of this guild (default: the global commands)'] },
    'allow-unencrypted': { help: ['allow http beyond this machine, where others can read the credential'] },
    config: { value: 'FILE', help: [`configuration file (default: ${configFileName}, if there is one)`] },
  },
  Definitions: {
    localizations: { value: 'DIR', help: ['folder of translations: de.json, pt-BR.json and so on'], actions: ofFile },
    yes: { short: 'y', help: ['delete commands without asking'], actions: ['deploy'] },
  },
  Output: {
    json: { help: ['print one JSON document'] },
    locale: {
      value: 'LOCALE',
      choices: locales,
      help: ['show the texts that readers of this locale see, and why'],
      actions: ['show'],
    },
    out: { value: 'FILE', help: ['write to this file'], actions: ['pull'] },
    help: { short: 'h', help: ['show this help'] },
  },
};

/** The options that an action takes; without an action those of all. */
export function optionsOf(action?: ActionName): OptionGroups {
  const groups = Object.entries(commandsOptions).map(([heading, rows]) => {
    const taken = Object.entries(rows).filter(([, { actions }]) => !action || !actions || actions.includes(action));
    return [heading, Object.fromEntries(taken)] as const;
  });
  return Object.fromEntries(groups.filter(([, rows]) => Object.keys(rows).length > 0));
}

/** What an action was asked for. */
export interface CommandsSettings {
  readonly action: ActionName;
  /** FILE or NAME. */
  readonly operand?: string;
  readonly baseUrl: string;
  /** Where the base URL was given, for messages. */
  readonly baseUrlSource: string;
  readonly applicationId: string;
  readonly applicationIdSource: string;
  readonly guildId?: string;
  readonly allowUnencrypted: boolean;
  readonly localizations?: string;
  readonly yes: boolean;
  readonly json: boolean;
  readonly locale?: string;
  readonly out?: string;
}

/**
 * Reads what an action was asked for: from its options, then from the environment, then from the configuration file.
 *
 * @returns undefined when the help was asked for
 * @throws UsageError; CommandFailure: the configuration file cannot be used
 */
export function readSettings(
  action: ActionName,
  args: readonly string[],
  environment: Terminal['environment'],
): CommandsSettings | undefined {
  rejectSecrets(args);
  const { given, operands: words } = readArguments(args, optionsOf());
  if (given.help) return undefined;
  rejectOthers(action, given);
  const operand = readOperand(action, words);
  const config = readConfigFile(optionText(given, 'config'));
  const allowUnencrypted = given['allow-unencrypted'] === true || config.allowUnencrypted === true;
  const { value: baseUrl, source: baseUrlSource } = readBaseUrl(given, environment, config, allowUnencrypted);
  const { value: applicationId, source: applicationIdSource } = readApplicationId(given, environment, config);
  return {
    action,
    ...present('operand', operand ?? definitionsOf(action, config)),
    baseUrl,
    baseUrlSource,
    applicationId,
    applicationIdSource,
    ...present('guildId', readId('--guild', optionText(given, 'guild'))),
    allowUnencrypted,
    ...present('localizations', optionText(given, 'localizations') ?? config.localizations),
    yes: given.yes === true,
    json: given.json === true,
    ...present('locale', optionText(given, 'locale')),
    ...present('out', optionText(given, 'out')),
  };
}

/** Arguments show in process lists and histories; the value is not repeated. */
function rejectSecrets(args: readonly string[]): void {
  if (!args.some(arg => /^--?(bot[-_]?token|client[-_]?secret|token|secret)/i.test(arg))) return;
  const { botToken, clientSecret } = environmentVariables;
  throw new UsageError(
    `Secrets are never arguments, because other users of this machine can read those. Set ${botToken} or ${clientSecret}, or wait to be asked.`,
  );
}

function rejectOthers(action: ActionName, given: GivenOptions): void {
  for (const [name, { actions }] of Object.values(commandsOptions).flatMap(rows => Object.entries(rows))) {
    if (given[name] === undefined || !actions || actions.includes(action)) continue;
    throw new UsageError(
      `"rallypoint commands ${action}" has no option --${name}; it belongs to ${actions.join(', ')}.`,
    );
  }
}

function readOperand(action: ActionName, words: readonly string[]): string | undefined {
  const wanted = operands[action];
  const [word, another] = words;
  const needless = wanted === undefined ? word : another;
  if (needless === undefined) return word;
  const takes = wanted === undefined ? 'only options' : wanted === 'FILE' ? 'one FILE' : 'at most one NAME';
  throw new UsageError(`"rallypoint commands ${action}" takes ${takes} (got "${needless}" too).`);
}

function definitionsOf(action: ActionName, { definitions }: Config): string | undefined {
  if (operands[action] !== 'FILE') return undefined;
  if (definitions !== undefined) return definitions;
  throw new UsageError(
    `The file of definitions is missing: rallypoint commands ${action} FILE, or "definitions" in ${configFileName}.`,
  );
}

/** A value, and what gave it. */
interface Sourced {
  readonly value: string;
  readonly source: string;
}

/** The option before the environment before the file; empty text counts as nothing. */
function choose(
  given: GivenOptions,
  option: string,
  environment: Terminal['environment'],
  config: Config,
  field: 'baseUrl' | 'applicationId',
): Sourced | undefined {
  const variable = environmentVariables[field];
  const candidates = [
    { value: optionText(given, option), source: `--${option}` },
    { value: environment[variable], source: variable },
    { value: config[field], source: `${field} in ${config.path}` },
  ];
  return candidates.find((one): one is Sourced => Boolean(one.value));
}

function readBaseUrl(
  given: GivenOptions,
  environment: Terminal['environment'],
  config: Config,
  allowUnencrypted: boolean,
): Sourced {
  const chosen = choose(given, 'base-url', environment, config, 'baseUrl');
  if (!chosen) {
    throw new UsageError(
      `The address of the service is missing: give --base-url URL, for example --base-url http://127.0.0.1:8910, or set ${environmentVariables.baseUrl}, or write "baseUrl" into ${configFileName}.`,
    );
  }
  try {
    return { ...chosen, value: resolveBaseUrl(chosen.value, { allowUnencrypted }) };
  } catch (error) {
    const hint = (error as { code?: unknown }).code === 'insecure_address' ? ' --allow-unencrypted allows it.' : '';
    throw new UsageError(`${chosen.source}: ${errorMessage(error)}${hint}`);
  }
}

function readApplicationId(given: GivenOptions, environment: Terminal['environment'], config: Config): Sourced {
  const chosen = choose(given, 'application', environment, config, 'applicationId');
  if (chosen) {
    readId(chosen.source, chosen.value);
    return chosen;
  }
  throw new UsageError(
    `The application is missing: give --application ID, set ${environmentVariables.applicationId}, or write "applicationId" into ${configFileName}.`,
  );
}

function readId(source: string, id: string | undefined): string | undefined {
  if (id === undefined || isSnowflake(id)) return id;
  throw new UsageError(`${source} must be an id, a whole number (got "${id}").`);
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: Value });
}
