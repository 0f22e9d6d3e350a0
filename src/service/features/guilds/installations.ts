import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, GuildMemberRecord, GuildRecord } from '../../store/records.ts';
import { botUserId, impliedBotMember } from './view.ts';

/** Applications that the user has installed for itself. */
export async function userInstalls(view: StoreView, userId: UserId): Promise<ReadonlySet<ApplicationId>> {
  const grants = await view.list('authorizations', { index: 'byUser', equals: [userId] });
  return new Set(grants.filter(isUserInstall).map(({ application_id }) => application_id));
}

export async function isUserInstalled(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean> {
  return (await view.list('authorizations', { index: 'byUser', equals: [userId, applicationId] })).some(isUserInstall);
}

/** Whether a grant installs the application for its user. */
export function isUserInstall({ scopes }: { readonly scopes: readonly string[] }): boolean {
  return scopes.includes('applications.commands');
}

/** The guilds that the user is a member of. */
export async function guildsOf(view: StoreView, userId: UserId): Promise<readonly GuildRecord[]> {
  const members = await view.list('guild_members', { index: 'byUser', equals: [userId] });
  const guilds = await Promise.all(members.map(({ guild_id }) => view.get('guilds', guild_id)));
  return guilds.filter(guild => guild !== undefined);
}

/** Whether the application is in one of the user's guilds, so that the user can send it direct messages. */
export async function sharesGuild(view: StoreView, applicationId: ApplicationId, userId: UserId): Promise<boolean> {
  return (await guildsOf(view, userId)).some(({ applications }) => applications.includes(applicationId));
}

/** An application's bot as a member of a guild: by its record, or because the application is in the guild. */
export async function botMember(
  view: StoreView,
  guild: GuildRecord,
  application: ApplicationRecord,
): Promise<GuildMemberRecord> {
  const member = await view.get('guild_members', guild.id, botUserId(application));
  return member ?? impliedBotMember(guild, application);
}
