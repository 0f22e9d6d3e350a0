import { beforeEach, describe, expect, it } from 'vitest';
import type { ApplicationProfile } from '../../src/model/application-profile.ts';
import type { Ready } from '../../src/model/gateway.ts';
import type { Service } from '../../src/service/index.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { botIssuedToken, mergeByBot } from '../support/service/provisional.ts';
import { befriend, games, Player, seen, socialIntents, twoPlayers, userIds } from '../support/service/social.ts';
import { callApi } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const { ada, grace } = userIds;
const names = ['USER_APPLICATION_IDENTITY_UPDATE', 'USER_APPLICATION_IDENTITY_REMOVE'];

let service: Service;
let alone: Player;
let other: Player;
const scene = twoPlayers();
const { connect } = scene;

beforeEach(() => {
  service = scene.service;
  [alone, other] = scene.players;
});

async function ownClient(userId: string): Promise<GatewayClient> {
  const token = await sessionToken(service, userId);
  const client = await GatewayClient.identified(service.gateway, { token, intents: socialIntents });
  scene.clients.push(client);
  return client;
}

const profileOf = (userId: string, externalId: string, game: string = games.starfall) =>
  `/applications/${game}/users/${userId}/identities/${encodeURIComponent(externalId)}/profile`;

/** A call of a game's bot: status, code and fields, where there are any. */
async function bot(method: string, path: string, body?: unknown, token?: string) {
  const headers =
    token === undefined ? undefined : { authorization: `Bot ${token}`, 'content-type': 'application/json' };
  const answer = await callApi(service, method, path, body, headers);
  const { code, errors } = (answer.body ?? {}) as { code?: number; errors?: object };
  return { ...answer, result: [answer.status, code, ...Object.keys(errors ?? {})].filter(Boolean).join(' ') };
}

async function write(userId: string, externalId: string, body: object): Promise<void> {
  expect(await bot('PATCH', profileOf(userId, externalId), body)).toMatchObject({ status: 200 });
}

/** What the session was told of profiles: name of the event, whose, and what the user is called. */
async function eventsOf(client: GatewayClient): Promise<string[]> {
  await client.beat();
  return seen(client, ...names).map(([name, { user_id, username }]) =>
    [name.split('_').at(-1), nameOf(user_id), username].filter(Boolean).join(' '),
  );
}

function nameOf(id: unknown): string {
  return Object.entries(userIds).find(([, known]) => known === id)?.[0] ?? 'newcomer';
}

function inReady(client: GatewayClient): Record<string, string[]> {
  const ready = client.frames.find(({ t }) => t === 'READY')?.d as Ready;
  const profiles = Object.entries(ready.user_application_profiles ?? {});
  return Object.fromEntries(profiles.map(([id, list]) => [nameOf(id), list.map(one => one.username ?? '')]));
}

async function provisional(name: string): Promise<Player> {
  const { access_token } = await botIssuedToken(service, name);
  const { body } = await callApi(service, 'GET', '/users/@me', undefined, { authorization: `Bearer ${access_token}` });
  return new Player(service, (body as { id: string }).id, access_token);
}

async function revoke({ token }: Player, client_id: string = games.starfall): Promise<void> {
  const body = new URLSearchParams({ token, client_id });
  await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body });
}

