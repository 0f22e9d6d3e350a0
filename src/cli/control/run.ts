import { ValidationError } from '../../model/errors/errors.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { millisecondsOf } from '../../testing/duration.ts';
import { isCredential } from '../../wire/arguments.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { CommandFailure, type GivenOptions, optionText, readArguments, UsageError } from '../command-line.ts';
import { errorMessage } from '../failure.ts';
import { controlHelp } from '../help.ts';
import { paintFor, printable } from '../paint.ts';
import { readReadyFile } from '../ready-file.ts';
import { defaultReadyFile } from '../serve-options.ts';
import { firstSignal } from '../signal.ts';
import { heading, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { type Waiting, waitingAt } from '../waiting.ts';
import { followLog, logLine, readLog } from './log-lines.ts';
import {
  actionOf,
  actionsOf,
  type ControlCommand,
  controlEnvironment,
  controlOptions,
  optionId,
  optionNumber,
  pageSize,
  readControlAction,
  timeoutDefault,
} from './options.ts';
import { replyText } from './reply-text.ts';
import { type ControlAddress, control, RejectedRequest } from './request.ts';
import type { CommandUse } from './use.ts';

/**
 * The commands for a running service, over its control API.
 *
 * @throws UsageError, CommandFailure
 */
export async function controlCommand(
  command: ControlCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { stdout, environment } = terminal;
  const [first = '', ...others] = args;
  const hasActions = actionsOf(command) !== undefined;
  const asksHelp = hasActions && ['', 'help', '--help', '-h'].includes(first);
  const name = hasActions && !asksHelp ? readControlAction(command, first) : undefined;
  const action = asksHelp ? undefined : actionOf(command, name);
  const { given, operands } = readArguments(hasActions ? others : args, action ? controlOptions(action) : {});
  if (!action || given.help) {
    stdout.write(controlHelp(command, name));
    return;
  }
  const words = [command, ...(name === undefined ? [] : [name])].join(' ');
  const { operand: wanted, hasManyWords = false } = action;
  const operand = hasManyWords ? operands.join(' ') : (operands[0] ?? '');
  if (wanted !== undefined && !operand) {
    throw new UsageError(`"rallypoint ${words}" needs ${wanted}: rallypoint ${words} ${wanted}`);
  }
  if (!hasManyWords && operands.length > (wanted ? 1 : 0)) {
    throw new UsageError(`"rallypoint ${words}" does not take "${operands.at(-1)}".`);
  }
  const run = runs[words];
  const waiting = waitingAt(terminal);
  const address = () => ({ ...readAddress(given, environment), waiting });
  if (run) await run({ given, operand, operands, address, waiting, terminal });
}

interface Run {
  readonly given: GivenOptions;
  /** All words that are not options, for an action that takes many. */
  readonly operand: string;
  readonly operands: readonly string[];
  /** Asked for once the options are known to be right. */
  readonly address: () => ControlAddress;
  readonly waiting: Waiting;
  readonly terminal: Terminal;
}

const runs: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  users: run => list(run, 'users', ['id', 'username', 'global_name', 'banned']),
  lobbies: run => list(run, 'lobbies', ['id', 'application_id', 'member_count', 'metadata']),
  token: async ({ given, operand, address, terminal }) => {
    const found = address();
    const answer = await control<{ token: string }>(found, `POST /users/${await userId(found, operand)}/session`);
    print(terminal, given, answer, answer.token);
  },
  'clock show': async ({ given, address, terminal }) => {
    const answer = await control<{ now_ms: number }>(address(), 'GET /clock');
    print(terminal, given, answer, new Date(answer.now_ms).toISOString());
  },
  'clock advance': async ({ given, operand, address, terminal }) => {
    const advance_ms = readDuration(operand, 'DURATION');
    const answer = await control<{ now_ms: number }>(address(), 'POST /clock', { advance_ms });
    print(terminal, given, answer, new Date(answer.now_ms).toISOString());
  },
  'fault add': async ({ given, operand: kind, address, terminal }) => {
    const fault = readFault(kind, given);
    const found = address();
    const user = optionText(given, 'user');
    const match = { ...fault.match, ...(user !== undefined && { user_id: await userId(found, user) }) };
    const answer = await control<Faults>(found, 'POST /faults', { ...fault, match }).catch(withOptionNames);
    print(terminal, given, answer, answer.faults.map(faultLine).join('\n'));
  },
  'fault list': async ({ given, address, terminal }) => {
    const answer = await control<Faults>(address(), 'GET /faults');
    print(terminal, given, answer, answer.faults.map(faultLine).join('\n') || 'There are no faults.');
  },
  'fault clear': async ({ given, address, terminal }) => {
    await control(address(), 'DELETE /faults');
    print(terminal, given, { faults: [] }, 'All faults are removed.');
  },
  use: async ({ given, operands, address, waiting, terminal }) => {
    const use = readUse(operands, given);
    const found = address();
    // A user's own client, which the other commands do not need.
    const { useCommand } = await import('./use.ts');
    const replies = await useCommand(found, use, waiting, name => userId(found, name));
    const paint = paintFor(terminal.stdout);
    print(terminal, given, replies, replies.map(reply => replyText(reply, paint)).join('\n\n'));
  },
  logs: async ({ given, address, terminal: { stdout } }) => {
    const after = optionNumber(given, 'after') ?? 0;
    const found = address();
    const paint = paintFor(stdout);
    const lineOf = given.json ? JSON.stringify : (entry: Parameters<typeof logLine>[0]) => logLine(entry, paint);
    const { entries, next } = await readLog(found, after);
    for (const entry of entries) stdout.write(`${lineOf(entry)}\n`);
    if (!given.follow) return;
    const ended = new AbortController();
    // Nobody reads on, as after `logs -f | head -1`.
    const lost = new Promise<void>(resolve => stdout.once?.('error', resolve));
    const stopped = Promise.race([firstSignal(), lost]).then(() => ended.abort());
    const following = followLog(
      found,
      next,
      later => later.forEach(entry => void stdout.write(`${lineOf(entry)}\n`)),
      ended.signal,
    );
    // A service that does not answer does not hold it.
    await Promise.race([following, stopped]);
  },
};

