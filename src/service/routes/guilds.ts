import type { GuildDirectory } from '../domain/guild-directory.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';
import { readCount, readFlag, readQueryId } from '../http/query.ts';

// @see commands.md 7, `list_my_guilds`
const page = { min: 1, max: 200, absent: 200 };

/** Guilds and their channels to choose from. @see lobbies.md 3 */
export function guildRoutes(guilds: GuildDirectory): Handlers {
  return {
    async listOwnGuilds(call) {
      const before = readQueryId<'guild'>(call, 'before');
      const after = readQueryId<'guild'>(call, 'after');
      const limit = readCount(call, 'limit', page);
      const bounds = { limit, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
      return { status: 200, body: await guilds.guildsOf(expectPrincipal(call, 'user').user.id, bounds) };
    },

    async listGuildChannels(call) {
      return { status: 200, body: await listChannels(guilds, call) };
    },
  };
}

/** Our choice: what a user could link is told to users only. */
function listChannels(guilds: GuildDirectory, call: Call) {
  const guildId = param(call, 'guild_id');
  const forLinking = readFlag(call, 'with_can_link_lobby');
  const principal = expectPrincipal(call, 'bot', 'user');
  if (principal.kind === 'bot') return guilds.channelsOf(principal.application, guildId);
  return forLinking
    ? guilds.linkableChannelsFor(principal.user.id, guildId)
    : guilds.channelsFor(principal.user.id, guildId);
}
