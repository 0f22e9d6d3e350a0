import { threadTypes } from '../../../model/guild.ts';
import type { ChannelId, RoleId, Snowflake, UserId } from '../../../model/snowflake.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ChannelRecord, GuildMemberRecord, GuildRecord } from '../../store/records.ts';
import { announceMemberLoss, announceRemoval } from './events.ts';
import { putGuild } from './records.ts';
import { announceViewLoss } from './viewers.ts';

/** Deletes parts of a guild, or all of it, within a transaction of the guild's scope. */

/** Members lose the role, and channels its overwrites. */
export async function deleteRole(transaction: Transaction, guild: GuildRecord, id: RoleId): Promise<void> {
  const members = await transaction.list('guild_members', { equals: [guild.id] });
  const changed = members
    .filter(({ roles }) => roles.includes(id))
    .map(member => [member, { ...member, roles: member.roles.filter(role => role !== id) }] as const);
  const roles = guild.roles.filter(role => role.id !== id);
  await putGuild(transaction, guild, { ...withoutOverwrites(guild, id), roles }, changed);
}

/**
 * Its threads are deleted with a channel; the channels of a category stay, without one.
 *
 * @returns the ids of the channels that are gone
 */
export async function deleteChannel(
  transaction: Transaction,
  guild: GuildRecord,
  id: ChannelId,
): Promise<readonly ChannelId[]> {
  const isGone = (channel: ChannelRecord) =>
    channel.id === id || (channel.parent_id === id && threadTypes.has(channel.type));
  const channels = guild.channels
    .filter(channel => !isGone(channel))
    .map(channel => (channel.parent_id === id ? { ...channel, parent_id: null } : channel));
  await putGuild(transaction, guild, { ...guild, channels });
  return guild.channels.filter(isGone).map(channel => channel.id);
}

/** The guild's own channels forget the member, too. */
export async function deleteMember(
  transaction: Transaction,
  guild: GuildRecord,
  member: GuildMemberRecord,
): Promise<void> {
  const { user_id } = member;
  await announceMemberLoss(transaction, member);
  announceViewLoss(transaction, guild, member);
  transaction.delete('guild_members', guild.id, user_id);
  const rest = withoutOverwrites(guild, user_id);
  if (rest !== guild) await putGuild(transaction, guild, rest);
}

/** Its applications' bots and its members' clients lose the guild. */
export async function deleteGuild(transaction: Transaction, guild: GuildRecord): Promise<void> {
  for (const member of await transaction.list('guild_members', { equals: [guild.id] })) {
    announceViewLoss(transaction, guild, member);
    transaction.delete('guild_members', guild.id, member.user_id);
  }
  for (const application_id of guild.applications) {
    announceRemoval(transaction, application_id, guild);
    transaction.delete('installations', application_id, guild.id);
  }
  transaction.delete('guilds', guild.id);
}

/** The same guild when no channel names the role or user. */
function withoutOverwrites(guild: GuildRecord, id: RoleId | UserId): GuildRecord {
  const names = ({ permission_overwrites }: ChannelRecord) =>
    permission_overwrites.some(overwrite => overwrite.id === (id as Snowflake));
  if (!guild.channels.some(names)) return guild;
  const channels = guild.channels.map(channel =>
    names(channel)
      ? {
          ...channel,
          permission_overwrites: channel.permission_overwrites.filter(overwrite => overwrite.id !== (id as Snowflake)),
        }
      : channel,
  );
  return { ...guild, channels };
}
