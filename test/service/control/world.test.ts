import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { intents } from '../../../src/model/gateway.ts';
import { deviceCodeGrantType } from '../../../src/model/oauth.ts';
import { type Fixtures, type Service, startService } from '../../../src/service/index.ts';
import type { StoreContent } from '../../../src/service/store/contract.ts';
import { collectionNames } from '../../../src/service/store/keys.ts';
import { serviceLimits } from '../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { startLoopbackServer } from '../../support/http/loopback-server.ts';
import { control, sendControl } from '../../support/service/control-client.ts';
import { callApi, postFixtures, starfall } from '../../support/service/starfall.ts';

/** What the control API shows of the social layer, what it deletes with whom, and what is due. */
const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [guild] = starfall.guilds;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, clock: 'virtual', limits: 'off', console: true });
});
afterAll(() => service.close());

let lastId = 600_000_000_000_000_000n;
const nextId = () => String(lastId++);

/** A user who exists for one test. */
async function addUser(username: string): Promise<string> {
  const id = nextId();
  await postFixtures(service, { users: [{ id, username }] });
  return id;
}

const remove = (path: string) => sendControl(service, 'DELETE', path);

function act(as: object, method: string, path: string, body?: unknown) {
  return control(service, 'POST /call', {}, { as, method, path, ...(body !== undefined && { body }) });
}
const client = (user_id: string) => ({ kind: 'session', user_id });
const game = (user_id: string) => ({ kind: 'user', application_id: application.id, user_id });

async function userClient(id: string): Promise<GatewayClient> {
  const { token } = await control(service, 'POST /users/{id}/session', { id });
  const opened = await GatewayClient.identified(service.gateway, { token });
  onTestFinished(() => opened.end());
  return opened;
}

async function botClient(): Promise<GatewayClient> {
  const opened = await GatewayClient.identified(service.gateway, {
    token: application.bot_token,
    intents: intents.GUILDS | intents.GUILD_MEMBERS,
  });
  onTestFinished(() => opened.end());
  await opened.dispatch('GUILD_CREATE');
  return opened;
}

describe('the social layer in the control API', () => {
  it('shows what a user is to others, and who has blocked the user', async () => {
    const [id, friend, fan, foe] = await Promise.all(['una', 'finn', 'fay', 'foe'].map(addUser));
    await postFixtures(service, {
      relationships: [
        { users: [id, friend], type: 'friend' },
        { users: [fan, id], type: 'request', application_id: application.id },
        { users: [id, foe], type: 'block' },
        { users: [foe, id], type: 'block' },
      ] as NonNullable<Fixtures['relationships']>,
      social_settings: [{ user_id: id as string, accept_friend_requests: false, show_current_game: false }],
    });
    const social = await control(service, 'GET /users/{id}/social', { id: id as string });
    expect(social.relationships.map(({ user, type, family_id }) => [user.username, type, family_id])).toEqual(
      expect.arrayContaining([
        ['finn', 1, null],
        ['foe', 2, null],
        ['fay', 3, application.id],
      ]),
    );
    expect(social.blocked_by).toEqual([{ id: foe, username: 'foe', global_name: null }]);
    expect(social.settings).toMatchObject({ accept_friend_requests: false, show_current_game: false });
    expect(await sendControl(service, 'GET', '/users/404/social')).toMatchObject({ status: 404 });
  });

  it('shows presence, activities and sessions without their secrets, and conversations page by page', async () => {
    const [id, friend] = [await addUser('presenter'), await addUser('listener')];
    await postFixtures(service, { relationships: [{ users: [id, friend], type: 'friend' }] });
    const activity = {
      ...{ type: 0, name: 'Starfall', application_id: application.id, details: 'In the reef', platform: 'ps5' },
      ...{ party: { id: 'party', size: [1, 4] }, secrets: { join: 'open-sesame' } },
    };
    const shown = await act(game(id), 'POST', '/users/@me/headless-sessions', { activities: [activity] });
    expect(shown.status, JSON.stringify(shown.body)).toBe(200);
    for (const content of ['one', 'two', 'three']) {
      expect((await act(client(id), 'POST', `/users/${friend}/messages`, { content })).status).toBe(200);
    }
    const social = await control(service, 'GET /users/{id}/social', { id });
    expect(social.presence).toMatchObject({
      status: 'online',
      sessions: [{ application_id: application.id, activities: [{ details: 'In the reef' }] }],
    });
    expect(social.presence.sessions[0]?.expires_at_ms).toBeGreaterThan(service.clock.now());
    expect(JSON.stringify(social)).not.toContain('open-sesame');
    expect(social.conversations).toMatchObject([{ user: { username: 'listener' }, message_count: 3 }]);
    const pair = { id, other: friend };
    const first = await control(service, 'GET /users/{id}/conversations/{other}', { ...pair, limit: '2' });
    const rest = await control(service, 'GET /users/{id}/conversations/{other}', { ...pair, after: first.next ?? '' });
    expect([...first.messages, ...rest.messages].map(({ content }) => content)).toEqual(['three', 'two', 'one']);
    expect(rest.next).toBeNull();
  });
});

