import { beforeEach, describe, expect, it } from 'vitest';
import type { DirectChannel, DirectMessage, PartialDirectMessage } from '../../src/model/direct-message.ts';
import { intents, type Ready } from '../../src/model/gateway.ts';
import { type Fixtures, type Service, startService } from '../../src/service/index.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { botIssuedToken, mergeByBot } from '../support/service/provisional.ts';
import { befriend, games, Player, seen, socialWorld, twoPlayers, userIds } from '../support/service/social.ts';
import { botHeaders, callApi } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const { ada, grace, edsger } = userIds;
const to = (userId: string) => `/users/${userId}/messages`;
const noted = (a: string, b: string, id: string) => `/partner-sdk/dms/${a}/${b}/messages/${id}/moderation-metadata`;
const names = ['CHANNEL_CREATE', 'MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE', 'ACTIVITY_INVITE_CREATE'];

let service: Service;
let alone: Player;
let other: Player;
const scene = twoPlayers();
const { connect } = scene;

beforeEach(() => {
  service = scene.service;
  [alone, other] = scene.players;
});

async function send(from: Player, userId: string, body: string | object): Promise<DirectMessage> {
  const answer = await from.call('POST', to(userId), typeof body === 'string' ? { content: body } : body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as DirectMessage;
}

async function eventsOf(client: GatewayClient): Promise<string[]> {
  await client.beat();
  return seen(client, ...names).map(([name, { content }]) => [name, content].filter(Boolean).join(' '));
}

describe('messages of friends', () => {
  beforeEach(() => befriend(alone, other));

  it('reach all sessions of both that may read them, and the history', async () => {
    const mine = await connect(alone);
    const theirs = await connect(other);
    const without = await connect(other, { bits: 0 });
    const presence = await Player.of(service, 'grace', { scope: 'openid sdk.social_layer_presence' });
    const limited = await connect(presence);
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise }));
    const own = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, grace) });
    scene.clients.push(own);

    const sent = await send(alone, grace, { content: 'Hello', nonce: 'n', metadata: { mood: 'good' } });
    expect(sent).toMatchObject({ content: 'Hello', nonce: 'n', metadata: { mood: 'good' }, author: { id: ada } });
    const { status, body } = await alone.call('PATCH', `${to(grace)}/${sent.id}`, { content: 'Hi' });
    expect([status, (body as DirectMessage).content]).toEqual([200, 'Hi']);
    expect(await alone.result('DELETE', `${to(grace)}/${sent.id}`)).toBe('204');
    const answer = await send(other, ada, 'Too late');

    const common = ['MESSAGE_CREATE Hello', 'MESSAGE_UPDATE Hi', 'MESSAGE_DELETE', 'MESSAGE_CREATE Too late'];
    expect(await eventsOf(mine)).toEqual(common);
    for (const client of [theirs, elsewhere, own])
      expect(await eventsOf(client)).toEqual(['CHANNEL_CREATE', ...common]);
    for (const client of [without, limited]) expect(await eventsOf(client)).toEqual([]);
    const [[, created] = []] = seen(theirs, 'MESSAGE_CREATE');
    expect(created).toEqual(sent);
    expect(seen(theirs, 'MESSAGE_DELETE')).toEqual([['MESSAGE_DELETE', { id: sent.id, channel_id: sent.channel_id }]]);

    const history = (await alone.call('GET', to(grace))).body as PartialDirectMessage[];
    expect(history.map(({ id, content }) => [id, content])).toEqual([[answer.id, 'Too late']]);
    expect(history[0]).not.toHaveProperty('timestamp');
  });

  it('are in conversations that READY lists, with users apart where a session asks for that', async () => {
    expect(await alone.call('GET', '/partner-sdk/users/@me/channels')).toMatchObject({ status: 200, body: [] });
    expect(await alone.result('GET', `/users/@me/dms/${grace}`)).toBe('404 10003');
    expect(await alone.result('GET', to(grace))).toBe('404 10003');
    const { id, channel_id } = await send(other, ada, 'Hello');
    const summaries = await alone.call('GET', '/partner-sdk/users/@me/channels');
    expect(summaries.body).toEqual([{ user_id: grace, last_message_id: id }]);
    const channel = { id: channel_id, type: 1, last_message_id: id, flags: 0 };
    const found = await alone.call('GET', `/users/@me/dms/${grace}`);
    expect(found.body).toMatchObject({ ...channel, recipients: [{ id: grace }] });
    const whole = await (await connect(alone)).dispatch<Ready>('READY');
    expect(whole.private_channels).toMatchObject([{ ...channel, recipients: [{ id: grace, username: 'grace' }] }]);
    const apart = await (await connect(alone, { apart: true })).dispatch<Ready>('READY');
    expect(apart.private_channels).toEqual([{ ...channel, recipient_ids: [grace] }]);
    expect(apart.users?.map(user => user.id)).toContain(grace);
    const presence = await Player.of(service, 'ada', { scope: 'openid sdk.social_layer_presence' });
    expect((await (await connect(presence)).dispatch<Ready>('READY')).private_channels).toEqual([]);
  });

  it('are missed by nobody who resumes', async () => {
    const theirs = await connect(other);
    await theirs.beat();
    theirs.socket.terminate();
    await theirs.closed;
    scene.clients.length = 0;
    await send(alone, grace, 'while away');
    const back = await GatewayClient.resumed(service.gateway, `Bearer ${other.token}`, theirs);
    scene.clients.push(back);
    expect(await back.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'while away' });
  });

  it('are annotated by the bot, for sessions of its own application', async () => {
    const theirs = await connect(other);
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise }));
    const { id } = await send(alone, grace, 'Hello');
    const byBot = (path: string, body: unknown, headers: Readonly<Record<string, string>> = botHeaders) =>
      callApi(service, 'PUT', path, body, headers);
    expect(await byBot(noted(grace, ada, id), { verdict: 'rude' })).toMatchObject({ status: 204 });
    expect(await eventsOf(theirs)).toEqual(['CHANNEL_CREATE', 'MESSAGE_CREATE Hello', 'MESSAGE_UPDATE Hello']);
    expect(seen(theirs, 'MESSAGE_UPDATE')[0]?.[1]).toMatchObject({ moderation_metadata: { verdict: 'rude' } });
    expect(await eventsOf(elsewhere)).toEqual(['CHANNEL_CREATE', 'MESSAGE_CREATE Hello']);
    const [message] = (await other.call('GET', to(ada))).body as PartialDirectMessage[];
    expect(message).toMatchObject({ moderation_metadata: { verdict: 'rude' } });
    expect(await byBot(noted(ada, grace, '123'), {})).toMatchObject({ status: 404, body: { code: 10008 } });
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map(key => [key, key]));
    expect(await byBot(noted(ada, grace, id), many)).toMatchObject({ status: 400, body: { code: 50035 } });
    const foreign = { ...botHeaders, authorization: `Bot ${games.moonrise}-bot` };
    expect(await byBot(noted(ada, grace, id), {}, foreign)).toMatchObject({ status: 404 });
    expect(await alone.result('PUT', noted(ada, grace, id), {})).toMatch(/^403 /);
  });

  it('stop with a block, and go on with a new friendship', async () => {
    const { id } = await send(alone, grace, 'before');
    await other.call('PUT', `/users/@me/relationships/${ada}`, { type: 2 });
    const mine = await connect(alone);
    const theirs = await connect(other);
    expect(await alone.result('POST', to(grace), { content: 'x' })).toBe('403 50007');
    expect(await other.result('POST', to(ada), { content: 'x' })).toBe('403 50007');
    expect(await alone.result('PATCH', `${to(grace)}/${id}`, { content: 'x' })).toBe('403 50007');
    expect([await eventsOf(mine), await eventsOf(theirs)]).toEqual([[], []]);
    await other.call('DELETE', `/users/@me/relationships/${ada}`);
    await befriend(alone, other);
    await send(alone, grace, 'after');
    expect(await eventsOf(theirs)).toEqual(['MESSAGE_CREATE after']);
  });

  it('are rejected where the body, the recipient, the message or the limit is wrong', async () => {
    const post = (userId: string, body: unknown) => alone.result('POST', to(userId), body);
    expect(await post(ada, { content: 'x' })).toBe('400 50033');
    expect(await post('999', { content: 'x' })).toBe('404 10013');
    expect(await post(edsger, { content: 'x' })).toBe('403 50278');
    expect(await post(grace, { content: 'x'.repeat(2001) })).toBe('400 50035');
    expect(await post(grace, { content: 'x', metadata: { a: 1 } })).toBe('400 50035');
    expect(await post(grace, {})).toBe('400 50006');
    expect(await post(grace, { activity: { type: 1, party_id: 'none' } })).toBe('400 50039');
    const { id } = await send(other, ada, 'theirs');
    expect(await alone.result('PATCH', `${to(grace)}/${id}`, { content: 'x' })).toBe('403 50005');
    expect(await alone.result('DELETE', `${to(grace)}/${id}`)).toBe('403 50013');
    expect(await alone.result('PATCH', `${to(grace)}/123`, { content: 'x' })).toBe('404 10008');
    expect(await alone.result('DELETE', `${to(grace)}/123`)).toBe('404 10008');
    for (const limit of ['0', '201', '-1', 'x']) {
      expect(await alone.result('GET', `${to(grace)}?limit=${limit}`)).toBe('400 50035');
    }
    for (const limit of [1, 200]) expect(await alone.result('GET', `${to(grace)}?limit=${limit}`)).toBe('200');
    expect(await callApi(service, 'POST', to(grace), { content: 'x' })).toMatchObject({ status: 403 });
  });

  it('need their scopes', async () => {
    const presence = await Player.of(service, 'ada', { scope: 'openid sdk.social_layer_presence' });
    const { id } = await send(alone, grace, 'x');
    const calls = [
      ['POST', to(grace), { content: 'x' }],
      ['GET', to(grace)],
      ['PATCH', `${to(grace)}/${id}`, { content: 'x' }],
      ['DELETE', `${to(grace)}/${id}`],
      ['GET', '/partner-sdk/users/@me/channels'],
      ['GET', `/users/@me/dms/${grace}`],
    ] as const;
    for (const [method, path, body] of calls) expect(await presence.result(method, path, body)).toBe('403 50026');
    const plain = await Player.of(service, 'ada', { scope: 'identify' });
    const secret = `/users/${grace}/sessions/x/activities/${games.starfall}/1`;
    expect(await plain.result('GET', secret)).toBe('403 50026');
  });

  it('can no longer be read when the other has withdrawn the authorization', async () => {
    await send(alone, grace, 'x');
    const headers = { authorization: `Bearer ${service.controlToken}` };
    await fetch(`${service.controlBase}/users/${grace}/tokens`, { method: 'DELETE', headers });
    expect(await alone.result('GET', to(grace))).toBe('404 10003');
    await send(alone, grace, 'still a friend');
  });
});

