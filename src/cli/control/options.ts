import { isSnowflake } from '../../model/snowflake.ts';
import { type GivenOptions, type OptionGroups, type OptionRow, optionText, UsageError } from '../command-line.ts';
import { suggestion } from '../nearest.ts';
import { defaultReadyFile } from '../serve-options.ts';

/** What a command for a running service does, and what it takes. */
export interface ControlAction {
  readonly summary: string;
  /** What it takes besides options. */
  readonly operand?: string;
  readonly words?: readonly string[];
  /** The operand may be several words. */
  readonly hasManyWords?: true;
  /** Lines of its help after the summary. */
  readonly details?: readonly string[];
  readonly examples?: readonly string[];
  readonly options?: Readonly<Record<string, OptionRow>>;
}

/** How long each request may take when `--timeout` is absent. */
export const timeoutDefault = '30s';

/** The environment variables that name a running service. */
export const controlEnvironment = { url: 'RALLYPOINT_CONTROL_URL', token: 'RALLYPOINT_CONTROL_TOKEN' } as const;

/** Bounds of `--limit`, which are those of the control API. */
export const pageSize = { min: 1, max: 1000 } as const;

const paging: ControlAction['options'] = {
  limit: { value: 'N', help: [`how many to list, ${pageSize.min} to ${pageSize.max} (default 100)`] },
  after: { value: 'ID', help: ['list those after this id, which the page before ends with'] },
};

const faultKinds = ['latency', 'status', 'rate_limit', 'drop', 'freeze', 'corrupt', 'reconnect', 'invalid_session'];

/** The commands for a running service: an action, or actions by their names. */
export const controlCommands = {
  users: { summary: 'list the users of a running service', options: paging },
  lobbies: { summary: 'list the lobbies of a running service', options: paging },
  token: { summary: "print a new token of a user's own client, by username or id", operand: 'USER' },
  clock: {
    show: { summary: 'print the time of a running service' },
    advance: {
      summary: 'move a virtual clock, by 90s, 3min, 1.5h or milliseconds',
      operand: 'DURATION',
      hasManyWords: true,
    },
  },
  use: {
    summary: 'use a command as a user, and print what the user sees',
    operand: '/COMMAND [NAME=VALUE...]',
    hasManyWords: true,
    details: [
      'Subcommands follow the command. Users and channels are given by name or id, choices by what the user reads. For the',
      "command of a context menu, give its name without a slash. The application's server must be running to answer.",
    ],
    examples: [
      'rallypoint use /rally where=harbour',
      'rallypoint use /crew add member=grace --as ada --in tavern',
      "rallypoint use /rally 'where=the old harbour' --press Join",
      'rallypoint use Greet --target grace',
    ],
    options: {
      as: { value: 'USER', help: ['who uses it, by username or id (default: the owner of the guild)'] },
      in: { value: 'CHANNEL', help: ['where, by name or id (default: the first channel of the first guild)'] },
      direct: { value: 'ID', help: ["in the direct messages with this application's bot instead"] },
      target: { value: 'USER', help: ['what a context-menu command is used on: a user, or the id of a message'] },
      press: { value: 'BUTTON', help: ['then press this button of the answer, by its label or custom id'] },
      wait: { value: 'DURATION', help: ['how long to wait for the answer, for example 30s (default 10s)'] },
    },
  },
  fault: {
    add: {
      summary: 'inject a fault into requests or gateway connections',
      operand: 'KIND',
      words: faultKinds,
      options: {
        ms: { value: 'N', help: ['latency: how long requests wait, in milliseconds'] },
        status: { value: 'N', help: ['status: what requests are answered with, 400 to 599'] },
        scope: { value: 'SCOPE', choices: ['user', 'global', 'shared'], help: ['rate_limit: the scope of the 429'] },
        'retry-after-ms': { value: 'N', help: ['rate_limit: when to try again'] },
        resumable: { help: ['invalid_session: the session can be resumed'] },
        route: { value: 'NAME', help: ['only requests of this route, like createLobby'] },
        event: { value: 'NAME', help: ['only when this event is sent, like LOBBY_UPDATE'] },
        user: { value: 'USER', help: ['only this user, by username or id'] },
        application: { value: 'ID', help: ['only this application'] },
        count: { value: 'N', help: ['how often it strikes, or "all" (default 1)'] },
        percent: { value: 'N', help: ['the probability that it strikes, 0 to 100 (default 100)'] },
        seed: { value: 'N', help: ['the same seed makes the same choices (default 0)'] },
      },
    },
    list: { summary: 'list the faults that have strikes left' },
    clear: { summary: 'remove all faults' },
  },
  logs: {
    summary: 'show the requests, events and connections of a running service',
    options: {
      follow: { short: 'f', help: ['continue with new entries until Ctrl+C'] },
      after: { value: 'N', help: ['only entries after this number'] },
    },
  },
} as const satisfies Readonly<Record<string, ControlAction | Readonly<Record<string, ControlAction>>>>;
export type ControlCommand = keyof typeof controlCommands;