describe('the present world as fixtures', () => {
  it('is what another service makes of it, collection by collection', async () => {
    const [id, friend] = [await addUser('exporter'), await addUser('importer')];
    const [fan, foe] = [await addUser('fan'), await addUser('foe')];
    await postFixtures(service, {
      guilds: [{ id: guild.id, members: [{ user_id: id, nick: 'Ex' }] }],
      relationships: [
        { users: [id, friend], type: 'friend' },
        { users: [friend, id], type: 'request', application_id: application.id },
        { users: [fan, id], type: 'request' },
        { users: [id, foe], type: 'block' },
        { users: [fan, friend], type: 'friend', application_id: application.id },
      ],
      social_settings: [{ user_id: id, accept_friend_requests: false, status: 'dnd' }],
      application_profiles: [
        {
          application_id: application.id,
          user_id: id,
          external_user_id: 'ex-1',
          username: 'Captain',
          metadata: { rank: '3' },
        },
      ],
    });
    await service.clock.advance(90_000);
    const send = async (as: object, to: string, content: string) =>
      ((await act(as, 'POST', `/users/${to}/messages`, { content })).body as { id: string }).id;
    const first = await send(client(id), friend, 'Ahoy');
    const second = await send(game(friend), id, 'Aye');
    const bot = { kind: 'bot', application_id: application.id };
    const answers = await Promise.all([
      act(client(id), 'PATCH', `/users/@me/relationships/${friend}`, { nickname: 'Mate' }),
      act(client(id), 'PATCH', `/users/${friend}/messages/${first}`, { content: 'Ahoy there' }),
      act(bot, 'PUT', `/partner-sdk/dms/${id}/${friend}/messages/${second}/moderation-metadata`, { seen: 'yes' }),
      act(bot, 'PATCH', '/users/@me', { username: 'Deckhand' }),
      act(bot, 'PUT', `/applications/${application.id}/role-connections/metadata`, [
        { type: 1, key: 'level', name: 'Level', description: 'Their level' },
      ]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([204, 200, 204, 200, 200]);
    const document = await control(service, 'GET /fixtures');
    const other = await startService({ clock: 'virtual', fixtures: document as unknown as Fixtures });
    onTestFinished(() => other.close());
    expect(await control(other, 'GET /fixtures')).toEqual(document);
    const [content, copied] = [await contentOf(service), await contentOf(other)];
    const names = collectionNames.filter(name => !inSnapshotsOnly.has(name));
    for (const name of names) expect(copied[name]?.map(comparable), name).toEqual(content[name]?.map(comparable));
    expect(names.filter(name => content[name]?.length === 0)).toEqual([]);
  });

  it('says which profile has the id of another user', async () => {
    const [id, other] = [await addUser('holder'), await addUser('claimant')];
    const profile = { application_id: application.id, external_user_id: 'twice' };
    await postFixtures(service, { application_profiles: [{ ...profile, user_id: id }] });
    const again = { application_profiles: [{ ...profile, user_id: other }] };
    const answer = await sendControl(service, 'POST', '/fixtures', again);
    expect(answer).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['application_profiles', '0', 'external_user_id'], code: 'taken' }] },
    });
  });

  it('comes back entirely from a snapshot', async () => {
    const snapshot = (await control(service, 'GET /snapshot')) as object;
    const content = await contentOf(service);
    await control(service, 'PUT /snapshot', {}, snapshot);
    const again = await contentOf(service);
    const lasting = Object.entries(content).filter(([name]) => !endsWithSessions.has(name));
    expect(again).toMatchObject(Object.fromEntries(lasting));
  });
});

