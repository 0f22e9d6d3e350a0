import { environmentVariables } from '../wire/environment-variables.ts';
import type { OptionGroups } from './command-line.ts';
import { configFields, configFileName } from './commands/config-file.ts';
import { type ActionName, actionSummaries, operands, optionsOf } from './commands/settings.ts';
import { shells } from './completion.ts';
import { actionOf, actionsOf, type ControlCommand, controlEnvironment, controlOptions } from './control/options.ts';
import { devOptions } from './dev-options.ts';
import { doctorOptions } from './doctor-options.ts';
import { initOptions } from './init-options.ts';
import { serveEnvironment, serveOptions } from './serve-options.ts';
import { backupOptions, migrateOptions, moveOptions, restoreOptions } from './state/options.ts';

const helpColumn = 24;

/** Command → its one line in the general help. */
export const commandSummaries = {
  init: 'make a project: a game in Electron, its server, a service and a test',
  dev: 'start a service in memory with a demo, and show what it does',
  serve: 'start the service',
  users: 'list the users of a running service',
  lobbies: 'list the lobbies of a running service',
  token: "print a new token of a user's own client",
  clock: 'show or move the clock of a running service',
  fault: 'inject faults into a running service',
  use: 'use a command as a user, and print what the user sees',
  logs: 'show the requests, events and connections of a running service',
  commands: "register, compare and show an application's commands",
  doctor: "find out why players cannot sign in, or what is wrong with a service's data",
  backup: "copy a service's state into one file, also while the service runs",
  restore: 'fill an empty data folder or database with a backup',
  move: 'move a state from a data folder to PostgreSQL, or back',
  migrate: 'bring a PostgreSQL database to the newest layout',
  completion: `print a completion script: ${shells.join(', ')}`,
  help: 'show how to use a command: rallypoint help commands deploy',
} as const;

/** What `rallypoint --help` shows. */
export function generalHelp(): string {
  const commands = Object.entries(commandSummaries).map(([name, summary]) => row(name, [summary]));
  return [
    'Usage: rallypoint <command> [options]',
    '',
    'Lobbies, application commands, OAuth2 and the gateway on your own machine.',
    '',
    'Commands',
    ...commands,
    '',
    'Options',
    row('-h, --help', ['show this help, or that of a command']),
    row('-v, --version', ['show the version']),
    '',
    'Start with: rallypoint init my-game',
    '',
  ].join('\n');
}

/** What `rallypoint init --help` shows. */
export function initHelp(): string {
  return [
    'Usage: rallypoint init [DIR] [options]',
    '',
    'Makes a project in DIR, or in the current folder: a game in Electron, its server, a local service with fixtures, and',
    'a test. README.md there has the commands. It replaces no file: if one of them exists, nothing is written.',
    '',
    ...optionHelp(initOptions),
    'Exit codes: 0 done, 1 failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint init my-game',
    '  rallypoint init my-game --sdk ./rallypoint-sdk-0.1.0.tgz',
    '',
  ].join('\n');
}

/** What `rallypoint dev --help` shows. */
export function devHelp(): string {
  return [
    'Usage: rallypoint dev [options]',
    '',
    'Starts a service that keeps everything in memory, with a demo: the application 1, the users ada and grace, and the',
    'channel general. It prints one line for each request, event, delivery and connection.',
    'When the fixtures file changes, it is loaded again. What was removed from it stays until the next start.',
    '',
    ...optionHelp(devOptions),
    'Colors are for terminals; NO_COLOR=1 turns them off.',
    'Exit codes: 0 stopped, 1 could not start or failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint dev',
    '  rallypoint dev --fixtures fixtures.json --port 0',
    '',
  ].join('\n');
}

/** What the help of a command for a running service shows, or that of one of its actions. */
export function controlHelp(command: ControlCommand, action?: string): string {
  const actions = actionsOf(command);
  if (actions && action === undefined) {
    return [
      `Usage: rallypoint ${command} <action> [options]`,
      '',
      'Actions',
      ...Object.entries(actions).map(([name, { operand = '', summary }]) =>
        row(`${name} ${operand}`.trim(), [summary]),
      ),
      '',
      `rallypoint help ${command} ACTION shows the options of an action.`,
      '',
    ].join('\n');
  }
  const shown = actionOf(command, action);
  const words = [command, action, shown.operand].filter(word => word !== undefined).join(' ');
  return [
    `Usage: rallypoint ${words} [options]`,
    '',
    `${shown.summary.charAt(0).toUpperCase()}${shown.summary.slice(1)}.`,
    ...(shown.words ? [`${shown.operand} is one of ${shown.words.join(', ')}.`] : []),
    ...(shown.details ?? []),
    '',
    ...optionHelp(controlOptions(shown)),
    `The service is that of the options, then of ${controlEnvironment.url} and ${controlEnvironment.token}, then of the ready file.`,
    'Exit codes: 0 done, 1 failed, 2 wrong usage.',
    ...(shown.examples ? ['', 'Examples', ...shown.examples.map(example => `  ${example}`)] : []),
    '',
  ].join('\n');
}

