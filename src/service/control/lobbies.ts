import { isSnowflake, snowflakeTimeMs, type UserId } from '../../model/snowflake.ts';
import type { LobbyDetails, LobbySummary } from '../../wire/control/lobbies.ts';
import type { Core } from '../core.ts';
import { topics } from '../events/announcement.ts';
import { lobbyScope, membersOf } from '../features/lobbies/records.ts';
import type { LobbyMemberRecord, LobbyRecord } from '../store/records.ts';
import type { ControlDeps } from './deps.ts';
import { type Counts, type FoundPage, pageFields, pageOf, pageOfAll, searcher } from './lists.ts';
import {
  type ControlCall,
  type ControlRequest,
  call,
  notThere,
  pathId,
  queryId,
  queryText,
  readPage,
} from './request.ts';
import { membershipsOf } from './world/users.ts';

/** Calls that show lobbies. What changes them goes through `POST /control/call`. */
export function lobbyCalls({ core }: ControlDeps, counts: Counts): readonly ControlCall[] {
  return [
    call('GET /lobbies', async ({ query, wantsDetails }) => {
      const found = await findLobbies(core, query);
      const shown = found.page.map(summaryOf);
      if (!wantsDetails) return { lobbies: shown.map(briefOf), ...pageFields(found) };
      const total = await counts.of('lobbies', totalMax);
      return { lobbies: shown, ...pageFields(found), total: total < totalMax ? total : null };
    }),
    call('GET /lobbies/{id}', async request => {
      const id = pathId(request, 'lobby');
      const lobby = await lobbyDetails(core, id);
      if (!lobby) throw notThere('lobby', id);
      return lobby;
    }),
  ];
}

/** Counting more takes too long. */
const totalMax = 250_000;
const membersShownMax = 1000;
const messagesShownMax = 50;
const invitesShownMax = 100;

async function findLobbies(core: Core, query: ControlRequest['query']): Promise<FoundPage<LobbyRecord>> {
  const page = readPage(query);
  const applicationId = queryId(query, 'application_id');
  const userId = queryId(query, 'user_id');
  const matches = searcher(query);
  const search = queryText(query, 'search')?.trim();
  if (userId !== undefined) return lobbiesOfUser(core, userId, applicationId, page, matches);
  const isFirst = page.after === undefined;
  // A whole id is found by the indexes; only what is left is searched one by one.
  const byId = isFirst && isSnowflake(search) ? await lobbiesWith(core, search, applicationId) : [];
  const known = new Set(byId.map(({ id }) => id));
  const isWanted = (lobby: LobbyRecord) =>
    !known.has(lobby.id) &&
    (applicationId === undefined || lobby.application_id === applicationId) &&
    (!matches || matches(lobby.id, ...textsOf(lobby)));
  const isFiltered = matches !== undefined || applicationId !== undefined;
  const found = await pageOf(core, 'lobbies', page, isFiltered ? isWanted : undefined);
  return byId.length === 0 ? found : { ...found, page: [...byId, ...found.page] };
}

function* textsOf({ metadata, linked_channel_id, linked_guild_id }: LobbyRecord): Iterable<string | null> {
  for (const [key, value] of Object.entries(metadata ?? {})) {
    yield key;
    yield value;
  }
  yield linked_channel_id;
  yield linked_guild_id;
}

/** The lobby with this id, and those that a user with this id is a member of. */
async function lobbiesWith(core: Core, id: string, applicationId: string | undefined): Promise<LobbyRecord[]> {
  const own = await core.store.get('lobbies', id);
  const joined = await lobbiesJoined(core, id, applicationId);
  const all = own ? [own, ...joined.filter(lobby => lobby.id !== id)] : joined;
  return all.filter(lobby => applicationId === undefined || lobby.application_id === applicationId);
}

async function lobbiesJoined(core: Core, userId: UserId, applicationId: string | undefined): Promise<LobbyRecord[]> {
  const members = await membershipsOf(core, userId, applicationId);
  const lobbies = await Promise.all(members.map(({ lobby_id }) => core.store.get('lobbies', lobby_id)));
  return lobbies.filter(lobby => lobby !== undefined);
}

async function lobbiesOfUser(
  core: Core,
  userId: UserId,
  applicationId: string | undefined,
  page: ReturnType<typeof readPage>,
  matches: ReturnType<typeof searcher>,
): Promise<FoundPage<LobbyRecord>> {
  const lobbies = await lobbiesJoined(core, userId, applicationId);
  const wanted = matches ? lobbies.filter(lobby => matches(lobby.id, ...textsOf(lobby))) : lobbies;
  return pageOfAll(wanted, ({ id }) => id, page);
}