describe('messages of strangers', () => {
  it('are delivered while both are in the game, and kept nowhere', async () => {
    const mine = await connect(alone);
    expect(await alone.result('POST', to(grace), { content: 'x' })).toBe('403 50278');
    const theirs = await connect(other);
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise }));
    const sent = await send(alone, grace, 'psst');
    expect(sent).toMatchObject({ channel_id: grace, recipient_id: grace, channel_type: 18 });
    expect(await eventsOf(mine)).toEqual(['MESSAGE_CREATE psst']);
    expect(await eventsOf(theirs)).toEqual(['MESSAGE_CREATE psst']);
    expect(await eventsOf(elsewhere)).toEqual([]);
    expect(seen(theirs, 'MESSAGE_CREATE')[0]?.[1]).toMatchObject({ channel_id: ada, author: { id: ada } });
    expect(await alone.result('GET', to(grace))).toBe('404 10003');
    expect((await other.call('GET', '/partner-sdk/users/@me/channels')).body).toEqual([]);
    expect(await alone.result('PATCH', `${to(grace)}/${sent.id}`, { content: 'pssst' })).toBe('200');
    expect(await alone.result('DELETE', `${to(grace)}/${sent.id}`)).toBe('204');
    expect(await eventsOf(theirs)).toEqual(['MESSAGE_CREATE psst', 'MESSAGE_UPDATE pssst', 'MESSAGE_DELETE']);
    await theirs.end();
    await expect.poll(() => alone.result('POST', to(grace), { content: 'x' })).toBe('403 50278');
  });
});

