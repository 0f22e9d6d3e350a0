import { commandTypes } from '../../../model/command.ts';
import type { Issue } from '../../../model/errors/issue.ts';
import { threadTypes } from '../../../model/guild.ts';
import {
  allChannelsId,
  type CommandOverwrite,
  everyoneId,
  type GuildCommandPermissions,
  overwriteTypes,
} from '../../../model/overwrite.ts';
import { memberPlace, type PlaceMember } from '../../../model/rules/permissions/member-place.ts';
import {
  mayEditOverwrites,
  mayManageTarget,
  type RolesOf,
} from '../../../model/rules/permissions/overwrite-authority.ts';
import { checkOverwrites } from '../../../model/rules/permissions/overwrites.ts';
import { permit } from '../../../model/rules/permissions/permit.ts';
import {
  type ApplicationId,
  type CommandId,
  compareSnowflakes,
  type GuildId,
  type RoleId,
  readSnowflake,
  type Snowflake,
} from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import {
  type ApplicationRecord,
  type CommandRecord,
  commandScope,
  type GuildRecord,
  type UserRecord,
} from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { overwriteLayers, overwritesView, putOverwrites } from './overwrites.ts';
import { authorizedGuild } from './place.ts';
import { commandsScope, everywhere } from './records.ts';

/** A command's id, or the application's id for overwrites that apply to all its commands. */
type TargetId = CommandId | ApplicationId;

/**
 * Who may use an application's commands in a guild.
 *
 * @see docs/spec/permissions.md#replacing; docs/spec/permissions.md
 */
export interface CommandPermissions {
  /**
   * The overwrites by command, oldest first; commands without overwrites are omitted.
   *
   * @param reader the user who asks; undefined for the application itself
   * @throws RequestError `unknown_guild`, `missing_access` for a user who is not a member
   */
  list(
    application: ApplicationRecord,
    guildId: GuildId,
    reader?: UserRecord,
  ): Promise<readonly GuildCommandPermissions[]>;
  /** @throws RequestError as `list`, `unknown_command`, `unknown_command_permissions` when it has none */
  get(
    application: ApplicationRecord,
    guildId: GuildId,
    id: TargetId,
    reader?: UserRecord,
  ): Promise<GuildCommandPermissions>;
  /**
   * Replaces all overwrites of the command; an empty list clears them.
   *
   * @param editor must manage the guild and its roles, be allowed to use the command, and manage everything that the
   *   entries name
   * @param body `{permissions: […]}`, not yet validated
   * @throws RequestError `missing_access` (the message says what is missing), `unknown_command`, `invalid_form_body`
   */
  replace(
    application: ApplicationRecord,
    guildId: GuildId,
    id: TargetId,
    editor: UserRecord,
    body: unknown,
  ): Promise<GuildCommandPermissions>;
}

