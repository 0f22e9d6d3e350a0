import type { OptionGroups } from './command-line.ts';
import { serveOptions } from './serve-options.ts';

const helpColumn = 24;

/** Command → its one line in the general help. */
export const commandSummaries = {
  serve: 'start the service',
  help: 'show what a command takes: rallypoint help serve',
} as const;
export type CommandName = keyof typeof commandSummaries;

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
    'SIGTERM and SIGINT let what is under way finish, then it exits with 0. A second one ends it at once.',
    'Exit codes: 0 stopped, 1 could not start or failed, 2 wrong use.',
    '',
    'Examples',
    '  rallypoint serve --memory --port 0 --fixtures fixtures.json',
    '  rallypoint serve --data ./state --limits development --ready-file ready.json',
    '  rallypoint serve --memory --virtual-clock --limits off',
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
