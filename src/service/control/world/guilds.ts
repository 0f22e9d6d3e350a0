import type { GuildDetails, GuildMemberDetails, GuildSummary } from '../../../wire/control/world.ts';
import type { Core } from '../../core.ts';
import { guildMembers } from '../../features/guilds/records.ts';
import { byChannel, linkedLobbies } from '../../features/lobbies/records.ts';
import { comparePart } from '../../store/keys.ts';
import type { GuildMemberRecord, GuildRecord } from '../../store/records.ts';
import type { ControlDeps } from '../deps.ts';
import { pageFields, pageOf, pageOfAll, searcher } from '../lists.ts';
import { type ControlCall, call, notThere, pathId, queryId, readPage } from '../request.ts';

/** Calls about guilds and their members. */
export function guildCalls({ core }: ControlDeps): readonly ControlCall[] {
  return [
    call('GET /guilds', async ({ query }) => {
      const matches = searcher(query);
      const applicationId = queryId(query, 'application_id');
      const isWanted = ({ id, name, applications }: GuildRecord) =>
        (applicationId === undefined || applications.includes(applicationId)) && (!matches || matches(id, name));
      const isFiltered = matches !== undefined || applicationId !== undefined;
      const found = await pageOf(core, 'guilds', readPage(query), isFiltered ? isWanted : undefined);
      return { guilds: found.page.map(summaryOf), ...pageFields(found) };
    }),
    call('GET /guilds/{id}', async request => guildDetails(core, await guildOf(core, pathId(request, 'guild')))),
    call('GET /guilds/{id}/members', async request => {
      const guild = await guildOf(core, pathId(request, 'guild'));
      return listMembers(core, guild, request.query);
    }),
  ];
}

async function guildOf({ store }: Core, id: string): Promise<GuildRecord> {
  const guild = await store.get('guilds', id);
  if (!guild) throw notThere('guild', id);
  return guild;
}

function summaryOf({ id, name, owner_id, applications, channels }: GuildRecord): GuildSummary {
  return { id, name, owner_id, applications, channels: channels.map(({ id, type, name }) => ({ id, type, name })) };
}

async function guildDetails({ store }: Core, guild: GuildRecord): Promise<GuildDetails> {
  const linked = byChannel(await linkedLobbies(store, guild.id));
  return {
    ...guild,
    channels: guild.channels.map(channel => ({ ...channel, linked_lobby_id: linked.get(channel.id)?.id ?? null })),
  };
}

async function listMembers(core: Core, guild: GuildRecord, query: Readonly<Record<string, unknown>>) {
  const matches = searcher(query);
  const members = (await guildMembers(core.store, guild)).toSorted((a, b) => comparePart(a.user_id, b.user_id));
  const page = readPage(query);
  if (!matches) {
    const found = pageOfAll(members, ({ user_id }) => user_id, page);
    return { members: await Promise.all(found.page.map(member => showMember(core, member))), ...pageFields(found) };
  }
  const shown = await Promise.all(members.map(member => showMember(core, member)));
  const wanted = shown.filter(one => matches(one.user_id, one.username, one.global_name, one.nick));
  const found = pageOfAll(wanted, ({ user_id }) => user_id, page);
  return { members: found.page, ...pageFields(found), searched: members.length, truncated: false };
}

/** A bot is a member without being a user. */
async function showMember({ store }: Core, member: GuildMemberRecord): Promise<GuildMemberDetails> {
  const { user_id, nick, roles, joined_at_ms } = member;
  const user = await store.get('users', user_id);
  const bot = user ? undefined : await store.get('applications', user_id);
  return {
    ...{ user_id, nick, roles, joined_at_ms },
    username: user?.username ?? bot?.bot_username ?? bot?.name ?? null,
    global_name: user?.global_name ?? null,
    adult: user?.adult ?? true,
    is_bot: bot !== undefined,
  };
}