/** What fixtures do not describe: what belongs to sessions, grants and accounts elsewhere, and what calls of applications make. */
const inSnapshotsOnly: ReadonlySet<string> = new Set([
  ...[
    'passwords',
    'external_identities',
    'account_moves',
    'role_connections',
    'former_authorizations',
    'authorizations',
  ],
  ...['codes', 'device_codes', 'tokens', 'sign_ins', 'commands', 'command_quotas', 'command_overwrites'],
  ...['lobbies', 'lobby_members', 'lobby_messages', 'lobby_invites', 'interactions', 'interaction_messages'],
  ...['gateway_sessions', 'gateway_events', 'presences', 'social_presences', 'headless_sessions', 'status_expiries'],
  ...['webhook_queues', 'webhook_events', 'settings'],
]);

/** Sessions end when the state is replaced. */
const endsWithSessions: ReadonlySet<string> = new Set([
  ...['gateway_sessions', 'gateway_events', 'presences', 'social_presences', 'headless_sessions'],
]);

async function contentOf(of: Service): Promise<Readonly<Record<string, readonly object[]>>> {
  return ((await control(of, 'GET /snapshot')) as { content: Readonly<Record<string, readonly object[]>> }).content;
}

/** A record without its secrets, which are generated again, and without its counters of changes. */
function comparable(record: object): unknown {
  const fields = ['bot_token_hash', 'client_secret_hash', 'verify_key', 'signing_key', 'changes', 'status_set_at'];
  return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)));
}

describe('what is due', () => {
  it('includes custom statuses, sessions without a connection, invites and webhook events that are sent again', async () => {
    const server = await startLoopbackServer((_request, response) => void response.writeHead(500).end());
    const [id, friend] = [await addUser('timed'), await addUser('invited')];
    await postFixtures(service, { relationships: [{ users: [id, friend], type: 'friend' }] });
    const expires_at = new Date(service.clock.now() + 3_600_000).toISOString();
    await act(client(id), 'PATCH', '/users/@me/settings', { custom_status: { text: 'Away', expires_at } });
    const activity = {
      ...{ type: 0, name: 'Starfall', application_id: application.id, platform: 'ps5' },
      ...{ party: { id: 'party', size: [1, 4] }, secrets: { join: 'open-sesame' } },
    };
    await act(game(id), 'POST', '/users/@me/headless-sessions', { activities: [activity] });
    const invite = { activity: { type: 1, party_id: 'party' }, application_id: application.id };
    await act(client(id), 'POST', `/users/${friend}/messages`, invite);
    await postFixtures(service, { applications: [{ id: application.id, event_webhooks_url: server.baseUrl }] });
    const made = await act({ kind: 'bot', application_id: application.id }, 'POST', '/lobbies', {
      members: [{ id: ada.id }],
    });
    const { id: lobbyId } = made.body as { id: string };
    await act(game(ada.id), 'POST', `/lobbies/${lobbyId}/messages`, { content: 'Ahoy' });
    const kinds = 'custom_status,headless_session,activity_invite';
    const { timers } = await control(service, 'GET /timers', { kind: kinds });
    expect(timers.filter(({ user_id }) => user_id === id || user_id === friend).map(one => one.kind)).toEqual(
      expect.arrayContaining(['custom_status', 'headless_session', 'activity_invite']),
    );
    await expect
      .poll(async () => (await control(service, 'GET /timers', { kind: 'webhook_retry' })).timers.at(0)?.what)
      .toContain('after 1 failed attempt');
    await postFixtures(service, { applications: [{ id: application.id, event_webhooks_url: null }] });
    expect(serviceLimits.activityInviteLifeMs).toBeGreaterThan(3_600_000);
  });

  it('ends a freeze, and a client that has missed something is asked to reconnect', async () => {
    const bot = await botClient();
    const { sessions } = await control(service, 'GET /sessions', { application_id: application.id });
    const session = sessions.find(({ kind, connection }) => kind === 'bot' && connection);
    const id = session?.id ?? '';
    await control(service, 'POST /sessions/{id}', { id }, { action: 'freeze' });
    await control(service, 'POST /sessions/{id}', { id }, { action: 'thaw' });
    await postFixtures(service, { guilds: [{ id: guild.id, name: 'Not missed' }] });
    expect(await bot.dispatch('GUILD_UPDATE')).toMatchObject({ name: 'Not missed' });
    await control(service, 'POST /sessions/{id}', { id }, { action: 'freeze' });
    await postFixtures(service, { guilds: [{ id: guild.id, name: 'Missed' }] });
    expect(await control(service, 'GET /sessions/{id}', { id })).toMatchObject({ connection: { is_frozen: true } });
    await control(service, 'POST /sessions/{id}', { id }, { action: 'thaw' });
    expect(await bot.frame(({ op }) => op === 7)).toBeDefined();
    const resumed = await GatewayClient.resumed(service.gateway, application.bot_token, bot);
    onTestFinished(() => resumed.end());
    expect(await resumed.dispatch('GUILD_UPDATE')).toMatchObject({ name: 'Missed' });
  });
});

