import { isDeepStrictEqual } from 'node:util';
import { threadTypes } from '../../../model/guild.ts';
import type { ApplicationId } from '../../../model/snowflake.ts';
import { type Announcement, lazyEvent, topics } from '../../events/announcement.ts';
import type { Transaction } from '../../store/contract.ts';
import type { ChannelRecord, GuildMemberRecord, GuildRecord, LobbyRecord } from '../../store/records.ts';
import { botUserView, userView } from '../accounts/user-view.ts';
import { linkedLobbies } from '../lobbies/records.ts';
import {
  botUserId,
  channelView,
  guildUpdatedView,
  guildView,
  impliedBotMember,
  memberView,
  roleView,
  threadView,
} from './view.ts';

/** The announcements that a change of a guild sends to the bots in it. @see docs/spec/gateway.md#events */

/**
 * The application's bot receives the guild, then follows it. Unspecified: of the members it is shown only itself,
 * whatever its intents, so that one event serves all its sessions; `large` says that there are more.
 */
export async function announceInstallation(
  transaction: Transaction,
  applicationId: ApplicationId,
  guild: GuildRecord,
  members: readonly GuildMemberRecord[],
): Promise<void> {
  const application = await transaction.get('applications', applicationId);
  if (!application) return;
  const botId = botUserId(application);
  const own = members.find(({ user_id }) => user_id === botId) ?? impliedBotMember(guild, application);
  const memberCount = members.length;
  const linked = await linkedLobbies(transaction, guild.id);
  const event = lazyEvent('GUILD_CREATE', () => {
    const self = memberView(own, botUserView(application));
    return guildView(guild, { self, members: [self], memberCount, linked });
  });
  const { id } = guild;
  transaction.announce({ to: topics.application(applicationId), event, guild: id, follow: topics.guild(id) });
}

/** The application's bot loses the guild. */
export function announceRemoval(transaction: Transaction, applicationId: ApplicationId, { id }: GuildRecord): void {
  const event = lazyEvent('GUILD_DELETE', () => ({ id }));
  transaction.announce({ to: topics.application(applicationId), event, guild: id, unfollow: topics.guild(id) });
}

/** Announces what is new, changed or gone in the guild itself, its roles and its channels. */
export async function announceGuildChange(
  transaction: Transaction,
  before: GuildRecord,
  guild: GuildRecord,
): Promise<void> {
  for (const [isNew, role] of differences(before.roles, guild.roles)) {
    const name = isNew ? 'GUILD_ROLE_CREATE' : 'GUILD_ROLE_UPDATE';
    announce(
      transaction,
      guild.id,
      lazyEvent(name, () => ({ guild_id: guild.id, role: roleView(role) })),
    );
  }
  for (const [isNew, channel] of differences(before.channels, guild.channels)) {
    const [lobby] = await linkedLobbies(transaction, guild.id, channel.id);
    announce(transaction, guild.id, channelEvent(isNew, channel, guild, lobby));
  }
  for (const { id: role_id } of missing(before.roles, guild.roles)) {
    announce(
      transaction,
      guild.id,
      lazyEvent('GUILD_ROLE_DELETE', () => ({ guild_id: guild.id, role_id })),
    );
  }
  for (const channel of missing(before.channels, guild.channels)) {
    announce(transaction, guild.id, channelDeletion(channel, guild));
  }
  // Sent last, because it contains the roles: a client that sees a new role here first would treat its creation as an
  // update.
  if (guild.name !== before.name || guild.owner_id !== before.owner_id || guild.locale !== before.locale) {
    announce(
      transaction,
      guild.id,
      lazyEvent('GUILD_UPDATE', () => guildUpdatedView(guild)),
    );
  }
}

function channelEvent(isNew: boolean, channel: ChannelRecord, guild: GuildRecord, lobby: LobbyRecord | undefined) {
  if (threadTypes.has(channel.type)) {
    return lazyEvent(isNew ? 'THREAD_CREATE' : 'THREAD_UPDATE', () => threadView(channel, guild));
  }
  return lazyEvent(isNew ? 'CHANNEL_CREATE' : 'CHANNEL_UPDATE', () => channelView(channel, guild, lobby));
}

function channelDeletion(channel: ChannelRecord, guild: GuildRecord) {
  if (!threadTypes.has(channel.type)) return lazyEvent('CHANNEL_DELETE', () => channelView(channel, guild));
  const { id, parent_id, type } = channel;
  return lazyEvent('THREAD_DELETE', () => ({ id, guild_id: guild.id, parent_id, type }));
}

/** A member is new or has changed. */
export async function announceMember(
  transaction: Transaction,
  before: GuildMemberRecord | undefined,
  member: GuildMemberRecord,
): Promise<void> {
  if (before && isDeepStrictEqual(before, member)) return;
  const user = await transaction.get('users', member.user_id);
  if (!user) return; // a bot, which knows itself
  const name = before ? 'GUILD_MEMBER_UPDATE' : 'GUILD_MEMBER_ADD';
  const event = lazyEvent(name, () => ({ ...memberView(member, userView(user)), guild_id: member.guild_id }));
  announce(transaction, member.guild_id, event);
}

/** A member is one no longer. */
export async function announceMemberLoss(transaction: Transaction, member: GuildMemberRecord): Promise<void> {
  const { guild_id, user_id } = member;
  const user = await transaction.get('users', user_id);
  if (!user) return;
  const event = lazyEvent('GUILD_MEMBER_REMOVE', () => ({ guild_id, user: userView(user) }));
  announce(transaction, guild_id, event);
}

function announce(transaction: Transaction, guild: GuildRecord['id'], event: NonNullable<Announcement['event']>): void {
  transaction.announce({ to: topics.guild(guild), event, guild });
}

function missing<Item extends { readonly id: string }>(before: readonly Item[], after: readonly Item[]): Item[] {
  const left = new Set(after.map(({ id }) => id));
  return before.filter(({ id }) => !left.has(id));
}

function* differences<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
): Iterable<readonly [isNew: boolean, item: Item]> {
  const known = new Map(before.map(item => [item.id, item]));
  for (const item of after) {
    const old = known.get(item.id);
    if (!old || !isDeepStrictEqual(old, item)) yield [!old, item];
  }
}
