import type { GuildUpdated } from '../../../model/gateway.ts';
import {
  type Channel,
  type DirectChannel,
  directChannelType,
  type GuildMember,
  type Role,
  threadTypes,
} from '../../../model/guild.ts';
import { checkDirectChannel } from '../../../model/rules/accounts/direct-channel.ts';
import {
  type ChannelId,
  compareSnowflakes,
  type GuildId,
  type RoleId,
  type Snowflake,
  type UserId,
} from '../../../model/snowflake.ts';
import type { User } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import type {
  ApplicationRecord,
  ChannelRecord,
  GuildMemberRecord,
  GuildRecord,
  UserRecord,
} from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { userView } from '../accounts/user-view.ts';
import { byChannel, linkedLobbies, readId } from '../lobbies/records.ts';
import { botMember } from './installations.ts';
import { findUser, membersNamed, viewMembers } from './people.ts';
import { guildIdsOf, guildMembers } from './records.ts';
import { botUserId, channelView, guildUpdatedView, roleView, threadView } from './view.ts';

/** A guild with its roles, without its other content. */
export type LoneGuild = GuildUpdated & { readonly approximate_member_count?: number };

/**
 * The objects of guilds one by one, as gateway clients fetch those that they have not cached.
 *
 * Each throws RequestError `unknown_guild` for a guild that the bot is not in.
 *
 * @see docs/spec/commands.md#reading
 */
export interface GuildLookup {
  guild(application: ApplicationRecord, id: GuildId, isCounted: boolean): Promise<LoneGuild>;
  roles(application: ApplicationRecord, id: GuildId): Promise<readonly Role[]>;
  /** @throws RequestError `unknown_role` */
  role(application: ApplicationRecord, id: GuildId, roleId: RoleId): Promise<Role>;
  /** Members by id, after `after`. */
  members(
    application: ApplicationRecord,
    id: GuildId,
    page: { readonly after?: UserId; readonly limit: number },
  ): Promise<readonly GuildMember[]>;
  /** Members whose username or nickname begins with the text. */
  membersNamed(
    application: ApplicationRecord,
    id: GuildId,
    search: { readonly query: string; readonly limit: number },
  ): Promise<readonly GuildMember[]>;
  /** @throws RequestError `unknown_member` */
  member(application: ApplicationRecord, id: GuildId, userId: UserId): Promise<GuildMember>;
  /** The user's own membership. @throws RequestError `unknown_guild` when it is not in that guild */
  ownMember(userId: UserId, id: GuildId): Promise<GuildMember>;
  threads(application: ApplicationRecord, id: GuildId): Promise<readonly Channel[]>;
  /** A channel or thread of any of the bot's guilds, or a direct channel. @throws RequestError `unknown_channel` */
  channel(application: ApplicationRecord, id: ChannelId): Promise<Channel | DirectChannel>;
  /**
   * The bot's direct channel with a user.
   *
   * Deviation: outside guilds every channel id stands for the direct messages with the bot, so this one has the
   * user's id, and nothing is stored.
   *
   * @param body `{recipient_id}`, not yet validated
   * @throws RequestError `invalid_form_body`, `unknown_user` also for a bot
   */
  directChannel(body: unknown): Promise<DirectChannel>;
  /** Any user of the service; bots are found by their applications. @throws RequestError `unknown_user` */
  user(id: UserId): Promise<User>;
}

export function createGuildLookup({ store }: Pick<Core, 'store'>): GuildLookup {
  async function find({ id: applicationId }: ApplicationRecord, id: GuildId): Promise<GuildRecord> {
    const guild = await store.get('guilds', id);
    if (!guild?.applications.includes(applicationId)) throw new RequestError('unknown_guild');
    return guild;
  }

  async function findMember(application: ApplicationRecord, id: GuildId, userId: UserId) {
    const guild = await find(application, id);
    return userId === botUserId(application)
      ? botMember(store, guild, application)
      : store.get('guild_members', id, userId);
  }

  async function showMember(record: GuildMemberRecord | undefined): Promise<GuildMember> {
    const [member] = record ? await viewMembers(store, [record]) : [];
    if (!member) throw new RequestError('unknown_member');
    return member;
  }

  async function showChannel(channel: ChannelRecord, guild: GuildRecord): Promise<Channel> {
    if (isThread(channel)) return threadView(channel, guild);
    return channelView(channel, guild, byChannel(await linkedLobbies(store, guild.id)).get(channel.id));
  }

  return {
    async guild(application, id, isCounted) {
      const guild = await find(application, id);
      const count = isCounted ? { approximate_member_count: (await guildMembers(store, guild)).length } : {};
      return { ...guildUpdatedView(guild), ...count };
    },

    roles: async (application, id) => (await find(application, id)).roles.map(roleView),

    async role(application, id, roleId) {
      const role = (await find(application, id)).roles.find(one => one.id === roleId);
      if (!role) throw new RequestError('unknown_role');
      return roleView(role);
    },

    async members(application, id, { after, limit }) {
      const all = await guildMembers(store, await find(application, id));
      const asked = all
        .filter(({ user_id }) => after === undefined || compareSnowflakes(user_id, after) > 0)
        .toSorted((a, b) => compareSnowflakes(a.user_id, b.user_id));
      return viewMembers(store, asked.slice(0, limit));
    },

    async membersNamed(application, id, { query, limit }) {
      const all = await guildMembers(store, await find(application, id));
      return viewMembers(store, (await membersNamed(store, all, query)).slice(0, limit));
    },

    member: async (application, id, userId) => showMember(await findMember(application, id, userId)),

    async ownMember(userId, id) {
      const record = await store.get('guild_members', id, userId);
      if (!record) throw new RequestError('unknown_guild');
      return showMember(record);
    },

    async threads(application, id) {
      const guild = await find(application, id);
      return guild.channels.filter(isThread).map(channel => threadView(channel, guild));
    },

    async channel(application, id) {
      for (const guildId of await guildIdsOf(store, application.id)) {
        const guild = await store.get('guilds', guildId);
        const channel = guild?.channels.find(one => one.id === id);
        if (guild && channel) return showChannel(channel, guild);
      }
      const recipient = await store.get('users', id);
      if (!recipient) throw new RequestError('unknown_channel');
      return directChannelView(recipient);
    },

    async directChannel(body) {
      rejectIssues(checkDirectChannel(body));
      const { recipient_id } = body as { recipient_id: UserId };
      const recipient = await store.get('users', readId<'user'>(recipient_id));
      if (!recipient) throw new RequestError('unknown_user');
      return directChannelView(recipient);
    },

    async user(id) {
      const user = await findUser(store, id);
      if (!user) throw new RequestError('unknown_user');
      return user;
    },
  };
}

function directChannelView(recipient: UserRecord): DirectChannel {
  const id: ChannelId = recipient.id as Snowflake as ChannelId;
  return { id, type: directChannelType, flags: 0, last_message_id: null, recipients: [userView(recipient)] };
}

function isThread({ type }: ChannelRecord): boolean {
  return threadTypes.has(type);
}
