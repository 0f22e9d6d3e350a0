import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { intents } from '../../../../src/model/gateway.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [{ channels, ...harbour }] = starfall.guilds;
const [general] = channels;
const thread = { id: '100000000000000008', type: 11, name: 'berths', parent_id: general.id };
const pilot = { id: '100000000000000006', name: 'pilot', permissions: '8' };
const elsewhere = { id: '9', name: 'Elsewhere', owner_id: edsger.id, channels: [{ id: '99', name: 'hidden' }] };
const members = [
  { user_id: ada.id, nick: 'Countess', roles: [pilot.id] },
  { user_id: grace.id, nick: 'Captain' },
];
const fixtures = {
  ...starfall,
  guilds: [{ ...harbour, members, roles: [pilot], channels: [general, thread] }, elsewhere],
};
const guildPath = `/guilds/${harbour.id}`;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures, limits: 'off', clock: 'virtual' });
});
afterEach(() => service.reset());
afterAll(() => service.close());

const get = async <T = Record<string, unknown>>(path: string, headers?: Readonly<Record<string, string>>) => {
  const { status, body } = await callApi(service, 'GET', path, undefined, headers);
  return { status, body: body as T };
};
const refusalOf = async (path: string) => {
  const { status, body } = await get<{ code: number }>(path);
  return [status, body.code];
};
const usernames = (list: readonly { user: { username: string } }[]) => list.map(({ user }) => user.username);

describe('what a bot fetches of a guild', () => {
  it('is what GUILD_CREATE shows of it', async () => {
    const client = await GatewayClient.identified(service.gateway, {
      token: application.bot_token,
      intents: intents.GUILDS | intents.GUILD_MEMBERS,
    });
    const shown = await client.dispatch('GUILD_CREATE');
    await client.end();
    const { body: guild } = await get(`${guildPath}?with_counts=true`);
    const { approximate_member_count, ...fields } = guild;
    expect(shown).toMatchObject({ ...fields, member_count: approximate_member_count });
    expect((await get(`${guildPath}/roles`)).body).toEqual(shown.roles);
    expect((await get(`${guildPath}/threads/active`)).body).toEqual({
      ...{ threads: shown.threads, members: [], has_more: false },
    });
    expect((await get(`/channels/${thread.id}`)).body).toEqual((shown.threads as unknown[])[0]);
    expect((await get(`/channels/${general.id}`)).body).toEqual((shown.channels as unknown[])[0]);
    const { body: all } = await get<{ user: { id: string } }[]>(`${guildPath}/members?limit=1000`);
    const byId = (a: { user: { id: string } }, b: { user: { id: string } }) => (a.user.id < b.user.id ? -1 : 1);
    expect(all).toEqual((shown.members as { user: { id: string } }[]).toSorted(byId));
    for (const member of all) expect((await get(`${guildPath}/members/${member.user.id}`)).body).toEqual(member);
  });

  it('has no counts unless they are asked for', async () => {
    expect((await get(guildPath)).body).not.toHaveProperty('approximate_member_count');
  });

  it('is one role of it', async () => {
    expect((await get(`${guildPath}/roles/${pilot.id}`)).body).toMatchObject(pilot);
    expect((await get(`${guildPath}/roles/${harbour.id}`)).body).toMatchObject({ name: '@everyone' });
    expect(await refusalOf(`${guildPath}/roles/1`)).toEqual([404, 10011]);
  });

  it('is its members by id, page by page, one when no limit is named', async () => {
    const page = async (query: string) => usernames((await get<never[]>(`${guildPath}/members${query}`)).body);
    expect(await page('')).toEqual(['Starfall']);
    expect(await page(`?limit=1&after=${application.id}`)).toEqual(['ada']);
    expect(await page(`?limit=${serviceLimits.guildMembersPerPageMax}&after=${ada.id}`)).toEqual(['grace']);
    expect(await page(`?limit=5&after=${grace.id}`)).toEqual([]);
  });

  it('is those whose username or nickname begins so, in whatever case', async () => {
    const found = async (query: string) => usernames((await get<never[]>(`${guildPath}/members/search${query}`)).body);
    expect(await found('?query=GRA&limit=5')).toEqual(['grace']);
    expect(await found('?query=co&limit=5')).toEqual(['ada']);
    expect(await found('?query=c&limit=5')).toEqual(['ada', 'grace']);
    expect(await found('?query=c')).toEqual(['ada']);
    expect(await found('?query=star')).toEqual(['Starfall']);
    expect(await found('?query=xyz')).toEqual([]);
  });

  it.each([
    ['members?limit=0', 'limit'],
    [`members?limit=${serviceLimits.guildMembersPerPageMax + 1}`, 'limit'],
    ['members?limit=few', 'limit'],
    ['members?after=ada', 'after'],
    ['members/search', 'query'],
    ['members/search?query=', 'query'],
    ['members/search?query=a&query=b', 'query'],
    ['members/search?query=a&limit=1001', 'limit'],
    ['?with_counts=maybe', 'with_counts'],
    ['members?after=ada&limit=few', 'after', 'limit'],
    ['members/search?limit=few', 'query', 'limit'],
  ])('is refused with a bad query: %s', async (query, ...fields) => {
    const { status, body } = await get<{ code: number; errors: object }>(`${guildPath}/${query}`.replace('/?', '?'));
    expect([status, body.code, Object.keys(body.errors)]).toEqual([400, 50035, fields]);
  });

  it.each([
    '',
    '/roles',
    '/roles/9',
    '/members',
    '/members/search?query=a',
    `/members/${edsger.id}`,
    '/threads/active',
  ])('is unknown where the bot is not: %s', async path => {
    expect(await refusalOf(`/guilds/${elsewhere.id}${path}`)).toEqual([404, 10004]);
    expect(await refusalOf(`/guilds/1${path}`)).toEqual([404, 10004]);
  });

  it('is no channel of another guild, and no member who is none', async () => {
    expect(await refusalOf('/channels/99')).toEqual([404, 10003]);
    expect(await refusalOf('/channels/1')).toEqual([404, 10003]);
    expect(await refusalOf(`${guildPath}/members/${edsger.id}`)).toEqual([404, 10007]);
    expect(await refusalOf(`${guildPath}/members/1`)).toEqual([404, 10007]);
  });
});