/** Where the service is: by the options, then the environment, then a ready file. @throws UsageError, CommandFailure */
function readAddress(given: GivenOptions, environment: Terminal['environment']): ControlAddress {
  const url = optionText(given, 'control') ?? environment[controlEnvironment.url];
  const token = optionText(given, 'control-token') ?? environment[controlEnvironment.token];
  const timeoutMs = readWait(given, 'timeout', timeoutDefault);
  const readyFile = optionText(given, 'ready-file');
  if (readyFile === undefined && (url || token)) {
    if (!url || !token) throw new UsageError('--control and --control-token belong together. Pass both.');
    const plain = plainAddress(url);
    if (plain === undefined) {
      // A user, a query or a fragment may hold a secret.
      const shown = /[@?#]/.test(url) ? '' : ` (got "${printable(url)}")`;
      throw new UsageError(`--control must be an http: or https: address without user, query or fragment${shown}.`);
    }
    if (!isCredential(token)) throw new UsageError('--control-token must be printable ASCII without spaces.');
    return { url: plain, token, timeoutMs };
  }
  return { ...readReadyFile(readyFile ?? defaultReadyFile), timeoutMs };
}

function plainAddress(text: string): string | undefined {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  return isPlain ? url.href.replace(/\/+$/, '') : undefined;
}

async function list({ given, address, terminal }: Run, name: 'users' | 'lobbies', fields: readonly string[]) {
  const limit = optionNumber(given, 'limit', pageSize);
  const after = optionId(given, 'after');
  const query = new URLSearchParams({
    ...(limit !== undefined && { limit: String(limit) }),
    ...(after !== undefined && { after }),
  });
  type Answer = { readonly next: string | null } & { readonly [name: string]: readonly Record<string, unknown>[] };
  const answer = await control<Answer>(address(), `GET /${name}?${query}`);
  const paint = paintFor(terminal.stdout);
  const rows = (answer[name] ?? []).map(one => fields.map(field => printable(cell(one[field]))));
  const next = answer.next === null ? [] : ['', `There are more: pass --after ${answer.next} as well.`];
  const none = `There are no ${after === undefined ? '' : 'more '}${name}.`;
  const lines = rows.length === 0 ? [none] : table([heading(paint, ...fields), ...rows], '');
  print(terminal, given, answer, [...lines, ...next].join('\n'));
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === false) return '-';
  if (value === true) return 'yes';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A user by id or username. @throws CommandFailure */
async function userId(address: ControlAddress, user: string): Promise<string> {
  type Answer = { readonly users: readonly { readonly id: string }[] };
  const { users } = await control<Answer>(address, `GET /users?${new URLSearchParams({ username: user })}`);
  const [found] = users;
  if (found) return found.id;
  if (isSnowflake(user)) return user;
  throw new CommandFailure(printable(`There is no user "${user}". "rallypoint users" lists them.`));
}

function readDuration(text: string, name: string): number {
  try {
    return millisecondsOf(text as Parameters<typeof millisecondsOf>[0]);
  } catch (error) {
    throw new UsageError(printable(`${name}: ${errorMessage(error)}`));
  }
}

const waitDefault = '10s';
/** What a timer of Node.js can wait for; one that is longer ends immediately. */
const waitMsMax = 2 ** 31 - 1;

/** How long to wait, by an option. @throws UsageError */
function readWait(given: GivenOptions, name: string, otherwise: string): number {
  const text = optionText(given, name) ?? otherwise;
  const ms = readDuration(text, `--${name}`);
  if (ms >= 1 && ms <= waitMsMax) return ms;
  throw new UsageError(`--${name} must be from 1ms to 24d (got "${printable(text)}").`);
}

/** @throws UsageError */
function readUse(operands: readonly string[], given: GivenOptions): CommandUse {
  const firstValue = operands.findIndex((word, at) => at > 0 && word.includes('='));
  const [words, values] = firstValue < 0 ? [operands, []] : [operands.slice(0, firstValue), operands.slice(firstValue)];
  const options: Record<string, string> = {};
  for (const word of values) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (!name) {
      throw new UsageError(
        printable(
          `Options are written NAME=VALUE (got "${word}"). Put quotes around a value with spaces: 'name=two words'.`,
        ),
      );
    }
    options[name] = value;
  }
  return {
    command: words.join(' '),
    options,
    as: optionText(given, 'as'),
    in: optionText(given, 'in'),
    direct: optionId(given, 'direct'),
    target: optionText(given, 'target'),
    press: optionText(given, 'press'),
    waitMs: readWait(given, 'wait', waitDefault),
  };
}

