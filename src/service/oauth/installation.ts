import { integrationTypes } from '../../model/command.ts';
import { permissionBits } from '../../model/guild.ts';
import { installScopes } from '../../model/oauth.ts';
import type { GuildId, UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { guildScope, putGuild } from '../domain/guild-records.ts';
import { Fault } from '../fault.ts';
import type { StoreView } from '../store/contract.ts';
import type { GuildMemberRecord, GuildRecord } from '../store/records.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** Whether granting the request can put the application into a guild. @see oauth2.md 5 */
export function canInstall({ scopes, integrationType }: AuthorizationRequest): boolean {
  return integrationType === integrationTypes.GUILD_INSTALL && scopes.some(scope => installScopes.has(scope));
}

/** The guilds a user may put an application into. */
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
 * Puts the request's application into a guild; nothing happens if it is there already.
 *
 * @throws Fault `unknown_guild`; `missing_permissions` unless the user may manage the guild
 */
export async function installInGuild(
  core: Core,
  { application }: AuthorizationRequest,
  userId: UserId,
  guildId: GuildId,
): Promise<void> {
  await core.store.transact(guildScope(guildId), async transaction => {
    const guild = await transaction.get('guilds', guildId);
    if (!guild) throw new Fault('unknown_guild');
    if (!mayInstall(guild, await transaction.get('guild_members', guildId, userId))) {
      throw new Fault('missing_permissions');
    }
    if (guild.applications.includes(application.id)) return;
    await putGuild(transaction, guild, { ...guild, applications: [...guild.applications, application.id] });
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