export function isControlCommand(word: string): word is ControlCommand {
  return Object.hasOwn(controlCommands, word);
}

/** The actions of a command; undefined for one that is an action itself. */
export function actionsOf(command: ControlCommand): Readonly<Record<string, ControlAction>> | undefined {
  const row: ControlAction | Readonly<Record<string, ControlAction>> = controlCommands[command];
  return typeof row.summary === 'string' ? undefined : (row as Readonly<Record<string, ControlAction>>);
}

/** The action itself, of a command without actions. */
export function actionOf(command: ControlCommand, action?: string): ControlAction {
  const actions = actionsOf(command);
  return (actions ? actions[action ?? ''] : controlCommands[command]) as ControlAction;
}

/** The options of an action, by the headings of its help. */
export function controlOptions({ options = {} }: ControlAction): OptionGroups {
  return {
    ...(Object.keys(options).length > 0 && { Options: options }),
    Service: {
      control: { value: 'URL', help: [`address of the control API (or set ${controlEnvironment.url})`] },
      'control-token': { value: 'TOKEN', help: [`its token (or set ${controlEnvironment.token})`] },
      'ready-file': { value: 'FILE', help: [`file with both, which the service wrote (default ${defaultReadyFile})`] },
      timeout: {
        value: 'DURATION',
        help: [`how long each answer may take, for example 2min (default ${timeoutDefault})`],
      },
    },
    Output: {
      json: { help: ['print JSON'] },
      help: { short: 'h', help: ['show this help'] },
    },
  };
}

/** A whole number of an option. @throws UsageError */
export function optionNumber(
  given: GivenOptions,
  name: string,
  bounds?: { readonly min: number; readonly max: number },
): number | undefined {
  const value = optionText(given, name);
  if (value === undefined) return undefined;
  const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
  const { min, max } = bounds ?? { min: 0, max: Number.POSITIVE_INFINITY };
  if (number >= min && number <= max) return number;
  const range = bounds ? ` from ${min} to ${max}` : '';
  throw new UsageError(`--${name} must be a whole number${range} (got "${value}").`);
}

/** An id of an option. @throws UsageError */
export function optionId(given: GivenOptions, name: string): string | undefined {
  const value = optionText(given, name);
  if (value === undefined || isSnowflake(value)) return value;
  throw new UsageError(`--${name} must be an id, a whole number (got "${value}").`);
}

/** @throws UsageError */
export function readControlAction(command: ControlCommand, word: string): string {
  const names = Object.keys(actionsOf(command) ?? {});
  if (names.includes(word)) return word;
  const kind = word.startsWith('-') ? 'option' : 'action';
  throw new UsageError(
    `"rallypoint ${command}" has no ${kind} ${word}.${suggestion(word, names)} Its actions are ${names.join(', ')}.`,
  );
}