interface Faults {
  readonly faults: readonly Readonly<Record<string, unknown>>[];
}

/** The fault as the control API takes it; which fields a kind has is checked there. */
function readFault(kind: string, given: GivenOptions) {
  const numbers = ['ms', 'status', 'retry-after-ms', 'percent', 'seed'].flatMap(name => {
    const value = optionNumber(given, name);
    return value === undefined ? [] : [[name.replaceAll('-', '_'), value] as const];
  });
  const count = optionText(given, 'count') === 'all' ? null : optionNumber(given, 'count');
  const matches = [
    ['route', optionText(given, 'route')],
    ['event', optionText(given, 'event')],
    ['application_id', optionId(given, 'application')],
  ].filter(([, value]) => value !== undefined);
  return {
    kind,
    ...Object.fromEntries(numbers),
    ...(optionText(given, 'scope') !== undefined && { scope: optionText(given, 'scope') }),
    ...(given.resumable && { resumable: true }),
    ...(count !== undefined && { count }),
    match: Object.fromEntries(matches) as Readonly<Record<string, string>>,
  };
}

/** Fields of the control API's fault that have options of other names. */
const optionOfField: Readonly<Record<string, string>> = {
  kind: 'KIND',
  'match.route': '--route',
  'match.event': '--event',
  'match.application_id': '--application',
  'match.user_id': '--user',
};

/** Names what is wrong with a fault as it was typed. */
function withOptionNames(error: unknown): never {
  if (!(error instanceof RejectedRequest) || error.issues.length === 0) throw error;
  const issues = error.issues.map(issue => {
    const field = issue.path.join('.');
    return { ...issue, path: [optionOfField[field] ?? `--${field.replaceAll('_', '-')}`] };
  });
  throw new UsageError(printable(errorMessage(new ValidationError('The fault', issues))));
}

function faultLine({ id, kind, left, match, ...fields }: Readonly<Record<string, unknown>>): string {
  const all = { ...fields, ...asRecord(match), left: left ?? 'all' };
  const { count: _, ...shown } = all as Record<string, unknown>;
  return printable([`${id}  ${kind}`, ...Object.entries(shown).map(([name, value]) => `${name}=${value}`)].join('  '));
}

function print({ stdout }: Terminal, given: GivenOptions, answer: unknown, text: string): void {
  stdout.write(`${given.json ? JSON.stringify(answer, null, 2) : text}\n`);
}
