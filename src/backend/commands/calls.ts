import type { ApplicationTraits } from '../../model/application.ts';
import {
  type Command,
  type CommandEdit,
  type CommandInput,
  type CommandItem,
  type CommandType,
  commandTypes,
} from '../../model/command.ts';
import { ApiError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import {
  type CommandRuleContext,
  type CommandScope,
  checkCommand,
  checkCommandEdit,
  checkCommandList,
} from '../../model/rules/commands/command.ts';
import type { CommandPlace } from '../../model/rules/commands/plan/desired.ts';
import { type CommandId, parseSnowflake } from '../../model/snowflake.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { RouteName } from '../../wire/routes.ts';
import { readCommand, readCommands } from '../answers.ts';
import type { Call, RequestOptions } from '../calls.ts';

export interface ListOptions extends RequestOptions {
  /** Whole `*_localizations` dictionaries in place of `*_localized`. Default false. */
  readonly withLocalizations?: boolean | undefined;
}

/** What {@link CommandCalls.create} did. */
export interface CreatedCommand {
  readonly command: Command;
  /** False: a command of that type and name existed. It was overwritten and keeps its id. */
  readonly isNew: boolean;
}

/**
 * The calls to the application's commands in one scope. They need a bot token or a client secret.
 *
 * Every input is checked against the rules first (ValidationError, ArgumentError; nothing was sent). Every call can also
 * throw ApiError, RateLimitError and TransportError.
 *
 * @see docs/spec/commands.md#writing-commands
 */
export interface CommandCalls {
  /** All of them, of every type. */
  list(options?: ListOptions): Promise<Command[]>;
  /** @throws ApiError `unknown_command` */
  get(id: CommandId, options?: RequestOptions): Promise<Command>;
  /**
   * Registers a command, or overwrites the one of its type and name.
   *
   * @throws ApiError `too_many_commands`; RateLimitError `too_many_command_creates` once the day's creates are used up
   */
  create(input: CommandInput, options?: RequestOptions): Promise<CreatedCommand>;
  /**
   * Replaces the fields given, each as a whole.
   *
   * @param command a command, or its id alone; without the command's type, fewer faults are found before sending
   * @throws ApiError `unknown_command`, `command_name_taken`
   */
  edit(
    command: CommandId | Pick<Command, 'id' | 'type'>,
    edit: CommandEdit,
    options?: RequestOptions,
  ): Promise<Command>;
  /**
   * Deletes a command, and its permission overwrites with it.
   *
   * @returns false if the command no longer existed, also if an earlier attempt of this call deleted it and its response was
   *   lost
   */
  delete(id: CommandId, options?: RequestOptions): Promise<boolean>;
  /**
   * Replaces the scope's commands by the list, atomically. Commands are matched by id if given, else by type and name; those
   * that are not listed are deleted. An application with an entry point must list it.
   *
   * @throws ApiError `too_many_commands`, `entry_point_missing`
   */
  replaceAll(items: readonly CommandItem[], options?: RequestOptions): Promise<Command[]>;
}

const routesOf = {
  global: {
    list: 'listGlobalCommands',
    get: 'getGlobalCommand',
    create: 'createGlobalCommand',
    edit: 'editGlobalCommand',
    delete: 'deleteGlobalCommand',
    replaceAll: 'replaceGlobalCommands',
  },
  guild: {
    list: 'listGuildCommands',
    get: 'getGuildCommand',
    create: 'createGuildCommand',
    edit: 'editGuildCommand',
    delete: 'deleteGuildCommand',
    replaceAll: 'replaceGuildCommands',
  },
} as const satisfies Record<CommandScope, Record<keyof CommandCalls, RouteName>>;

export function scopeOf({ guildId }: CommandPlace): CommandScope {
  return guildId === undefined ? 'global' : 'guild';
}

/** @throws ArgumentError `invalid_snowflake` */
export function createCommandCalls(call: Call, place: CommandPlace, traits: ApplicationTraits): CommandCalls {
  const scope = scopeOf(place);
  const routes = routesOf[scope];
  const context: CommandRuleContext = { scope, traits };
  const path = {
    application_id: place.applicationId,
    guild_id: place.guildId === undefined ? '' : parseSnowflake<'guild'>(place.guildId, 'guildId'),
  };
  const commandPath = (id: CommandId) => ({ ...path, command_id: parseSnowflake<'command'>(id, 'commandId') });

  return {
    async list(given) {
      const { withLocalizations = false, ...options } = parseOptions(given);
      const query = { with_localizations: String(withLocalizations) };
      return readCommands((await call(routes.list, { path, query }, options)).body);
    },
    async get(id, options) {
      return readCommand((await call(routes.get, { path: commandPath(id) }, options)).body);
    },
    async create(input, options) {
      rejectIssues('The command', checkCommand(input, context));
      const { status, body } = await call(routes.create, { path, body: input }, options);
      return { command: readCommand(body), isNew: status === statusCreated };
    },
    async edit(command, edit, options) {
      if (typeof command !== 'string') requireType('command', command, 'object');
      const { id, type } = typeof command === 'string' ? { id: command } : command;
      const target = commandPath(id);
      rejectIssues('The edit of the command', checkEdit(edit, context, type));
      return readCommand((await call(routes.edit, { path: target, body: edit }, options)).body);
    },
    async delete(id, options) {
      try {
        await call(routes.delete, { path: commandPath(id) }, options);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'unknown_command') return false;
        throw error;
      }
    },
    async replaceAll(items, options) {
      rejectIssues('The list of commands', checkCommandList(items, context));
      return readCommands((await call(routes.replaceAll, { path, body: items }, options)).body);
    },
  };
}

const statusCreated = 201;

/** Without the type only what no type would allow is an issue; the service, which knows it, names the rest. */
function checkEdit(edit: CommandEdit, context: CommandRuleContext, type: CommandType | undefined): Issue[] {
  if (type !== undefined) return checkCommandEdit(edit, { ...context, type });
  const [first = [], ...others] = Object.values(commandTypes).map(each =>
    checkCommandEdit(edit, { ...context, type: each }),
  );
  return first.filter(issue => others.every(issues => issues.some(other => isSame(issue, other))));
}

function isSame(a: Issue, b: Issue): boolean {
  return a.code === b.code && a.path.length === b.path.length && a.path.every((step, i) => step === b.path[i]);
}