describe('messages with a provisional account', () => {
  it('need it in the game, and move with it to a full account', async () => {
    const { access_token } = await botIssuedToken(service, 'someone');
    const headers = { authorization: `Bearer ${access_token}` };
    const { body } = await callApi(service, 'GET', '/users/@me', undefined, headers);
    const newcomer = new Player(service, (body as { id: string }).id, access_token);
    await befriend(alone, newcomer);
    expect(await alone.result('POST', to(newcomer.id), { content: 'x' })).toBe('403 50252');
    expect(await newcomer.result('POST', to(ada), { content: 'x' })).toBe('403 50252');
    await connect(newcomer);
    const { id } = await send(alone, newcomer.id, 'Hello');
    const answer = await send(newcomer, ada, 'Hi');
    scene.clients.length = 0;
    const [mine, theirs] = [await connect(alone), await connect(other)];
    await mergeByBot(service, 'someone', grace);
    const history = (await alone.call('GET', to(grace))).body as PartialDirectMessage[];
    expect(history.map(message => [message.id, message.author.id])).toEqual([
      [answer.id, grace],
      [id, ada],
    ]);
    expect((await alone.call('GET', '/partner-sdk/users/@me/channels')).body).toMatchObject([{ user_id: grace }]);
    expect(await alone.result('GET', to(newcomer.id))).toBe('404 10013');
    const channel = { id: answer.channel_id, type: 1, last_message_id: answer.id };
    expect(await mine.dispatch('CHANNEL_UPDATE')).toMatchObject({ ...channel, recipients: [{ id: grace }] });
    expect(await theirs.dispatch('CHANNEL_CREATE')).toMatchObject({ ...channel, recipients: [{ id: ada }] });
    await send(alone, grace, 'You are somebody now');
    expect(await eventsOf(theirs)).toEqual(['CHANNEL_CREATE', 'MESSAGE_CREATE You are somebody now']);
  });
});