export function createCommandPermissions(core: Core): CommandPermissions {
  const { store } = core;

  async function readableGuild(application: ApplicationRecord, guildId: GuildId, reader: UserRecord | undefined) {
    const guild = await authorizedGuild(store, application, guildId, 'read');
    if (reader) await memberOf(guild, reader);
    return guild;
  }

  async function memberOf({ id }: GuildRecord, user: UserRecord): Promise<PlaceMember> {
    const member = await store.get('guild_members', id, user.id);
    if (!member) throw noAccess('the user is no member of the guild');
    return { user_id: user.id, roles: member.roles, adult: user.adult };
  }

  /** The roles of every member that the entries name. */
  async function rolesOfNamed({ id }: GuildRecord, entries: readonly CommandOverwrite[]): Promise<RolesOf> {
    const roles = new Map<Snowflake, readonly RoleId[]>();
    for (const entry of entries) {
      if (entry.type !== overwriteTypes.USER) continue;
      roles.set(entry.id, (await store.get('guild_members', id, entry.id))?.roles ?? []);
    }
    return userId => roles.get(userId) ?? [];
  }

  return {
    async list(application, guildId, reader) {
      const { id } = await readableGuild(application, guildId, reader);
      const records = await store.list('command_overwrites', { equals: [id, application.id] });
      return records.toSorted((a, b) => compareSnowflakes(a.target_id, b.target_id)).map(overwritesView);
    },

    async get(application, guildId, id, reader) {
      const guild = await readableGuild(application, guildId, reader);
      await findTarget(store, application, guild, id);
      const record = await store.get('command_overwrites', guild.id, application.id, id);
      if (!record) throw new RequestError('unknown_command_permissions');
      return overwritesView(record);
    },

    async replace(application, guildId, id, user, body) {
      const guild = await authorizedGuild(store, application, guildId, 'write');
      const editor = await memberOf(guild, user);
      const place = memberPlace(guild, editor);
      if (!place || !mayEditOverwrites(place)) throw noAccess('the user needs MANAGE_GUILD and MANAGE_ROLES');
      const target = await findTarget(store, application, guild, id);
      rejectIssues(checkOverwrites(body));
      const permissions = (body as { permissions: readonly CommandOverwrite[] }).permissions.map(readEntry);
      rejectIssues(findUnknown(guild, permissions));
      const rolesOf = await rolesOfNamed(guild, permissions);
      if (!permissions.every(entry => mayManageTarget(guild, editor, entry, rolesOf))) {
        throw noAccess('the user cannot manage every role, user and channel of the list');
      }
      const scope = target.guild_id === undefined ? everywhere : { guildId: guild.id };
      return store.transact(commandsScope(application, scope), async transaction => {
        const command = await findTarget(transaction, application, guild, id);
        const overwrites = await overwriteLayers(transaction, guild.id, command);
        if (!permit({ command, place, overwrites }).allowed) throw noAccess('the user cannot use the command');
        const record = { guild_id: guild.id, application_id: application.id, target_id: id, permissions };
        putOverwrites(transaction, record);
        return overwritesView(record);
      });
    },
  };
}

interface Target
  extends Pick<CommandRecord, 'application_id' | 'guild_id' | 'type' | 'default_member_permissions' | 'nsfw'> {
  readonly id: TargetId;
}

/**
 * What the overwrites belong to: a command that can be used in the guild or, by the application's id, all commands
 * without overwrites of their own.
 *
 * @throws RequestError `unknown_command`
 */
async function findTarget(
  view: StoreView,
  application: ApplicationRecord,
  guild: GuildRecord,
  id: TargetId,
): Promise<Target> {
  if (id === application.id) {
    const { CHAT_INPUT: type } = commandTypes;
    return { id, application_id: application.id, type, default_member_permissions: null, nsfw: false };
  }
  const command = await view.get('commands', id);
  const scopes = [commandScope(application.id), commandScope(application.id, guild.id)];
  if (!command || !scopes.includes(command.scope)) throw new RequestError('unknown_command');
  return command;
}

function readEntry({ id, type, permission }: CommandOverwrite): CommandOverwrite {
  return { id: readSnowflake(id) ?? id, type, permission };
}

/**
 * Roles and channels that the guild does not have.
 *
 * Unspecified: any user can be named, because members come and go, and an editor sends back the list that it has read.
 */
function findUnknown(guild: GuildRecord, entries: readonly CommandOverwrite[]): readonly Issue[] {
  return entries.flatMap((entry, index): Issue[] => {
    if (entry.type === overwriteTypes.USER || isInGuild(guild, entry)) return [];
    const message = serviceFieldErrors.ID_UNKNOWN(entry.type === overwriteTypes.ROLE ? 'role' : 'channel');
    return [{ path: ['permissions', String(index), 'id'], code: 'ID_UNKNOWN', message }];
  });
}

/** Unspecified: a thread does not count as a channel, because its channel's overwrites apply in it. */
function isInGuild({ id: guildId, roles, channels }: GuildRecord, { id, type }: CommandOverwrite): boolean {
  if (type === overwriteTypes.ROLE) return id === everyoneId(guildId) || roles.some(role => role.id === id);
  const isChannel = channels.some(channel => channel.id === id && !threadTypes.has(channel.type));
  return id === allChannelsId(guildId) || isChannel;
}

/** Unspecified: the code is 50001 for each of the conditions. @see docs/spec/permissions.md#who-may-edit */
function noAccess(because: string): RequestError {
  return new RequestError('missing_access', { message: `Missing Access: ${because}.` });
}