/** What `rallypoint serve --help` shows. */
export function serveHelp(): string {
  return [
    'Usage: rallypoint serve [options]',
    '',
    'Starts the service: the HTTP API, the OAuth2 pages, the gateway and the control API, all on one port. When it',
    'accepts traffic it prints one line of JSON with its addresses and the control token; at a terminal, a summary.',
    'Logs go to stderr.',
    '',
    ...optionHelp(serveOptions),
    'GET /healthz answers while the process works, /readyz says whether the service takes traffic, and /metrics',
    'gives Prometheus metrics.',
    '',
    'On SIGTERM or SIGINT the service stops accepting connections, finishes the requests under way, tells gateway',
    'sessions to reconnect, and exits with 0. A second one ends it immediately. SIGHUP counts only at a terminal.',
    'Exit codes: 0 stopped, 1 could not start or failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint serve --memory --port 0 --fixtures fixtures.json',
    '  rallypoint serve --data ./state --limits development --ready-file ready.json',
    '  rallypoint serve --memory --virtual-clock --limits off',
    '',
  ].join('\n');
}

/** What `rallypoint commands --help` shows, or that of one of its actions. */
export function commandsHelp(action?: ActionName): string {
  return [
    ...(action ? actionHead(action) : commandsHead()),
    ...settingsHelp(),
    ...optionHelp(optionsOf(action)),
    'Colors are for terminals; NO_COLOR=1 turns them off.',
    action === undefined || action === 'check'
      ? 'Exit codes: 0 done, 1 a check found a difference or the command failed, 2 wrong usage.'
      : 'Exit codes: 0 done, 1 failed, 2 wrong usage.',
    '',
    'Examples',
    ...examples
      .filter(example => action === undefined || example.startsWith(action))
      .map(example => `  rallypoint commands ${example}`),
    '',
  ].join('\n');
}

const examples: readonly string[] = [
  'plan commands.json --application 1 --base-url http://127.0.0.1:8910',
  'deploy commands.ts --guild 5 --yes',
  'check commands.ts --json',
  'pull --out commands.json',
  'show',
  'show rally --locale de',
];

function commandsHead(): string[] {
  return [
    'Usage: rallypoint commands <action> [options]',
    '',
    'Actions',
    ...Object.entries(actionSummaries).map(([name, summary]) => row(usageOf(name as ActionName), [summary])),
    '',
    ...definitionsHelp,
  ];
}

function actionHead(action: ActionName): string[] {
  const summary = actionSummaries[action];
  return [
    `Usage: rallypoint commands ${usageOf(action)} [options]`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(action === 'deploy'
      ? ['Before it deletes commands it asks at a terminal; elsewhere it deletes none without --yes.']
      : []),
    '',
    ...(operands[action] === 'FILE' ? definitionsHelp : []),
  ];
}

const definitionsHelp = [
  'FILE holds the definitions: a list of commands as JSON, or a module (.js, .ts) that exports it. JSON files are in',
  'UTF-8, with or without a byte order mark, and have no comments.',
  '',
];

/** Where settings come from, and in which order. */
function settingsHelp(): string[] {
  const { baseUrl, applicationId, botToken, clientSecret } = environmentVariables;
  return [
    'Settings come from the options, then from the environment, then from the configuration file.',
    '',
    'Environment',
    row(baseUrl, ['the address of the service, as --base-url; there is no default']),
    row(applicationId, ['the application, as --application']),
    row(botToken, ['the bot token; asked for at a terminal when it is not set']),
    row(clientSecret, ['the client secret, for an application without a bot']),
    '',
    `Configuration file (${configFileName} in the working folder, or --config FILE): a JSON object of`,
    ...Object.entries(configFields).map(([name, { help }]) => row(name, [help])),
    '',
  ];
}

function usageOf(action: ActionName): string {
  return `${action} ${operands[action] ?? ''}`.trim();
}

/** What `rallypoint doctor --help` shows. */
export function doctorHelp(): string {
  return [
    'Usage: rallypoint doctor [--scheme SCHEME | --application ID | --data DIR | --store URL] [options]',
    '',
    'Checks everything that a redirect needs to reach the game, and what stores the tokens afterwards: the program that',
    'opens the scheme, the forwarder, the socket, the loopback interface, the keychain and the rights of this process.',
    'Without a scheme it only checks what all games share.',
    'With --data it checks a data folder: whether the database can be opened, whether acknowledged commits are missing,',
    'its pages and indexes, every record, the keys. It reads a copy in the temporary folder (TMPDIR).',
    `With --store it checks a database: its layout, the nodes, every record, and the keys with ${serveEnvironment.secret}.`,
    'It changes nothing.',
    '',
    ...optionHelp(doctorOptions),
    'Colors are for terminals; NO_COLOR=1 turns them off.',
    'Exit codes: 0 no problem found, 1 a problem found, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint doctor --application 1054951789318909972',
    '  rallypoint doctor --scheme my-game --handler my-game.desktop --json',
    '  rallypoint doctor --data ./state',
    '',
  ].join('\n');
}