describe('a bot’s direct channel', () => {
  it('stays what it was beside those of players', async () => {
    await befriend(alone, other);
    await send(other, ada, 'Hello');
    const { status, body } = await callApi(service, 'POST', '/users/@me/channels', { recipient_id: ada });
    expect([status, (body as DirectChannel).id]).toEqual([200, ada]);
    const bot = await GatewayClient.identified(service.gateway, {
      token: botHeaders.authorization,
      intents: intents.DIRECT_MESSAGES,
    });
    scene.clients.push(bot);
    await send(alone, grace, 'unseen');
    expect(await eventsOf(bot)).toEqual([]);
    const { channel_id } = await send(alone, grace, 'x');
    expect(await callApi(service, 'GET', `/channels/${channel_id}`)).toMatchObject({ status: 404 });
  });
});

describe('fixtures', () => {
  it('have messages, which users of a running service receive, and which a reset brings back', async () => {
    const answer = async (document: object) => {
      const headers = { authorization: `Bearer ${service.controlToken}`, 'content-type': 'application/json' };
      const body = JSON.stringify(document);
      const response = await fetch(`${service.controlBase}/fixtures`, { method: 'POST', headers, body });
      return { status: response.status, body: (await response.json()) as Fixtures };
    };
    const theirs = await connect(other);
    const message = { author_id: ada, recipient_id: grace, content: 'given', application_id: games.starfall };
    const filled = await answer({ direct_messages: [message, { ...message, author_id: grace, recipient_id: ada }] });
    expect(filled).toMatchObject({
      status: 200,
      body: { direct_messages: [message, { application_id: games.starfall }] },
    });
    const ids = filled.body.direct_messages?.map(({ id }) => id) ?? [];
    const [newest, oldest] = (await alone.call('GET', to(grace))).body as PartialDirectMessage[];
    expect([oldest?.id, newest?.id]).toEqual(ids);
    expect(oldest).toMatchObject({ content: 'given', author: { id: ada }, application_id: games.starfall });
    expect(await eventsOf(theirs)).toEqual(['CHANNEL_CREATE', 'MESSAGE_CREATE given', 'MESSAGE_CREATE given']);
    await answer(filled.body);
    expect(await eventsOf(theirs)).toHaveLength(3);
    const wrong = await answer({ direct_messages: [{ ...message, recipient_id: '999' }] });
    expect(wrong.status).toBe(400);

    const fixtures = { ...socialWorld, direct_messages: [message] };
    const seeded = await startService({ fixtures, limits: 'off' });
    try {
      const reader = await Player.of(seeded, 'ada');
      await Player.of(seeded, 'grace');
      const before = (await reader.call('GET', to(grace))).body as PartialDirectMessage[];
      expect(before).toMatchObject([{ content: 'given' }]);
      expect(await reader.result('DELETE', `${to(grace)}/${before[0]?.id}`)).toBe('204');
      await seeded.reset();
      const again = await Player.of(seeded, 'ada');
      await Player.of(seeded, 'grace');
      expect((await again.call('GET', to(grace))).body).toEqual(before);
    } finally {
      await seeded.close();
    }
  });
});

describe('limits', () => {
  it('of the profiles: five in five seconds to one user, a hundred in two hours for an application', async () => {
    for (const limits of ['standard', 'development'] as const) {
      const limited = await startService({ fixtures: socialWorld, limits, clock: 'virtual' });
      try {
        const [a, b] = [await Player.of(limited, 'ada'), await Player.of(limited, 'grace')];
        await befriend(a, b);
        const most = limits === 'standard' ? 5 : 100;
        for (let sent = 0; sent < most; sent++) {
          if (sent % 25 === 24) await limited.clock.advance(1_000);
          await send(a, grace, 'x');
        }
        const refused = await a.call('POST', to(grace), { content: 'x' });
        expect(refused).toMatchObject({ status: 429, body: { retry_after: expect.any(Number) } });
        expect(await b.result('POST', to(ada), { content: 'x' })).toBe(limits === 'standard' ? '200' : '429 0');
        await limited.clock.advance(limits === 'standard' ? 5_000 : 2 * 3_600_000);
        await send(a, grace, 'x');
      } finally {
        await limited.close();
      }
    }
  });
});
