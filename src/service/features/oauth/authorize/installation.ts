import { permissionBits } from '../../../../model/guild.ts';
import type { ApplicationId, GuildId, RoleId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { GuildMemberRecord, GuildRecord, RoleRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { guildScope, putGuild } from '../../guilds/records.ts';
import { botUserId, impliedBotMember } from '../../guilds/view.ts';
import { authorizationScope, recordGrant } from './authorization-records.ts';
import type { Approval, AuthorizationRequest } from './authorization-request.ts';
import { lastingScopes } from './scope-rules.ts';

/** Lists the guilds that a user may add an application to. */
export async function listInstallableGuilds(view: StoreView, userId: UserId): Promise<readonly GuildRecord[]> {
  const memberships = await view.list('guild_members', { index: 'byUser', equals: [userId] });
  const guilds: GuildRecord[] = [];
  for (const member of memberships) {
    const guild = await view.get('guilds', member.guild_id);
    if (guild && mayInstall(guild, member)) guilds.push(guild);
  }
  return guilds;
}

/**
 * Adds the request's application to a guild, or leaves it there. A bot gets a role of its own if the request asks for
 * permissions and it has no such role yet.
 *
 * @returns the guild after the change
 * @throws RequestError `unknown_guild`; `missing_permissions` unless the user may manage the guild
 */
export async function installInGuild(
  core: Core,
  { request, userId }: Approval,
  guildId: GuildId,
): Promise<GuildRecord> {
  const roleId = core.ids.next();
  return core.store.transact(guildScope(guildId), async transaction => {
    const guild = await transaction.get('guilds', guildId);
    if (!guild) throw new RequestError('unknown_guild');
    if (!mayInstall(guild, await transaction.get('guild_members', guildId, userId))) {
      throw new RequestError('missing_permissions');
    }
    const bot = await transaction.get('guild_members', guildId, botUserId(request.application));
    const role = bot ? undefined : botRole(request, roleId, guild.roles.length);
    const installed = withApplication(guild, request.application.id, role);
    const joined = role && { ...impliedBotMember(guild, request.application), roles: [role.id] };
    if (installed !== guild) await putGuild(transaction, guild, installed, joined ? [[undefined, joined]] : []);
    return installed;
  });
}

/** The role with the permissions that the request asks for; undefined when it asks for none. */
function botRole({ scopes, permissions, application }: AuthorizationRequest, id: RoleId, position: number) {
  if (!scopes.includes('bot') || permissions === '0') return undefined;
  return { id, name: application.name, permissions, position } satisfies RoleRecord;
}

/** Returns the same guild when nothing changes. */
function withApplication(guild: GuildRecord, id: ApplicationId, role: RoleRecord | undefined): GuildRecord {
  const isThere = guild.applications.includes(id);
  if (isThere && !role) return guild;
  return {
    ...guild,
    applications: isThere ? guild.applications : [...guild.applications, id],
    roles: role ? [...guild.roles, role] : guild.roles,
  };
}

/** Records that the user installed the application for itself, which lasts although no token is issued. */
export async function recordInstallation(core: Core, { request, userId }: Approval): Promise<void> {
  const scopes = lastingScopes(request);
  if (scopes.length === 0) return;
  const parties = { application_id: request.application.id, user_id: userId };
  const newId = core.ids.next();
  await core.store.transact(authorizationScope(parties), async transaction => {
    await recordGrant(transaction, parties, scopes, newId);
  });
}

const installer = permissionBits.ADMINISTRATOR | permissionBits.MANAGE_GUILD;

function mayInstall(guild: GuildRecord, member: GuildMemberRecord | undefined): boolean {
  if (!member) return false;
  if (guild.owner_id === member.user_id) return true;
  const everyone: string = guild.id;
  const held = guild.roles.filter(({ id }) => id === everyone || member.roles.includes(id));
  return held.some(role => (BigInt(role.permissions) & installer) !== 0n);
}
