import { version } from '../model/version.ts';
import type { Service } from '../service/service.ts';
import { paintFor, printable } from './paint.ts';
import type { Output } from './terminal.ts';

interface Greeting {
  /** What the service serves. */
  readonly what: string;
  /** Where its addresses are, or why they are nowhere. */
  readonly addresses: string;
  /** Of a demo: everybody knows it. */
  readonly botToken?: string | undefined;
}

/** Shows people what a service has and where it is. */
export function greet(stdout: Output, service: Service, { what, addresses, botToken }: Greeting): void {
  const { webBase, fixtures, consoleUrl } = service;
  const { applications, users, guilds } = fixtures;
  const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
  const channels = guilds.flatMap(guild => guild.channels.map(({ name }) => name));
  const lines = [
    `Rallypoint ${version} serves ${what} at ${webBase}`,
    `  applications  ${names(applications.map(({ id, name }) => `${name} (${id})`))}`,
    ...(botToken === undefined ? [] : [`  bot token     ${botToken}`]),
    `  users         ${names(users.map(({ username }) => username))}`,
    `  channels      ${names(channels)}`,
    `  addresses     ${addresses}`,
    ...(consoleUrl === undefined ? [] : [`  console       ${consoleUrl}`]),
  ];
  for (const line of lines) stdout.write(`${printable(line)}\n`);
  stdout.write(`Press ${paintFor(stdout)('bold', 'Ctrl+C')} to stop.\n\n`);
}