describe('a session', () => {
  const open = (id: string, body?: object) => sendControl(service, 'POST', `/users/${id}/session`, body);

  it('is not opened for a banned user, so that it does not begin when the ban is lifted', async () => {
    const id = nextId();
    await postFixtures(service, { users: [{ id, username: 'bernd', banned: true }] });
    for (const body of [undefined, { application_id: application.id }]) {
      expect(await open(id, body)).toMatchObject({ status: 403, body: { message: 'This account is banned' } });
    }
  });

  it('of a provisional account is opened in its own game only', async () => {
    const other = nextId();
    await postFixtures(service, { applications: [{ id: other, owner_id: ada.id }] });
    const bot = { kind: 'bot', application_id: application.id };
    const issued = await act(bot, 'POST', '/partner-sdk/token/bot', { external_user_id: 'guest-1' });
    const { access_token } = issued.body as { access_token: string };
    const headers = { authorization: `Bearer ${access_token}` };
    const me = await callApi(service, 'GET', '/users/@me', undefined, headers);
    const { id } = me.body as { id: string };
    expect(await open(id, { application_id: application.id })).toMatchObject({ status: 200 });
    const refused = await open(id, { application_id: other });
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(application.id) } });
  });
});

describe('deleting', () => {
  it('deletes a user with memberships, relationships, conversations, grants and sessions, and tells the others', async () => {
    const [id, friend] = [await addUser('leaver'), await addUser('stayer')];
    await postFixtures(service, {
      relationships: [
        { users: [id, friend], type: 'friend' },
        { users: [friend, id], type: 'friend', application_id: application.id },
      ],
      guilds: [{ id: guild.id, members: [{ user_id: id }] }],
    });
    await act(client(id), 'POST', `/users/${friend}/messages`, { content: 'Farewell' });
    const { body } = await act({ kind: 'bot', application_id: application.id }, 'POST', '/lobbies', {
      members: [{ id }, { id: friend }],
    });
    const lobbyId = (body as { id: string }).id;
    const [bot, other, own] = [await botClient(), await userClient(friend), await userClient(id)];
    expect(await remove(`/users/${id}`)).toMatchObject({ status: 204 });
    expect(await bot.dispatch('GUILD_MEMBER_REMOVE')).toMatchObject({ guild_id: guild.id, user: { id } });
    expect(await other.dispatch('RELATIONSHIP_REMOVE')).toMatchObject({ id });
    expect(await other.dispatch('CHANNEL_DELETE')).toMatchObject({ type: 1, recipients: [{ id }] });
    expect((await own.closed).code).toBeGreaterThanOrEqual(4000);
    expect(await remove(`/users/${id}`)).toMatchObject({ status: 404 });
    const lobby = await control(service, 'GET /lobbies/{id}', { id: lobbyId });
    expect(lobby.members.map(member => member.id)).toEqual([friend]);
    const social = await control(service, 'GET /users/{id}/social', { id: friend });
    expect(social).toMatchObject({ relationships: [], conversations: [] });
    const left = async () => {
      const { content } = (await control(service, 'GET /snapshot')) as { content: StoreContent };
      // Sessions of others may still name the topics that they followed before.
      const gateway_sessions = content.gateway_sessions.filter(({ user_id }) => user_id === id);
      const kept = Object.entries({ ...content, gateway_sessions }).filter(
        ([name]) => !['gateway_events', 'settings'].includes(name),
      );
      return kept.filter(([, records]) => JSON.stringify(records).includes(id)).map(([name]) => name);
    };
    // A session on PostgreSQL ends in several transactions.
    await expect.poll(left).toEqual([]);
  });

  it('deletes the role connection that an application wrote for the user who owned it', async () => {
    const [id, app] = [await addUser('rosa'), nextId()];
    await postFixtures(service, { applications: [{ id: app, owner_id: id }] });
    const as = { kind: 'application', application_id: app, scopes: ['identify', 'role_connections.write'] };
    const path = `/users/@me/applications/${app}/role-connection`;
    expect(await act(as, 'PUT', path, { platform_name: 'Roses' })).toMatchObject({ status: 200 });
    await postFixtures(service, { applications: [{ id: app, owner_id: ada.id }] });
    expect(await remove(`/users/${id}`)).toMatchObject({ status: 204 });
    const { content } = (await control(service, 'GET /snapshot')) as { content: StoreContent };
    expect(content.role_connections).toEqual([]);
  });

  it('keeps the owner of an application or a guild, and says what to do', async () => {
    const answer = await remove(`/users/${ada.id}`);
    expect(answer).toMatchObject({ status: 409 });
    expect((answer.body as { message: string }).message).toContain(`owns application ${application.id}`);
    expect(await remove(`/guilds/${guild.id}/members/${ada.id}`)).toMatchObject({ status: 409 });
    expect(await remove(`/guilds/${guild.id}/roles/${guild.id}`)).toMatchObject({ status: 409 });
    expect(await remove('/users/x')).toMatchObject({ status: 400 });
    expect(await remove(`/guilds/${guild.id}/roles/x`)).toMatchObject({ status: 400 });
  });

  it('deletes a role, a channel with its threads and a member of a guild, and what names them', async () => {
    const bot = await botClient();
    const [role, category, channel, thread] = [nextId(), nextId(), nextId(), nextId()];
    const overwrites = [
      { id: role, type: 0, allow: '0', deny: '1024' },
      { id: grace.id, type: 1, allow: '1024', deny: '0' },
    ] as const;
    await postFixtures(service, {
      guilds: [
        {
          id: guild.id,
          roles: [{ id: role, name: 'crew' }],
          channels: [
            { id: category, type: 4, name: 'talk' },
            { id: channel, type: 0, name: 'deck', parent_id: category },
            { id: thread, type: 11, name: 'rope', parent_id: channel },
            { id: guild.channels[0].id, permission_overwrites: overwrites },
          ],
          members: [{ user_id: grace.id, roles: [role] }],
        },
      ],
    });
    expect(await remove(`/guilds/${guild.id}/roles/${role}`)).toMatchObject({ status: 204 });
    expect(await bot.dispatch('GUILD_ROLE_DELETE')).toEqual({ guild_id: guild.id, role_id: role });
    expect(await remove(`/guilds/${guild.id}/channels/${category}`)).toMatchObject({ status: 204 });
    expect(await bot.dispatch('CHANNEL_DELETE')).toMatchObject({ id: category, guild_id: guild.id });
    expect(await remove(`/guilds/${guild.id}/channels/${channel}`)).toMatchObject({ status: 204 });
    expect(await bot.dispatch('THREAD_DELETE')).toMatchObject({ id: thread, parent_id: channel });
    expect(await remove(`/guilds/${guild.id}/members/${grace.id}`)).toMatchObject({ status: 204 });
    const shown = await control(service, 'GET /guilds/{id}', { id: guild.id });
    expect(shown.roles.map(({ id }) => id)).toEqual([guild.id]);
    expect(shown.channels).toMatchObject([{ id: guild.channels[0].id, permission_overwrites: [] }]);
    expect(await remove(`/guilds/${guild.id}/members/${grace.id}`)).toMatchObject({ status: 404 });
    expect(await remove(`/guilds/${guild.id}/channels/${channel}`)).toMatchObject({ status: 404 });
  });

  it('deletes a guild and an application: bots lose guilds, lobbies end or lose their channel, commands are gone', async () => {
    const [app, place, channel] = [nextId(), nextId(), nextId()];
    await postFixtures(service, {
      applications: [{ id: app, name: 'Doomed', owner_id: ada.id, bot_token: 'doomed-token', embedded: true }],
      guilds: [
        {
          ...{ id: place, name: 'Doomed too', owner_id: edsger.id, applications: [app, application.id] },
          channels: [{ id: channel, type: 0, name: 'general' }],
        },
      ],
    });
    const token = { authorization: 'Bot doomed-token', 'content-type': 'application/json' };
    const bot = await GatewayClient.identified(service.gateway, { token: 'doomed-token', intents: intents.GUILDS });
    onTestFinished(() => bot.end());
    await bot.dispatch('GUILD_CREATE');
    await callApi(
      service,
      'POST',
      `/applications/${app}/guilds/${place}/commands`,
      { name: 'x', description: 'x' },
      token,
    );
    const linked = await callApi(
      service,
      'POST',
      '/lobbies',
      { members: [{ id: edsger.id, flags: 1 }] },
      { ...token, authorization: `Bot ${application.bot_token}` },
    );
    const { id: lobbyId } = linked.body as { id: string };
    const link = await act(game(edsger.id), 'PATCH', `/lobbies/${lobbyId}/channel-linking`, { channel_id: channel });
    expect(link.status).toBe(200);
    const own = await callApi(service, 'POST', '/lobbies', {}, token);
    expect(await remove(`/guilds/${place}`)).toMatchObject({ status: 204 });
    expect(await bot.dispatch('GUILD_DELETE')).toEqual({ id: place });
    expect(await control(service, 'GET /lobbies/{id}', { id: lobbyId })).toMatchObject({ link: null });
    expect(await remove(`/applications/${app}`)).toMatchObject({ status: 204 });
    expect((await bot.closed).code).toBe(4003);
    expect((await callApi(service, 'GET', '/gateway/bot', undefined, token)).status).toBe(401);
    const ended = await sendControl(service, 'GET', `/lobbies/${(own.body as { id: string }).id}`);
    expect(ended.status).toBe(404);
    const { content } = (await control(service, 'GET /snapshot')) as { content: Record<string, readonly object[]> };
    const left = Object.entries(content).filter(([, records]) => JSON.stringify(records).includes(app));
    expect(left.map(([name]) => name)).toEqual([]);
  });

  it('deletes everything by which an application acts, so that a later one with its id begins without it', async () => {
    const [parent, app] = [nextId(), nextId()];
    const doomed = { id: app, owner_id: ada.id, client_secret: 'doomed-secret', parent_id: parent };
    await postFixtures(service, { applications: [{ id: parent, owner_id: ada.id, public_client: true }, doomed] });
    const client = { client_id: app, client_secret: doomed.client_secret };
    const oauth = async (path: string, fields: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${service.apiBase}/v10${path}`, {
        method: 'POST',
        body: new URLSearchParams({ ...client, ...fields }),
      });
      return (await answer.json()) as Readonly<Record<string, string>>;
    };
    const statusOf = async (token: string | undefined) =>
      (await callApi(service, 'GET', '/oauth2/@me', undefined, { authorization: `Bearer ${token}` })).status;

    const { access_token: own } = await oauth('/oauth2/token', {
      ...{ grant_type: 'client_credentials', scope: 'identify role_connections.write' },
    });
    const { token } = await control(service, 'POST /users/{id}/session', { id: ada.id }, { application_id: parent });
    const exchanged = await callApi(service, 'POST', '/partner-sdk/child-token', {
      ...{ parent_access_token: token, child_application_id: app },
    });
    const { access_token: child } = exchanged.body as { access_token: string };
    const json = { authorization: `Bearer ${own}`, 'content-type': 'application/json' };
    await callApi(service, 'PUT', `/users/@me/applications/${app}/role-connection`, { platform_name: 'Doomed' }, json);
    const device = await oauth('/oauth2/device/authorize', { scope: 'identify' });
    expect([await statusOf(own), await statusOf(child)]).toEqual([200, 200]);

    expect(await remove(`/applications/${app}`)).toMatchObject({ status: 204 });
    const { content } = (await control(service, 'GET /snapshot')) as { content: Record<string, readonly object[]> };
    const left = Object.entries(content).filter(([, records]) => JSON.stringify(records).includes(app));
    expect(left.map(([name]) => name)).toEqual([]);
    await postFixtures(service, { applications: [doomed] });
    expect([await statusOf(own), await statusOf(child), await statusOf(token)]).toEqual([401, 401, 200]);
    const poll = { grant_type: deviceCodeGrantType, device_code: device.device_code ?? '' };
    expect(await oauth('/oauth2/token', poll)).toMatchObject({ error: 'invalid_grant' });
  });

  it('keeps the parent of an application', async () => {
    const [parent, child] = [nextId(), nextId()];
    await postFixtures(service, {
      applications: [
        { id: parent, owner_id: ada.id },
        { id: child, owner_id: ada.id, parent_id: parent },
      ],
    });
    expect(await remove(`/applications/${parent}`)).toMatchObject({ status: 409 });
    expect(await remove(`/applications/${child}`)).toMatchObject({ status: 204 });
    expect(await remove(`/applications/${parent}`)).toMatchObject({ status: 204 });
  });
});