function summaryOf(lobby: LobbyRecord): LobbySummary {
  const { id, application_id, metadata, flags, member_count, expires_at_ms } = lobby;
  const { idle_timeout_seconds, linked_channel_id, message_count } = lobby;
  return {
    ...{ id, application_id, metadata, flags, member_count, expires_at_ms },
    ...{ idle_timeout_seconds, linked_channel_id, message_count },
  };
}

function briefOf({ idle_timeout_seconds: _, linked_channel_id: __, message_count: ___, ...lobby }: LobbySummary) {
  return lobby;
}

/** A lobby with everything that belongs to it; undefined when it has ended. */
export async function lobbyDetails(core: Core, id: string): Promise<LobbyDetails | undefined> {
  const { store, bus, clock } = core;
  // Asked first: what is read after it is at least as new.
  const revision = await store.revision(lobbyScope(id));
  const lobby = await store.get('lobbies', id);
  if (!lobby) return undefined;
  const records = (await membersOf(store, id)).slice(0, membersShownMax);
  const present = await Promise.all(
    records.map(({ user_id }) => bus.present(topics.player(lobby.application_id, user_id))),
  );
  const members = await Promise.all(
    records.map(async (record, at) => ({
      ...(await showMember(core, record)),
      connected: (present[at] ?? 0) > 0,
    })),
  );
  const connected_count = members.filter(({ connected }) => connected).length;
  const newest = await store.list('lobby_messages', { equals: [id], descending: true, limit: messagesShownMax });
  const invites = await invitesOf(core, lobby);
  return {
    ...summaryOf(lobby),
    created_at_ms: snowflakeTimeMs(id),
    revision,
    override_event_webhooks_url: lobby.override_event_webhooks_url,
    secret_expires_at_ms: lobby.secret_expires_at_ms,
    connected_count,
    link: await linkOf(core, lobby),
    members,
    call: records.flatMap(({ user_id, voice }) => (voice ? [{ user_id, ...voice }] : [])),
    messages: newest.map(({ message }) => message).reverse(),
    invites,
    timers: [
      ...(lobby.expires_at_ms === null
        ? []
        : [{ kind: 'idle_end' as const, at_ms: lobby.expires_at_ms, is_running: connected_count === 0 }]),
      ...(lobby.secret_expires_at_ms === null
        ? []
        : [{ kind: 'secret_expiry' as const, at_ms: lobby.secret_expires_at_ms, is_running: true }]),
      ...invites.map(({ expires_at_ms }) => ({
        ...{ kind: 'invite_expiry' as const, at_ms: expires_at_ms, is_running: true },
      })),
    ].filter(({ at_ms }) => at_ms >= clock.now()),
  };
}

async function showMember({ store }: Core, { user_id, metadata, flags, additional_name }: LobbyMemberRecord) {
  const user = await store.get('users', user_id);
  const names = { username: user?.username ?? null, global_name: user?.global_name ?? null };
  return { id: user_id, ...names, metadata, flags, additional_name };
}

async function linkOf({ store }: Core, lobby: LobbyRecord): Promise<LobbyDetails['link']> {
  const { link, linked_guild_id: guild_id, linked_channel_id: channel_id } = lobby;
  if (!link || guild_id === null || channel_id === null) return null;
  const guild = await store.get('guilds', guild_id);
  return {
    ...{ guild_id, channel_id, linked_by: link.by, linked_at_ms: link.at_ms },
    guild_name: guild?.name ?? null,
    channel_name: guild?.channels.find(({ id }) => id === channel_id)?.name ?? null,
  };
}

/** Invites are found by when they expire; there are few. */
async function invitesOf({ store, clock }: Core, lobby: LobbyRecord): Promise<LobbyDetails['invites']> {
  if (lobby.linked_channel_id === null) return [];
  const all = await store.list('lobby_invites', { index: 'byExpiry', from: clock.now(), limit: membersShownMax });
  return all
    .filter(
      ({ application_id, channel_id }) =>
        application_id === lobby.application_id && channel_id === lobby.linked_channel_id,
    )
    .slice(0, invitesShownMax)
    .map(({ user_id, guild_id, channel_id, expires_at_ms }) => ({ user_id, guild_id, channel_id, expires_at_ms }));
}
