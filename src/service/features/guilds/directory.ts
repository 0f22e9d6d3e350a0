import {
  type Channel,
  type LinkableChannel,
  type OwnGuild,
  permissionBits,
  threadTypes,
} from '../../../model/guild.ts';
import { memberPermissions } from '../../../model/rules/permissions/member-place.ts';
import { compareSnowflakes, type GuildId, type UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  GuildMemberRecord,
  GuildRecord,
  LobbyRecord,
} from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';
import { byChannel, linkedLobbies } from '../lobbies/records.ts';
import { botMember } from './installations.ts';
import { guildIdsOf, guildMembers, guildScope, putGuild } from './records.ts';
import { botUserId, canBeLinked, channelView } from './view.ts';

/** Which page of the caller's guilds; ids of guilds. @see docs/spec/http.md#routes */
export interface GuildPage {
  readonly before?: GuildId;
  readonly after?: GuildId;
  readonly limit: number;
  /** Whether to include the number of members. */
  readonly isCounted?: boolean;
}

/** The caller's guilds, and the channels to choose from there. @see docs/spec/lobbies.md#choosing-a-channel */
export interface GuildDirectory {
  /** The user's guilds by id; with `before`, the ones closest to it. */
  guildsOf(userId: UserId, page: GuildPage): Promise<readonly OwnGuild[]>;
  /** The guilds of a bot. */
  guildsOfBot(application: ApplicationRecord, page: GuildPage): Promise<readonly OwnGuild[]>;
  /** Removes a bot from a guild. @throws RequestError `unknown_guild` when it is not in it */
  leave(application: ApplicationRecord, guildId: GuildId): Promise<void>;
  /**
   * All channels of a guild, in their order there. @throws RequestError `unknown_guild`, `missing_access` when the
   * bot is not in it
   */
  channelsOf(application: ApplicationRecord, guildId: GuildId): Promise<readonly Channel[]>;
  /**
   * The channels that the user can see. @throws RequestError `unknown_guild`, `missing_access` when the user is not
   * in it
   */
  channelsFor(userId: UserId, guildId: GuildId): Promise<readonly Channel[]>;
  /** These channels with what the picker of a channel to link shows. */
  linkableChannelsFor(userId: UserId, guildId: GuildId): Promise<readonly LinkableChannel[]>;
}

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_CHANNELS } = permissionBits;
const writing = VIEW_CHANNEL | SEND_MESSAGES;
const linking = writing | MANAGE_CHANNELS;

export function createGuildDirectory({ store }: Pick<Core, 'store'>): GuildDirectory {
  async function guildsOf(userId: UserId, page: GuildPage): Promise<readonly OwnGuild[]> {
    const memberships = await store.list('guild_members', { index: 'byUser', equals: [userId] });
    const byGuild = new Map(memberships.map(member => [member.guild_id, member]));
    return showPage([...byGuild.keys()], page, async ({ id }) => byGuild.get(id));
  }

  async function guildsOfBot(application: ApplicationRecord, page: GuildPage): Promise<readonly OwnGuild[]> {
    const ids = await guildIdsOf(store, application.id);
    return showPage(ids, page, guild => botMember(store, guild, application));
  }

  async function showPage(
    ids: readonly GuildId[],
    page: GuildPage,
    memberIn: (guild: GuildRecord) => Promise<GuildMemberRecord | undefined>,
  ): Promise<readonly OwnGuild[]> {
    const guilds: OwnGuild[] = [];
    for (const id of pick(ids, page)) {
      const guild = await store.get('guilds', id);
      const member = guild && (await memberIn(guild));
      if (!member) continue;
      const count = page.isCounted ? { approximate_member_count: (await guildMembers(store, guild)).length } : {};
      guilds.push({ ...showOwn(guild, member), ...count });
    }
    return guilds;
  }

  async function leave({ id }: ApplicationRecord, guildId: GuildId): Promise<void> {
    await store.transact(guildScope(guildId), async transaction => {
      const guild = await transaction.get('guilds', guildId);
      if (!guild?.applications.includes(id)) throw new RequestError('unknown_guild');
      transaction.delete('guild_members', guildId, botUserId({ id }));
      await putGuild(transaction, guild, { ...guild, applications: guild.applications.filter(other => other !== id) });
    });
  }

  async function channelsFor<T>(userId: UserId, guildId: GuildId, show: Show<T>): Promise<readonly T[]> {
    const guild = await findGuild(store, guildId);
    const member = await store.get('guild_members', guildId, userId);
    if (!member) throw new RequestError('missing_access');
    const linked = byChannel(await linkedLobbies(store, guildId));
    return inOrder(guild)
      .filter(channel => holds(memberPermissions(guild, member, channel), VIEW_CHANNEL))
      .map(channel => show(channel, guild, linked.get(channel.id), member));
  }

  async function channelsOf(application: ApplicationRecord, guildId: GuildId): Promise<readonly Channel[]> {
    const guild = await findGuild(store, guildId);
    if (!guild.applications.includes(application.id)) throw new RequestError('missing_access');
    const linked = byChannel(await linkedLobbies(store, guildId));
    return inOrder(guild).map(channel => channelView(channel, guild, linked.get(channel.id)));
  }

  return {
    guildsOf,
    guildsOfBot,
    leave,
    channelsOf,
    channelsFor: (userId, guildId) => channelsFor(userId, guildId, channelView),
    linkableChannelsFor: (userId, guildId) => channelsFor(userId, guildId, showLinkable),
  };
}