describe('a profile', () => {
  it('is written by the game’s server, and changes only what is named', async () => {
    const path = profileOf(ada, 'pilot/7');
    expect((await bot('GET', path)).result).toBe('404 10013');
    const data = {
      primary: { rank_name: 'Gold', playtime_hours: 1.5 },
      dynamic: [{ type: 1, name: 'ship', value: 'A' }],
    };
    const written = await bot('PATCH', path, { username: 'Pilot', metadata: { level: '7' }, data });
    expect(written).toMatchObject({
      status: 200,
      body: {
        ...{ user_id: ada, application_id: games.starfall, username: 'Pilot', metadata: { level: '7' }, data },
        avatar_hash: null,
        external_id: { provider_type: 'NONE', provider_issued_user_id: 'pilot/7', provider_id: null },
      },
    });
    expect((await bot('PATCH', path, { username: 'Captain' })).body).toMatchObject({ metadata: { level: '7' }, data });
    expect((await bot('PATCH', path, { metadata: null, data: { primary: {} } })).body).toMatchObject({
      ...{ username: 'Captain', metadata: null, data: { primary: {} } },
    });
    expect((await bot('GET', path)).body).toMatchObject({ username: 'Captain', metadata: null });
    const picture = { url: 'https://example.com/gold.png' };
    const primary = { rank_image: picture, season: null };
    const dynamic = [{ type: 3, name: 'flag', value: picture }];
    const more = {
      primary: { ...primary, rank_image: { ...picture, more: 1 } },
      dynamic: [{ ...dynamic[0], more: 1 }],
    };
    const { body } = await bot('PATCH', path, { data: more });
    expect(body).toHaveProperty('data', { primary: { rank_image: picture }, dynamic });
  });

  it('has bounds for each of its fields', async () => {
    const path = profileOf(ada, '1');
    const text = (length: number) => 'x'.repeat(length);
    const map = (entries: number, length = 1) =>
      Object.fromEntries(Array.from({ length: entries }, (_, at) => [`${at}`.padEnd(2, '_'), text(length)]));
    const fields = (length: number) => ({
      dynamic: Array.from({ length }, (_, at) => ({ type: 2, name: `${at}`, value: at })),
    });
    const sized = (bytes: number) => ({
      dynamic: [{ type: 3, name: 'a', value: { url: 'https://example.com' } }],
      primary: { rank_name: text(bytes) },
    });
    const accepted = [
      ...[{}, { username: text(1024) }, { username: '' }, { metadata: map(25, 1024) }, { data: fields(30) }],
      { data: sized(100) },
    ];
    for (const body of accepted) expect((await bot('PATCH', path, body)).result).toBe('200');
    for (const [field, body] of [
      ['username', { username: text(1025) }],
      ['username', { username: 7 }],
      ['metadata', { metadata: map(26) }],
      ['metadata', { metadata: map(1, 1025) }],
      ['metadata', { metadata: 'text' }],
      ['metadata', { metadata: { a: 1 } }],
      ['data', { data: fields(31) }],
      ['data', { data: sized(101) }],
      ['data', { data: { primary: { rank: 'Gold' } } }],
      ['data', { data: { primary: { total_wins: 1.5 } } }],
      ['data', { data: { dynamic: [{ type: 4, name: 'a', value: 1 }] } }],
      ['data', { data: { dynamic: [{ type: 3, name: 'a', value: { url: 'nothing' } }] } }],
      [
        'data',
        {
          data: {
            dynamic: Array(30)
              .fill({ type: 1, name: text(100), value: text(100) })
              .concat({}),
          },
        },
      ],
    ] as const) {
      expect((await bot('PATCH', path, body)).result, JSON.stringify(body).slice(0, 60)).toBe(`400 50035 ${field}`);
    }
    const nearly = {
      dynamic: Array.from({ length: 30 }, (_, at) => ({
        type: 3,
        name: text(100),
        value: { url: `https://example.com/${text(at < 29 ? 170 : 0)}` },
      })),
    };
    const missing = 10 * 1024 - JSON.stringify(nearly).length;
    const lastField = nearly.dynamic[29];
    if (lastField) lastField.value.url += text(missing);
    expect(JSON.stringify(nearly)).toHaveLength(10 * 1024);
    expect((await bot('PATCH', path, { data: nearly })).result).toBe('200');
    if (lastField) lastField.value.url += 'x';
    expect((await bot('PATCH', path, { data: nearly })).result).toBe('400 50035 data');
  });

  it('is that of a user of the game, by its own bot alone', async () => {
    const stranger = await Player.of(service, 'edsger', { scope: 'identify lobbies.write' });
    expect((await bot('PATCH', profileOf(stranger.id, '1'), {})).result).toBe('403 50026');
    expect((await bot('PATCH', profileOf(userIds.radia, '1'), {})).result).toBe('403 50026');
    expect((await bot('PATCH', profileOf('1', '1'), {})).result).toBe('404 10013');
    expect((await bot('PATCH', profileOf(ada, 'x'.repeat(1025)), {})).result).toBe('404 10013');
    expect((await bot('GET', profileOf(ada, '1', games.moonrise))).status).toBe(403);
    expect(await alone.result('PATCH', profileOf(ada, '1'), {})).toMatch(/^40[13]/);
    expect(await alone.result('GET', profileOf(ada, '1'))).toMatch(/^40[13]/);
  });

  it('belongs to the identity by which the player has signed in, and each identity to one user', async () => {
    const player = await provisional('pilot');
    expect((await bot('GET', profileOf(player.id, 'pilot'))).body).toMatchObject({
      username: null,
      external_id: { provider_type: 'DISCORD_BOT', provider_issued_user_id: 'pilot', provider_id: null },
    });
    expect((await bot('GET', profileOf(player.id, 'somebody'))).result).toBe('404 10013');
    expect((await bot('PATCH', profileOf(player.id, 'somebody'), {})).result).toBe('400 50035 external_user_id');
    await write(player.id, 'pilot', { username: 'Pilot' });
    await write(ada, 'claimed', { username: 'Ada' });
    expect((await bot('PATCH', profileOf(grace, 'claimed'), {})).result).toBe('400 50035 external_user_id');
    await write(ada, 'another', { username: 'Ada' });
    await write(grace, 'claimed', { username: 'Grace' });
    expect((await bot('GET', profileOf(ada, 'claimed'))).result).toBe('404 10013');
  });
});