it('a user is fetched by id, a bot by its application’s, and no one else', async () => {
  expect((await get(`/users/${edsger.id}`)).body).toMatchObject({ id: edsger.id, username: 'edsger' });
  expect((await get(`/users/${application.id}`)).body).toMatchObject({ username: 'Starfall', bot: true });
  expect(await refusalOf('/users/1')).toEqual([404, 10013]);
});

describe('the direct messages of a bot with a user', () => {
  const open = async (body: unknown) => {
    const answer = await callApi(service, 'POST', '/users/@me/channels', body);
    return { status: answer.status, body: answer.body as { id: string; code: number } };
  };

  it('are a channel that is the same every time, and can be fetched', async () => {
    const { status, body } = await open({ recipient_id: edsger.id });
    expect({ status, body }).toMatchObject({ status: 200, body: { type: 1, recipients: [{ id: edsger.id }] } });
    expect((await open({ recipient_id: edsger.id })).body).toEqual(body);
    expect((await open(`{"recipient_id":${edsger.id}}`)).body).toEqual(body);
    expect((await get(`/channels/${body.id}`)).body).toEqual(body);
  });

  it.each([
    [{ recipient_id: '1' }, 404, 10013],
    [{ recipient_id: application.id }, 404, 10013],
    [{}, 400, 50035],
    [{ recipient_id: 'ada' }, 400, 50035],
    [[], 400, 50035],
  ])('are not there for %j', async (body, status, code) => {
    expect(await open(body)).toMatchObject({ status, body: { code } });
  });
});

describe('a bot and the guilds it is in', () => {
  it('are listed as a user’s are, with counts if asked for', async () => {
    const { body } = await get('/users/@me/guilds');
    expect(body).toEqual([
      {
        ...{ id: harbour.id, name: harbour.name, icon: null, banner: null, owner: false, features: [] },
        permissions: expect.stringMatching(/^\d+$/),
      },
    ]);
    expect((await get('/users/@me/guilds?with_counts=1')).body).toMatchObject([{ approximate_member_count: 3 }]);
    expect((await get(`/users/@me/guilds?after=${harbour.id}`)).body).toEqual([]);
  });

  it('end when it leaves: it receives GUILD_DELETE, and is no longer a member', async () => {
    const client = await GatewayClient.identified(service.gateway, {
      token: application.bot_token,
      intents: intents.GUILDS,
    });
    await client.dispatch('GUILD_CREATE');
    const leave = () => callApi(service, 'DELETE', `/users/@me/guilds/${harbour.id}`, undefined, botHeaders);
    expect(await leave()).toMatchObject({ status: 204, body: undefined });
    expect(await client.dispatch('GUILD_DELETE')).toEqual({ id: harbour.id });
    expect(await leave()).toMatchObject({ status: 404, body: { code: 10004 } });
    expect((await get('/users/@me/guilds')).body).toEqual([]);
    await client.end();
  });
});

it('a user with that scope reads its own membership, and of no other guild', async () => {
  const ofAda = { authorization: `Bearer ${await playerToken(service, ada.id, 'guilds.members.read')}` };
  const path = (id: string) => `/users/@me/guilds/${id}/member`;
  expect((await get(path(harbour.id), ofAda)).body).toMatchObject({ ...{ nick: 'Countess' }, user: { id: ada.id } });
  expect((await get(path(elsewhere.id), ofAda)).body).toMatchObject({ code: 10004 });
  const without = { authorization: `Bearer ${await playerToken(service, ada.id, 'identify guilds')}` };
  expect(await get(path(harbour.id), without)).toMatchObject({ status: 403, body: { code: 50026 } });
});

it('a user with that scope has no connections', async () => {
  const token = await playerToken(service, ada.id, 'connections');
  expect(await get('/users/@me/connections', { authorization: `Bearer ${token}` })).toEqual({ status: 200, body: [] });
});