type Show<T> = (
  channel: ChannelRecord,
  guild: GuildRecord,
  lobby: LobbyRecord | undefined,
  member: GuildMemberRecord,
) => T;

async function findGuild(view: StoreView, id: GuildId): Promise<GuildRecord> {
  const guild = await view.get('guilds', id);
  if (!guild) throw new RequestError('unknown_guild');
  return guild;
}

/** Leaves threads out. */
function inOrder({ channels }: GuildRecord): ChannelRecord[] {
  return channels
    .filter(({ type }) => !threadTypes.has(type))
    .toSorted((a, b) => a.position - b.position || compareSnowflakes(a.id, b.id));
}

/** The ids of the page, in numeric order. */
function pick(ids: readonly GuildId[], { before, after, limit }: GuildPage): readonly GuildId[] {
  const asked = ids
    .toSorted(compareSnowflakes)
    .filter(id => after === undefined || compareSnowflakes(id, after) > 0)
    .filter(id => before === undefined || compareSnowflakes(id, before) < 0);
  return before !== undefined && after === undefined ? asked.slice(-limit) : asked.slice(0, limit);
}

function showOwn(guild: GuildRecord, member: GuildMemberRecord): OwnGuild {
  const permissions = memberPermissions(guild, member, { permission_overwrites: [] }).toString();
  const owner = guild.owner_id === member.user_id;
  return { id: guild.id, name: guild.name, icon: null, banner: null, owner, permissions, features: [] };
}

function showLinkable(
  channel: ChannelRecord,
  guild: GuildRecord,
  lobby: LobbyRecord | undefined,
  member: GuildMemberRecord,
): LinkableChannel {
  const permissions = memberPermissions(guild, member, channel);
  return {
    ...channelView(channel, guild, lobby),
    is_linkable: !lobby && canBeLinked(channel) && holds(permissions, linking),
    is_viewable_and_writeable_by_all_members: isOpenToAll(channel, guild),
  };
}

/** Whether @everyone may read and write, and no overwrite denies it to a role or a member. */
function isOpenToAll(channel: ChannelRecord, guild: GuildRecord): boolean {
  const anybody = { user_id: '', roles: [] };
  const isKeptOut = channel.permission_overwrites.some(({ deny }) => (BigInt(deny) & writing) !== 0n);
  return !isKeptOut && holds(memberPermissions(guild, anybody, channel), writing);
}

function holds(permissions: bigint, wanted: bigint): boolean {
  return (permissions & wanted) === wanted;
}