describe('sessions', () => {
  it('receive the profiles of their user and of friends, in READY and when they change', async () => {
    await befriend(alone, other);
    const third = await Player.of(service, 'edsger');
    await befriend(third, alone, '/users/@me/game-relationships');
    const mine = await connect(alone);
    const [friend, gameFriend] = [await connect(other), await connect(third)];
    const stranger = await connect(await Player.of(service, 'radia'));
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise }));
    const own = await ownClient(grace);
    await write(ada, '1', { username: 'Countess', metadata: { level: '7' } });
    for (const client of [mine, friend, gameFriend, own])
      expect(await eventsOf(client)).toEqual(['UPDATE ada Countess']);
    for (const client of [stranger, elsewhere]) expect(await eventsOf(client)).toEqual([]);
    const [[, event] = []] = seen(friend, ...names);
    expect(event).toEqual({
      ...{ user_id: ada, application_id: games.starfall, username: 'Countess', metadata: '{"level":"7"}' },
      avatar_hash: null,
      external_id: {
        ...{ provider_type: 'NONE', provider_issued_user_id: '1', provider_id: null, preferred_global_name: null },
      },
    } satisfies ApplicationProfile);
    for (const apart of [false, true]) {
      expect(inReady(await connect(alone, { apart }))).toEqual({ ada: ['Countess'] });
      expect(inReady(await connect(other, { apart }))).toEqual({ ada: ['Countess'] });
      expect(inReady(await connect(third, { apart }))).toEqual({ ada: ['Countess'] });
    }
    expect(inReady(await ownClient(ada))).toEqual({ ada: ['Countess'] });
    expect(inReady(await connect(await Player.of(service, 'grace', { game: games.moonrise })))).toEqual({});
    expect(inReady(await connect(await Player.of(service, 'radia')))).toEqual({});
  });

  it('learn the profiles of somebody who becomes a friend, and none of somebody who has blocked', async () => {
    await write(ada, '1', { username: 'Countess' });
    const client = await connect(other);
    await befriend(alone, other);
    expect(await eventsOf(client)).toEqual(['UPDATE ada Countess']);
    await alone.call('PUT', `/users/@me/relationships/${grace}`, { type: 2 });
    await write(ada, '1', { username: 'Lovelace' });
    expect(await eventsOf(client)).toEqual(['UPDATE ada Countess']);
    const third = await Player.of(service, 'edsger');
    const session = await connect(third);
    await befriend(third, alone, '/users/@me/game-relationships');
    expect(await eventsOf(session)).toEqual(['UPDATE ada Lovelace']);
  });

  it('see the profiles of a publisher’s games in each of them', async () => {
    const player = await Player.of(service, 'ada', { game: games.first });
    const friend = await Player.of(service, 'grace', { game: games.second });
    await befriend(player, friend);
    const client = await connect(friend);
    const path = profileOf(ada, '1', games.first);
    expect((await bot('PATCH', path, { username: 'First' }, `${games.first}-bot`)).result).toBe('200');
    expect(await eventsOf(client)).toEqual(['UPDATE ada First']);
    expect(inReady(await connect(friend))).toEqual({ ada: ['First'] });
  });
});

describe('a profile goes with the account', () => {
  it('until the user withdraws the authorization', async () => {
    await befriend(alone, other);
    await write(ada, '1', { username: 'Countess' });
    const client = await connect(other);
    await revoke(alone);
    // On a cluster the session may receive, a second time, what READY has.
    await expect.poll(async () => (await eventsOf(client)).at(-1)).toBe('REMOVE ada');
    expect((await bot('GET', profileOf(ada, '1'))).result).toBe('403 50026');
    await Player.of(service, 'ada');
    expect((await bot('GET', profileOf(ada, '1'))).result).toBe('404 10013');
    await write(grace, '1', { username: 'Grace' });
  });

  it('to the full account with a merge, and back when they are separated', async () => {
    const player = await provisional('pilot');
    await befriend(player, other);
    await write(player.id, 'pilot', { username: 'Pilot' });
    await write(ada, 'claimed', { username: 'Countess' });
    const client = await connect(other);
    await mergeByBot(service, 'pilot', ada);
    expect((await bot('GET', profileOf(ada, 'pilot'))).body).toMatchObject({ username: 'Pilot' });
    expect((await bot('GET', profileOf(ada, 'claimed'))).result).toBe('404 10013');
    await expect.poll(async () => (await eventsOf(client)).toSorted()).toEqual(['REMOVE newcomer', 'UPDATE ada Pilot']);
    const separated = await bot('POST', '/partner-sdk/provisional-accounts/unmerge/bot', { external_user_id: 'pilot' });
    expect(separated.status).toBe(204);
    expect((await bot('GET', profileOf(ada, 'pilot'))).result).toBe('403 50026');
    const separate = await provisional('pilot');
    expect((await bot('GET', profileOf(separate.id, 'pilot'))).body).toMatchObject({ username: 'Pilot' });
    expect(inReady(await connect(other))).toEqual({ newcomer: ['Pilot'] });
    await expect
      .poll(async () => (await eventsOf(client)).toSorted())
      .toEqual(['REMOVE ada', 'REMOVE newcomer', 'UPDATE ada Pilot', 'UPDATE newcomer Pilot'].toSorted());
    await revoke(separate);
    expect((await bot('GET', profileOf(separate.id, 'pilot'))).result).toBe('403 50026');
  });
});
