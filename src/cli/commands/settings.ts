import { isSnowflake } from '../../model/snowflake.ts';
import { type GivenOptions, type OptionGroups, optionText, readArguments, UsageError } from '../command-line.ts';

/** What each `rallypoint commands …` does. */
export const actionSummaries = {
  plan: 'show what a deploy of FILE would do',
  deploy: 'make the definitions of FILE the registered commands',
  check: 'as plan; exits with 1 when something differs',
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

export const secretVariables = { botToken: 'RALLYPOINT_BOT_TOKEN', clientSecret: 'RALLYPOINT_CLIENT_SECRET' } as const;

/** The options of all actions, by the headings of the help. */
export const commandsOptions: OptionGroups = {
  'Whose commands': {
    application: { value: 'ID', help: ['the application; always needed'] },
    guild: { value: 'ID', help: ['the commands of this guild (default: the global ones)'] },
    'api-base': { value: 'URL', help: ["the service's api_base (default: the hosted service)"] },
    'allow-unencrypted': { help: ['let the credential travel by http beyond this machine'] },
  },
  'What they should be': {
    localizations: { value: 'DIR', help: ['folder of translations for FILE: de.json, pt-BR.json and so on'] },
    yes: { short: 'y', help: ['deploy: delete without asking first'] },
  },
  'What it says': {
    json: { help: ['one JSON document on stdout'] },
    locale: { value: 'LOCALE', help: ['show: the texts as readers of that locale see them, and why'] },
    out: { value: 'FILE', help: ['pull: write to this file'] },
    help: { short: 'h', help: ['show this'] },
  },
};

/** What an action was asked for. */
export interface CommandsSettings {
  readonly action: ActionName;
  /** FILE or NAME. */
  readonly operand?: string;
  readonly applicationId: string;
  readonly guildId?: string;
  readonly apiBase?: string;
  readonly allowUnencrypted: boolean;
  readonly localizations?: string;
  readonly yes: boolean;
  readonly json: boolean;
  readonly locale?: string;
  readonly out?: string;
}

/** Options that mean something to one action only. */
const particular: Readonly<Record<string, readonly ActionName[]>> = {
  localizations: ['plan', 'deploy', 'check'],
  yes: ['deploy'],
  locale: ['show'],
  out: ['pull'],
};

/**
 * @returns undefined when the help was asked for
 * @throws UsageError
 */
export function readSettings(action: ActionName, args: readonly string[]): CommandsSettings | undefined {
  refuseSecrets(args);
  const { given, operands: words } = readArguments(args, commandsOptions);
  if (given.help) return undefined;
  for (const [name, actions] of Object.entries(particular)) {
    if (given[name] === undefined || actions.includes(action)) continue;
    throw new UsageError(`--${name} is for ${actions.join(', ')}, not for ${action}.`);
  }
  return {
    action,
    ...readOperand(action, words),
    applicationId: readId(given, 'application') ?? missingApplication(),
    ...present('guildId', readId(given, 'guild')),
    ...present('apiBase', optionText(given, 'api-base')),
    allowUnencrypted: given['allow-unencrypted'] === true,
    ...present('localizations', optionText(given, 'localizations')),
    yes: given.yes === true,
    json: given.json === true,
    ...present('locale', optionText(given, 'locale')),
    ...present('out', optionText(given, 'out')),
  };
}

/** Arguments show in process lists and histories; the value is not repeated. */
function refuseSecrets(args: readonly string[]): void {
  if (!args.some(arg => /^--?(bot[-_]?token|client[-_]?secret|token|secret)/i.test(arg))) return;
  const { botToken, clientSecret } = secretVariables;
  throw new UsageError(
    `Secrets are never arguments, for others could read them: set ${botToken} or ${clientSecret}, or wait to be asked.`,
  );
}

function readOperand(action: ActionName, words: readonly string[]): { operand?: string } {
  const wanted = operands[action];
  const [word, another] = words;
  const needless = wanted === undefined ? word : another;
  if (needless !== undefined) {
    throw new UsageError(
      `"rallypoint commands ${action}" takes ${wanted ?? 'options only'}; what is "${needless}" for?`,
    );
  }
  if (wanted === 'FILE' && word === undefined) {
    throw new UsageError(`Which definitions? rallypoint commands ${action} FILE`);
  }
  return word === undefined ? {} : { operand: word };
}

function readId(given: GivenOptions, name: string): string | undefined {
  const id = optionText(given, name);
  if (id === undefined || isSnowflake(id)) return id;
  throw new UsageError(`--${name} is an id, a whole number, not "${id}".`);
}

function missingApplication(): never {
  throw new UsageError('Whose commands? Give --application ID.');
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: Value });
}
