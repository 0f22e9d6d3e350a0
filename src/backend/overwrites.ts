import { ApiError, ArgumentError } from '../model/errors/errors.ts';
import type { CommandOverwrite, GuildCommandPermissions } from '../model/overwrite.ts';
import { type Explanation, explain, type PermissionQuestion } from '../model/rules/permissions/explain.ts';
import { checkOverwrites } from '../model/rules/permissions/overwrites.ts';
import { type ApplicationId, type CommandId, type GuildId, parseSnowflake } from '../model/snowflake.ts';
import { requireCredential, requireType } from '../wire/arguments.ts';
import { rejectIssues } from '../wire/http/check.ts';
import type { Http } from '../wire/http/http.ts';
import { readCommandPermissions, readCommandPermissionsList } from './answers.ts';
import type { Call, RequestOptions } from './calls.ts';

/** A user's OAuth2 access token. Its type keeps it apart from the application's own credentials. */
export type UserToken = string & { readonly __credential: 'user' };

/**
 * Marks an access token as a user's. It must carry the scope `applications.commands.permissions.update`.
 *
 * @param token without `Bearer `
 * @throws ArgumentError `invalid_credential` for text that a header cannot hold
 */
export function userToken(token: string): UserToken {
  requireCredential('The token', token, 'Bearer');
  return token as UserToken;
}

/**
 * Who may use the application's commands in a guild. A command's id selects its own overwrites; the application's id
 * selects those for all commands that have none.
 *
 * Every call can also throw ApiError, RateLimitError, TransportError and ArgumentError `invalid_snowflake`.
 *
 * @see docs/spec/permissions.md#replacing; docs/spec/permissions.md
 */
export interface Overwrites {
  /** The overwrites of every command that has some. */
  list(guildId: GuildId, options?: RequestOptions): Promise<GuildCommandPermissions[]>;
  /** @returns undefined when the command has none */
  get(
    guildId: GuildId,
    id: CommandId | ApplicationId,
    options?: RequestOptions,
  ): Promise<GuildCommandPermissions | undefined>;
  /**
   * Replaces all overwrites of a command; an empty list removes them. Only a user who manages the guild and its roles can
   * do this; the application and its bot cannot.
   *
   * @param overwrites at most `limits.commandPermissionsMax`
   * @throws ValidationError, ArgumentError `invalid_credential`: nothing was sent; ApiError `bots_not_allowed`, `missing_scope`, `missing_access`,
   *   `unauthorized`, whose message names the token it takes
   */
  replace(
    guildId: GuildId,
    id: CommandId | ApplicationId,
    overwrites: readonly CommandOverwrite[],
    token: UserToken,
    options?: RequestOptions,
  ): Promise<GuildCommandPermissions>;
  /** Whether a member may use a command in a channel, and what decides it. @throws ArgumentError `invalid_argument` */
  explain(question: PermissionQuestion, options?: RequestOptions): Promise<Explanation>;
}

export function createOverwrites(call: Call, http: Http, applicationId: ApplicationId): Overwrites {
  const guildPath = (guildId: GuildId) => ({
    application_id: applicationId,
    guild_id: parseSnowflake<'guild'>(guildId, 'guildId'),
  });
  const path = (guildId: GuildId, id: CommandId | ApplicationId) => ({
    ...guildPath(guildId),
    command_id: parseSnowflake<'command'>(id, 'commandId'),
  });

  async function list(guildId: GuildId, options?: RequestOptions): Promise<GuildCommandPermissions[]> {
    const { body } = await call('listCommandPermissions', { path: guildPath(guildId) }, options);
    return readCommandPermissionsList(body);
  }

  return {
    list,
    async get(guildId, id, options) {
      try {
        return readCommandPermissions((await call('getCommandPermissions', { path: path(guildId, id) }, options)).body);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'unknown_command_permissions') return undefined;
        throw error;
      }
    },
    async replace(guildId, id, overwrites, token, options) {
      requireCredential('The token', token, 'Bearer');
      const body = { permissions: overwrites };
      const request = { path: path(guildId, id), body, authorization: `Bearer ${token}`, ...options };
      rejectIssues('The list of overwrites', checkOverwrites(body));
      const answer = await http.send('replaceCommandPermissions', request).catch(error => {
        throw withRemedy(error);
      });
      return readCommandPermissions(answer.body);
    },
    async explain(question, options) {
      requireType('question', question, 'object');
      requireType('question.guild', question.guild, 'object');
      requireType('question.command', question.command, 'object');
      requireType('question.member', question.member, 'object');
      const all = await list(question.guild.id, options);
      const of = (id: string) => all.find(entry => entry.id === id)?.permissions ?? [];
      return explain(question, { command: of(question.command.id), application: of(applicationId) });
    },
  };
}

/** The commands that have overwrites in a guild; undefined if this backend's credential cannot read them. */
export async function overwrittenIn(
  overwrites: Overwrites,
  guildId: GuildId,
  options: RequestOptions,
): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set((await overwrites.list(guildId, options)).map(({ id }) => id));
  } catch (error) {
    if (error instanceof ApiError || error instanceof ArgumentError) return undefined;
    throw error;
  }
}

const remedies: Readonly<Record<string, string>> = {
  unauthorized: 'The token is not valid (any more): give a user token, an OAuth2 access token.',
  bots_not_allowed:
    'Neither a bot token nor a client-credentials token edits command permissions: give the OAuth2 access token of a ' +
    'user who manages the guild, granted with the scope applications.commands.permissions.update.',
  missing_scope: 'The user has to grant the scope applications.commands.permissions.update.',
  missing_access:
    'The user needs MANAGE_GUILD and MANAGE_ROLES in the guild, must be able to use the command, and must be able to ' +
    'manage every role, user and channel of the list.',
};

/** The refusal, with what to do about it behind its message. */
function withRemedy(error: unknown): unknown {
  const remedy = error instanceof ApiError ? remedies[error.code] : undefined;
  if (error instanceof ApiError && remedy) error.message = `${error.message} ${remedy}`;
  return error;
}
