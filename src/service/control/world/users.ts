import { snowflakeTimeMs, type UserId } from '../../../model/snowflake.ts';
import type { AuthorizationDetails, UserDetails, UserSummary } from '../../../wire/control/world.ts';
import type { Core } from '../../core.ts';
import { guildsOf } from '../../features/guilds/installations.ts';
import type { AuthorizationRecord, GuildRecord, UserRecord } from '../../store/records.ts';
import type { ControlDeps } from '../deps.ts';
import { type FoundPage, pageFields, pageOf, searcher } from '../lists.ts';
import { type ControlCall, ControlRefusal, call, notThere, pathId, queryId, queryText, readPage } from '../request.ts';

/** Calls about users and what they have granted. */
export function userCalls({ core, gateway, endAuthorization }: ControlDeps): readonly ControlCall[] {
  return [
    call('GET /users', async ({ query, wantsDetails }) => {
      const found = await findUsers(core, query);
      const users = found.page.map(summaryOf);
      const brief = users.map(({ locale: _, adult: __, ...user }) => user);
      return { users: wantsDetails ? users : brief, ...pageFields(found) };
    }),
    call('GET /users/{id}', request => userDetails(core, gateway, pathId(request, 'user'))),
    call('GET /users/{id}/authorizations', async request => {
      return { authorizations: await authorizationsOf(core, pathId(request, 'user')) };
    }),
    call('DELETE /authorizations/{id}', async request => {
      const id = pathId(request, 'authorization');
      if (!(await endAuthorization(id))) throw notThere('authorization', id);
    }),
  ];
}

async function findUsers(core: Core, query: Readonly<Record<string, unknown>>): Promise<FoundPage<UserRecord>> {
  const username = queryText(query, 'username');
  if (username !== undefined) {
    return { page: await core.store.list('users', { index: 'byUsername', equals: [username] }), next: null };
  }
  const matches = searcher(query);
  const applicationId = queryId(query, 'application_id');
  const page = readPage(query);
  if (applicationId !== undefined) return authorizedUsers(core, applicationId, page, matches);
  const isWanted = matches && (({ id, username, global_name }: UserRecord) => matches(id, username, global_name));
  return pageOf(core, 'users', page, isWanted);
}

/** The users who have authorized an application, in the order of their ids as text. */
async function authorizedUsers(
  { store }: Core,
  applicationId: string,
  { limit, after }: ReturnType<typeof readPage>,
  matches: ReturnType<typeof searcher>,
): Promise<FoundPage<UserRecord>> {
  const granted = await store.list('authorizations', {
    ...{ index: 'byApplication', equals: [applicationId], limit: limit + 2 },
    ...(after !== undefined && { from: after }),
  });
  const others = granted.filter(({ user_id }) => user_id !== after);
  const found = await Promise.all(others.slice(0, limit).map(({ user_id }) => store.get('users', user_id)));
  const users = found.filter(user => user !== undefined);
  const page = matches ? users.filter(user => matches(user.id, user.username, user.global_name)) : users;
  const next = others.length > limit ? (others[limit - 1]?.user_id ?? null) : null;
  return { page, next, ...(matches && { searched: users.length, truncated: next !== null }) };
}

function summaryOf({ id, username, global_name, banned, provisional_of, locale, adult }: UserRecord): UserSummary {
  return { id, username, global_name, banned, provisional_of, locale, adult };
}

const lobbiesShownMax = 200;
const tokensShownMax = 500;

async function userDetails(core: Core, gateway: ControlDeps['gateway'], id: UserId): Promise<UserDetails> {
  const { store } = core;
  const user = await store.get('users', id);
  if (!user) throw new ControlRefusal(404, `There is no user ${id}; add it by POST /control/fixtures.`);
  const guildOf = async (guild: GuildRecord) => {
    const member = await store.get('guild_members', guild.id, id);
    return { id: guild.id, name: guild.name, roles: member?.roles ?? [] };
  };
  const [guilds, memberships, authorizations] = await Promise.all([
    guildsOf(store, id).then(found => Promise.all(found.map(guildOf))),
    membershipsOf(core, id),
    authorizationsOf(core, id),
  ]);
  const lobbies = memberships.slice(0, lobbiesShownMax);
  return {
    ...summaryOf(user),
    guilds,
    lobbies: lobbies.map(({ lobby_id, application_id }) => ({ id: lobby_id, application_id })),
    authorizations,
    session_ids: gateway.sessions
      .list()
      .filter(({ record }) => record.user_id === id)
      .map(session => session.id),
  };
}

const applicationsMax = 1000;

/** The user's memberships in lobbies of any application, or of one. */
export async function membershipsOf({ store }: Core, userId: UserId, applicationId?: string) {
  const ids =
    applicationId === undefined
      ? (await store.list('applications', { limit: applicationsMax })).map(({ id }) => id)
      : [applicationId];
  const lists = await Promise.all(
    ids.map(id => store.list('lobby_members', { index: 'byUser', equals: [id, userId] })),
  );
  return lists.flat();
}

async function authorizationsOf({ store }: Core, userId: UserId): Promise<readonly AuthorizationDetails[]> {
  const records = await store.list('authorizations', { index: 'byUser', equals: [userId] });
  return Promise.all(records.map(record => authorizationDetails(store, record)));
}

async function authorizationDetails(
  store: Core['store'],
  { id, application_id, user_id, scopes }: AuthorizationRecord,
): Promise<AuthorizationDetails> {
  const query = { index: 'byAuthorization', equals: [id], limit: tokensShownMax } as const;
  const tokens = await store.list('tokens', query);
  return {
    ...{ id, application_id, user_id, scopes },
    application_name: (await store.get('applications', application_id))?.name ?? application_id,
    created_at_ms: snowflakeTimeMs(id),
    tokens: tokens.flatMap(({ kind, scopes, expires_at_ms }) =>
      kind === 'access' || kind === 'refresh' ? [{ kind, scopes, expires_at_ms }] : [],
    ),
  };
}
