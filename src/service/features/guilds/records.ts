import { topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { GuildMemberRecord, GuildRecord, InstallationRecord } from '../../store/records.ts';
import { announceGuildChange, announceInstallation, announceMember, announceRemoval } from './events.ts';
import { impliedBotMember } from './view.ts';
import { announceViews } from './viewers.ts';

/** How guilds are written, so that the bots in them are notified and applications find their guilds. */

/** The store scope of everything that is written about one guild. */
export function guildScope(id: GuildRecord['id']): string {
  return `guild/${id}`;
}

/** The applications of guilds. */
export function installationsOf(guilds: readonly GuildRecord[]): InstallationRecord[] {
  return guilds.flatMap(({ id, applications }) =>
    applications.map(application_id => ({ application_id, guild_id: id })),
  );
}

/**
 * Stores a guild, and its members that are new or changed.
 *
 * @param before the guild before the change; undefined when it is new
 * @param members each with its record before the change
 */
export async function putGuild(
  transaction: Transaction,
  before: GuildRecord | undefined,
  guild: GuildRecord,
  members: readonly (readonly [before: GuildMemberRecord | undefined, member: GuildMemberRecord])[] = [],
): Promise<void> {
  const had = new Set(before?.applications);
  const has = new Set(guild.applications);
  if (before) {
    await announceGuildChange(transaction, before, guild);
    for (const [known, member] of members) await announceMember(transaction, known, member);
  }
  await announceViews(transaction, before, guild, members);
  transaction.put('guilds', guild);
  for (const [, member] of members) transaction.put('guild_members', member);
  for (const application_id of had) {
    if (has.has(application_id)) continue;
    transaction.delete('installations', application_id, guild.id);
    announceRemoval(transaction, application_id, guild);
  }
  for (const application_id of has) {
    if (had.has(application_id)) continue;
    transaction.put('installations', { application_id, guild_id: guild.id });
    await announceInstallation(transaction, application_id, guild, await guildMembers(transaction, guild));
  }
}

/** All members of a guild, including the bots of its applications without a record. */
export async function guildMembers(view: StoreView, guild: GuildRecord): Promise<readonly GuildMemberRecord[]> {
  const listed = await view.list('guild_members', { equals: [guild.id] });
  const known = new Set<string>(listed.map(({ user_id }) => user_id));
  const implied: GuildMemberRecord[] = [];
  for (const id of guild.applications) {
    if (known.has(id)) continue;
    const application = await view.get('applications', id);
    if (application && application.bot_token_hash !== null) implied.push(impliedBotMember(guild, application));
  }
  return [...implied, ...listed];
}

/** The ids of an application's guilds. */
export async function guildIdsOf(view: StoreView, applicationId: string): Promise<GuildRecord['id'][]> {
  const installations = await view.list('installations', { equals: [applicationId] });
  return installations.map(({ guild_id }) => guild_id);
}

/** Makes the application's sessions check whether their token is still valid. */
export function announceNewBotToken(transaction: Transaction, applicationId: string): void {
  transaction.announce({ to: topics.application(applicationId), recheck: true });
}
