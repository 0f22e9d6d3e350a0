import { dataOptions } from './backup-options.ts';
import type { OptionGroups } from './command-line.ts';
import { type ActionName, actionSummaries, commandsOptions, operands, secretVariables } from './commands/settings.ts';
import { doctorOptions } from './doctor-options.ts';
import { serveOptions } from './serve-options.ts';

const helpColumn = 24;

/** Command → its one line in the general help. */
export const commandSummaries = {
  serve: 'start the service',
  commands: "register, compare and show an application's commands",
  doctor: "find out why players cannot sign in, or what is wrong with a service's data folder",
  backup: "copy a service's state into one file, also while the service runs",
  restore: 'make a data folder of a backup',
  help: 'show what a command takes: rallypoint help serve',
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
    row('-h, --help', ['show this, or what a command takes']),
    row('-v, --version', ['show the version']),
    '',
    'Start with: rallypoint serve --memory',
    '',
  ].join('\n');
}

/** What `rallypoint serve --help` shows. */
export function serveHelp(): string {
  return [
    'Usage: rallypoint serve [options]',
    '',
    'Starts the service: the HTTP API, OAuth2 pages, gateway and control API at one port. As soon as it accepts',
    'traffic it prints one line of JSON with its addresses and the control token. Logs go to stderr.',
    '',
    ...optionHelp(serveOptions),
    'SIGTERM and SIGINT make it accept no more connections, answer what is under way, tell gateway sessions to',
    'reconnect, and exit with 0. A second one ends it immediately.',
    'Exit codes: 0 stopped, 1 could not start or failed, 2 wrong use.',
    '',
    'Examples',
    '  rallypoint serve --memory --port 0 --fixtures fixtures.json',
    '  rallypoint serve --data ./state --limits development --ready-file ready.json',
    '  rallypoint serve --memory --virtual-clock --limits off',
    '',
  ].join('\n');
}

/** What `rallypoint commands --help` shows. */
export function commandsHelp(): string {
  const actions = Object.entries(actionSummaries).map(([name, summary]) =>
    row(`${name} ${operands[name as ActionName] ?? ''}`.trim(), [summary]),
  );
  return [
    'Usage: rallypoint commands <action> --application ID [options]',
    '',
    'Actions',
    ...actions,
    '',
    'FILE holds the definitions: a list of commands as JSON, or a module (.js, .ts) that exports it.',
    `The credential comes from ${secretVariables.botToken} or ${secretVariables.clientSecret}, or is asked for.`,
    '',
    ...optionHelp(commandsOptions),
    'Colours are for terminals, and off with NO_COLOR=1.',
    'Exit codes: 0 done, 1 a check found a difference or it failed, 2 wrong use.',
    '',
    'Examples',
    '  rallypoint commands plan commands.json --application 1 --api-base http://127.0.0.1:8910/api',
    '  rallypoint commands deploy commands.ts --application 1 --guild 5 --yes',
    '  rallypoint commands check commands.ts --application 1 --json',
    '  rallypoint commands pull --application 1 --out commands.json',
    '',
  ].join('\n');
}

/** What `rallypoint doctor --help` shows. */
export function doctorHelp(): string {
  return [
    'Usage: rallypoint doctor [--scheme SCHEME | --application ID | --data DIR] [options]',
    '',
    'Looks at what brings a redirect from the browser back to the game, and at what keeps the tokens after it: who opens',
    'the scheme, the forwarder, the socket, loopback, the keychain, the rights. Without a scheme, at what concerns all.',
    'With --data it looks through a data folder: whether the database can be opened, whether commits are missing that were',
    'acknowledged, its pages and indexes, every record, the keys. It reads a copy in the temporary folder (TMPDIR).',
    'It leaves nothing changed.',
    '',
    ...optionHelp(doctorOptions),
    'Colours are for terminals, and off with NO_COLOR=1.',
    'Exit codes: 0 nothing is amiss, 1 something is, 2 wrong use.',
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
    'Copies the state of a data folder into FILE, which must not be there yet. A service may be running on the folder: all that',
    'it had acknowledged when the copy began is in it. The copy is looked through before it gets its name.',
    'A backup holds the keys that sign and hashes of all credentials: treat it as a secret.',
    '',
    ...optionHelp(dataOptions),
    'Exit codes: 0 done, 1 it failed, 2 wrong use.',
    '',
    'Examples',
    '  rallypoint backup state-monday.sqlite --data ./state',
    '',
  ].join('\n');
}

/** What `rallypoint restore --help` shows. */
export function restoreHelp(): string {
  return [
    'Usage: rallypoint restore FILE [options]',
    '',
    'Makes a data folder of a backup, for "rallypoint serve" to be started on. A folder that holds a state already is not',
    'touched: stop the service and move the folder away first.',
    '',
    ...optionHelp(dataOptions),
    'Exit codes: 0 done, 1 it failed, 2 wrong use.',
    '',
    'Examples',
    '  rallypoint restore state-monday.sqlite --data ./state',
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