/** What `rallypoint backup --help` shows. */
export function backupHelp(): string {
  return [
    'Usage: rallypoint backup FILE [options]',
    '',
    'Copies the state of a data folder or of a PostgreSQL database into FILE, which must not exist yet. A service or nodes may be',
    'running on it: the copy has everything that they had acknowledged when it began. The copy is checked before it gets its',
    'name. Either kind of state can be restored from it.',
    'A backup holds the signing keys and hashes of all credentials: treat it as a secret.',
    'A backup of a database has no files of messages, and gateway sessions cannot be resumed after it is restored.',
    '',
    ...optionHelp(backupOptions),
    'Exit codes: 0 done, 1 it failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint backup state-monday.sqlite --data ./state',
    '  rallypoint backup state-monday.sqlite --store postgres://rallypoint@db.internal/rallypoint',
    '',
  ].join('\n');
}

/** What `rallypoint restore --help` shows. */
export function restoreHelp(): string {
  return [
    'Usage: rallypoint restore FILE [options]',
    '',
    'Makes a data folder from a backup, or fills an empty PostgreSQL database with it. Then start "rallypoint serve" on it.',
    'An existing state is never replaced: stop the service and move its folder away first, or give another database.',
    'A database is compared with the backup record by record; if anything fails, it stays empty.',
    ...protectedKeysHelp,
    '',
    ...optionHelp(restoreOptions),
    'Exit codes: 0 done, 1 it failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint restore state-monday.sqlite --data ./state',
    '  rallypoint restore state-monday.sqlite --store postgres://rallypoint@db.internal/rallypoint',
    '',
  ].join('\n');
}

/** What `rallypoint move --help` shows. */
export function moveHelp(): string {
  return [
    'Usage: rallypoint move --from PLACE --to PLACE [options]',
    '',
    'Copies a state from a data folder to a PostgreSQL database, or back, and compares both record by record. No service may run',
    'on the source, which is not changed (a data folder of an older version is brought to the newest layout). The target must be',
    'empty; if something fails, nothing is left there.',
    'Gateway sessions and the events for them are not taken along: players count as disconnected, and clients identify again.',
    ...protectedKeysHelp,
    'A password in an address can be seen by other users of the machine; PGPASSWORD is read instead.',
    '',
    ...optionHelp(moveOptions),
    'Exit codes: 0 done, 1 it failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint move --from ./state --to postgres://rallypoint@db.internal/rallypoint',
    '  rallypoint move --from postgres://rallypoint@db.internal/rallypoint --to ./state',
    '',
  ].join('\n');
}

const protectedKeysHelp = [
  `Keys that ${serveEnvironment.secret} has encrypted in a database stay encrypted in another. For a data folder they are decrypted:`,
  'set the same secret.',
];

/** What `rallypoint migrate --help` shows. */
export function migrateHelp(): string {
  return [
    'Usage: rallypoint migrate --store URL [options]',
    '',
    'Brings a PostgreSQL database to the layout of this version, or creates the tables in an empty one, in one transaction. Nodes',
    'do the same when they start. A database that has the layout already is not changed.',
    '',
    ...optionHelp(migrateOptions),
    'Exit codes: 0 done or nothing to do, 1 it failed, 2 wrong usage.',
    '',
    'Examples',
    '  rallypoint migrate --store postgres://rallypoint@db.internal/rallypoint --dry-run',
    '',
  ].join('\n');
}

/** What `rallypoint completion --help` shows. */
export function completionHelp(): string {
  return [
    `Usage: rallypoint completion ${shells.join('|')}`,
    '',
    'Prints a script that completes the commands, options and values of rallypoint in a shell.',
    '',
    'bash: add to ~/.bashrc',
    '  source <(rallypoint completion bash)',
    'zsh: add to ~/.zshrc, after compinit',
    '  source <(rallypoint completion zsh)',
    'fish: once',
    '  rallypoint completion fish > ~/.config/fish/completions/rallypoint.fish',
    '',
  ].join('\n');
}

function optionHelp(groups: OptionGroups): string[] {
  return Object.entries(groups).flatMap(([heading, options]) => [
    heading,
    ...Object.entries(options).map(([name, { short, value, help }]) => {
      const flag = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
      return row(flag, help);
    }),
    '',
  ]);
}

/** A term and its lines; a term that reaches into their column stands above them. */
function row(term: string, lines: readonly string[]): string {
  const indent = ' '.repeat(helpColumn);
  const fits = term.length + 3 < helpColumn;
  const [first = '', ...rest] = lines;
  const head = fits ? `  ${term}`.padEnd(helpColumn) + first : `  ${term}\n${indent}${first}`;
  return [head, ...rest.map(line => indent + line)].join('\n');
}
