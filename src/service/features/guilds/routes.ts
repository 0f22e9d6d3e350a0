import { type Call, expectPrincipal, type Handlers, param, type Reply } from '../../http/call.ts';
import { readCount, readFlag, readQueryId, readQueryText, readTogether } from '../../http/query.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import type { Authorization } from '../oauth/authorize/authorization.ts';
import type { GuildDirectory } from './directory.ts';
import type { GuildLookup } from './lookup.ts';

// @see docs/spec/http.md#users-and-guilds
const guildPage = { min: 1, max: 200, absent: 200 };

// Unspecified: without a limit one member, as on the hosted service.
const memberPage = { min: 1, max: serviceLimits.guildMembersPerPageMax, absent: 1 };

/** Guilds and their channels to choose from, and what gateway clients fetch of a guild. @see docs/spec/lobbies.md#choosing-a-channel; docs/spec/http.md#routes */
export function guildRoutes(
  guilds: GuildDirectory,
  lookup: GuildLookup,
  { holderOf }: Pick<Authorization, 'holderOf'>,
): Handlers {
  const userId = async (call: Call) => (await holderOf(expectPrincipal(call, 'user', 'application'))).user.id;
  const bot = (call: Call) => expectPrincipal(call, 'bot').application;
  const guildId = (call: Call) => param(call, 'guild_id');
  return {
    async listOwnGuilds(call) {
      const [isCounted, before, after, limit] = readTogether(
        () => readFlag(call, 'with_counts'),
        () => readQueryId<'guild'>(call, 'before'),
        () => readQueryId<'guild'>(call, 'after'),
        () => readCount(call, 'limit', guildPage),
      );
      const page = { limit, isCounted, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
      const { principal } = call;
      if (principal.kind === 'bot') return ok(await guilds.guildsOfBot(principal.application, page));
      return ok(await guilds.guildsOf(await userId(call), page));
    },

    getOwnMember: async call => ok(await lookup.ownMember(await userId(call), guildId(call))),

    async leaveGuild(call) {
      await guilds.leave(bot(call), guildId(call));
      return { status: 204 };
    },

    getGuild: async call => ok(await lookup.guild(bot(call), guildId(call), readFlag(call, 'with_counts'))),

    listGuildChannels: async call => ok(await listChannels(guilds, call)),

    // The interface has no thread members, so the list is empty.
    listActiveThreads: async call =>
      ok({ threads: await lookup.threads(bot(call), guildId(call)), members: [], has_more: false }),

    listGuildRoles: async call => ok(await lookup.roles(bot(call), guildId(call))),

    getGuildRole: async call => ok(await lookup.role(bot(call), guildId(call), param(call, 'role_id'))),

    async listGuildMembers(call) {
      const [after, limit] = readTogether(
        () => readQueryId<'user'>(call, 'after'),
        () => readCount(call, 'limit', memberPage),
      );
      const page = { limit, ...(after !== undefined && { after }) };
      return ok(await lookup.members(bot(call), guildId(call), page));
    },

    async searchGuildMembers(call) {
      const [query, limit] = readTogether(
        () => readQueryText(call, 'query'),
        () => readCount(call, 'limit', memberPage),
      );
      return ok(await lookup.membersNamed(bot(call), guildId(call), { query, limit }));
    },

    getGuildMember: async call => ok(await lookup.member(bot(call), guildId(call), param(call, 'user_id'))),

    getChannel: async call => ok(await lookup.channel(bot(call), param(call, 'channel_id'))),

    openDirectChannel: async call => ok(await lookup.directChannel(call.body)),

    getUser: async call => ok(await lookup.user(param(call, 'user_id'))),
  };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** Unspecified: only users receive which channels they may link. */
function listChannels(guilds: GuildDirectory, call: Call) {
  const guildId = param(call, 'guild_id');
  const forLinking = readFlag(call, 'with_can_link_lobby');
  const principal = expectPrincipal(call, 'bot', 'user');
  if (principal.kind === 'bot') return guilds.channelsOf(principal.application, guildId);
  return forLinking
    ? guilds.linkableChannelsFor(principal.user.id, guildId)
    : guilds.channelsFor(principal.user.id, guildId);
}
