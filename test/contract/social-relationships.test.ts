import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ready } from '../../src/model/gateway.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { botIssuedToken, mergeByBot } from '../support/service/provisional.ts';
import { RestartingService } from '../support/service/restarting-service.ts';
import { games, Player, seen, socialWorld, userIds } from '../support/service/social.ts';
import { botHeaders, callApi, postFixtures } from '../support/service/starfall.ts';
import { clientToken, sessionToken } from '../support/service/tokens.ts';

const { ada, grace, edsger } = userIds;
const full = '/users/@me/relationships';
const game = '/users/@me/game-relationships';
const names = [
  'RELATIONSHIP_ADD',
  'RELATIONSHIP_UPDATE',
  'RELATIONSHIP_REMOVE',
  'GAME_RELATIONSHIP_ADD',
  'GAME_RELATIONSHIP_REMOVE',
];

let service: Service;
let alone: Player;
let other: Player;

beforeAll(async () => {
  service = await startService({ fixtures: socialWorld, limits: 'off' });
});
afterAll(() => service.close());

beforeEach(async () => {
  await service.reset();
  alone = await Player.of(service, 'ada');
  other = await Player.of(service, 'grace');
});

/** The events of a session so far: name, type and the other user. */
async function eventsOf(client: GatewayClient): Promise<string[]> {
  await client.beat();
  return seen(client, ...names).map(([name, { type, id }]) => `${name} ${type} ${nameOf(id)}`);
}

function nameOf(id: unknown): string {
  return Object.entries(userIds).find(([, known]) => known === id)?.[0] ?? String(id);
}

/** What somebody's lists have: kind, type and the other user. */
async function listsOf(player: Player): Promise<string[]> {
  const lists = [
    ['full', (await player.call('GET', full)).body],
    ['game', (await player.call('GET', game)).body],
  ] as [string, { type: number; id: string }[]][];
  return lists.flatMap(([kind, list]) => list.map(({ type, id }) => `${kind} ${type} ${nameOf(id)}`));
}

describe.each([
  { kind: 'full', path: full, prefix: 'RELATIONSHIP' },
  { kind: 'game', path: game, prefix: 'GAME_RELATIONSHIP' },
])('a $kind relationship', ({ kind, path, prefix }) => {
  it('is requested by name, accepted and ended, with the same events and lists for both', async () => {
    const [mine, theirs] = [await alone.connect(), await other.connect()];
    expect(await alone.result('POST', path, { username: 'grace' })).toBe('204');
    expect(await listsOf(alone)).toEqual([`${kind} 4 grace`]);
    expect(await listsOf(other)).toEqual([`${kind} 3 ada`]);
    expect(await alone.result('POST', path, { username: 'Grace' })).toBe('204');
    expect(await alone.result('PUT', `${path}/${grace}`, { type: 1 })).toBe('400 80005');
    expect(await other.result('PUT', `${path}/${ada}`, { type: 1 })).toBe('204');
    expect(await listsOf(alone)).toEqual([`${kind} 1 grace`]);
    expect(await listsOf(other)).toEqual([`${kind} 1 ada`]);
    expect(await alone.result('POST', path, { username: 'grace' })).toBe('400 80007');
    expect(await other.result('PUT', `${path}/${ada}`, { type: 1 })).toBe('400 80005');
    expect(await other.result('DELETE', `${path}/${ada}`)).toBe('204');
    expect(await other.result('DELETE', `${path}/${ada}`)).toBe('204');
    expect(await listsOf(alone)).toEqual([]);
    expect(await eventsOf(mine)).toEqual([
      `${prefix}_ADD 4 grace`,
      `${prefix}_ADD 1 grace`,
      `${prefix}_REMOVE 1 grace`,
    ]);
    expect(await eventsOf(theirs)).toEqual([`${prefix}_ADD 3 ada`, `${prefix}_ADD 1 ada`, `${prefix}_REMOVE 1 ada`]);
    const [[, added] = []] = seen(theirs, `${prefix}_ADD`);
    expect(added).toMatchObject({ should_notify: true, user: { id: ada, username: 'ada' } });
  });

  it('is accepted by a request of the other one', async () => {
    expect(await alone.result('PUT', `${path}/${grace}`)).toBe('204');
    expect(await other.result('POST', path, { username: 'ada' })).toBe('204');
    expect(await listsOf(alone)).toEqual([`${kind} 1 grace`]);
  });

  it('ends as a friendship when requests cross', async () => {
    const results = await Promise.all([
      alone.result('PUT', `${path}/${grace}`, {}),
      other.result('PUT', `${path}/${ada}`, { type: -1 }),
    ]);
    expect(results).toEqual(['204', '204']);
    expect(await listsOf(alone)).toEqual([`${kind} 1 grace`]);
    expect(await listsOf(other)).toEqual([`${kind} 1 ada`]);
  });

  it('is rejected and withdrawn, and each side receives its own former type', async () => {
    const [mine, theirs] = [await alone.connect(), await other.connect()];
    await alone.result('PUT', `${path}/${grace}`, {});
    expect(await other.result('DELETE', `${path}/${ada}`)).toBe('204');
    await alone.result('PUT', `${path}/${grace}`, {});
    expect(await alone.result('DELETE', `${path}/${grace}`)).toBe('204');
    expect((await eventsOf(mine)).filter(event => event.includes('REMOVE'))).toEqual([
      `${prefix}_REMOVE 4 grace`,
      `${prefix}_REMOVE 4 grace`,
    ]);
    expect((await eventsOf(theirs)).filter(event => event.includes('REMOVE'))).toEqual([
      `${prefix}_REMOVE 3 ada`,
      `${prefix}_REMOVE 3 ada`,
    ]);
  });

  it('is refused for oneself, unknown users, bots and bad bodies', async () => {
    expect(await alone.result('POST', path, { username: 'ada' })).toBe('400 80003');
    expect(await alone.result('PUT', `${path}/${ada}`, {})).toBe('400 80003');
    expect(await alone.result('POST', path, { username: 'nobody' })).toBe('400 80004');
    expect(await alone.result('PUT', `${path}/123`, {})).toBe('404 10013');
    expect(await alone.result('PUT', `${path}/${games.starfall}`, {})).toBe('400 80002');
    for (const body of [{}, { username: 7 }, { username: '' }, { username: 'x'.repeat(33) }]) {
      const answer = await alone.call('POST', path, body);
      expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { username: {} } } });
    }
    const note = 'n'.repeat(121);
    for (const answer of [
      await alone.call('POST', path, { username: 'grace', note }),
      await alone.call('PUT', `${path}/${grace}`, { note }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { note: {} } } });
    }
    const wrong = await alone.call('PUT', `${path}/${grace}`, { type: 5 });
    expect(wrong).toMatchObject({ status: 400, body: { code: 50035, errors: { type: {} } } });
    expect(await listsOf(alone)).toEqual([]);
  });

  it('needs its scopes', async () => {
    const reader = await Player.of(service, 'edsger', { scope: 'openid relationships.read' });
    expect(await reader.result('GET', path)).toBe('200');
    expect(await reader.result('POST', path, { username: 'ada' })).toBe('403 50026');
    expect(await reader.result('PUT', `${path}/${ada}`, {})).toBe('403 50026');
    expect(await reader.result('DELETE', `${path}/${ada}`)).toBe('403 50026');
    const writer = await Player.of(service, 'edsger', { scope: 'openid relationships.write' });
    expect(await writer.result('GET', path)).toBe('403 50026');
    const bot = await callApi(service, 'GET', path, undefined, botHeaders);
    expect(bot).toMatchObject({ status: 403, body: { code: 20001 } });
    const client = await clientToken(service, 'identify');
    const own = await callApi(service, 'GET', path, undefined, { authorization: `Bearer ${client}` });
    expect(own.status).toBe(403);
  });
});

describe('full relationships', () => {
  it('carry the note of a request to its recipient, and what made them', async () => {
    const theirs = await other.connect();
    await alone.result('PUT', `${full}/${grace}`, { note: 'from the harbour', confirm_stranger_request: true });
    expect(await theirs.dispatch('RELATIONSHIP_ADD')).toEqual({
      id: ada,
      type: 3,
      user: expect.objectContaining({ id: ada, username: 'ada', global_name: 'Ada' }),
      nickname: null,
      is_spam_request: false,
      stranger_request: false,
      user_ignored: false,
      origin_application_id: games.starfall,
      since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      note: 'from the harbour',
      should_notify: true,
      has_played_game: true,
    });
    expect((await alone.call('GET', full)).body).toEqual([expect.not.objectContaining({ note: expect.anything() })]);
  });

  it('reach the sessions of all games, and say who plays this one', async () => {
    const moon = await Player.of(service, 'ada', { game: games.moonrise });
    const session = await moon.connect();
    await alone.result('PUT', `${full}/${grace}`, {});
    expect(await eventsOf(session)).toEqual(['RELATIONSHIP_ADD 4 grace']);
    expect((await moon.call('GET', full)).body).toMatchObject([{ id: grace, has_played_game: false }]);
    expect((await alone.call('GET', full)).body).toMatchObject([{ id: grace, has_played_game: true }]);
  });

  it('block: everything else between the two ends, in all games, and only the blocker sees it', async () => {
    for (const id of [games.starfall, games.moonrise]) {
      const [a, b] = [await Player.of(service, 'ada', { game: id }), await Player.of(service, 'grace', { game: id })];
      await a.result('PUT', `${game}/${grace}`, {});
      await b.result('PUT', `${game}/${ada}`, {});
    }
    await alone.result('PUT', `${full}/${grace}`, {});
    await other.result('PUT', `${full}/${ada}`, {});
    const [mine, theirs] = [await alone.connect(), await other.connect()];
    expect(await alone.result('PUT', `${full}/${grace}`, { type: 2 })).toBe('204');
    expect(await alone.result('PUT', `${full}/${grace}`, { type: 2 })).toBe('204');
    expect(await eventsOf(mine)).toEqual(['RELATIONSHIP_ADD 2 grace', 'GAME_RELATIONSHIP_REMOVE 1 grace']);
    expect(await eventsOf(theirs)).toEqual(['RELATIONSHIP_REMOVE 1 ada', 'GAME_RELATIONSHIP_REMOVE 1 ada']);
    expect(await listsOf(alone)).toEqual(['full 2 grace']);
    expect(await listsOf(other)).toEqual([]);
    const moon = await Player.of(service, 'grace', { game: games.moonrise });
    expect(await listsOf(moon)).toEqual([]);
    for (const path of [full, game]) {
      expect(await other.result('PUT', `${path}/${ada}`, {})).toBe('400 80001');
      expect(await alone.result('PUT', `${path}/${grace}`, {})).toBe('400 80001');
    }
    expect(await other.result('DELETE', `${full}/${ada}`)).toBe('204');
    expect(await alone.result('DELETE', `${full}/${grace}`)).toBe('204');
    expect((await eventsOf(mine)).at(-1)).toBe('RELATIONSHIP_REMOVE 2 grace');
    expect((await eventsOf(theirs)).length).toBe(2);
    expect(await listsOf(alone)).toEqual([]);
    expect(await other.result('PUT', `${full}/${ada}`, {})).toBe('204');
  });

  it('can be blocks of both, each ended by its own user', async () => {
    await alone.result('PUT', `${full}/${grace}`, { type: 2 });
    await other.result('PUT', `${full}/${ada}`, { type: 2 });
    expect(await listsOf(alone)).toEqual(['full 2 grace']);
    await alone.result('DELETE', `${full}/${grace}`);
    expect(await listsOf(alone)).toEqual([]);
    expect(await listsOf(other)).toEqual(['full 2 ada']);
  });

  it('have nicknames that a user’s own client sets', async () => {
    const own = { authorization: await sessionToken(service, ada), 'content-type': 'application/json' };
    const session = await alone.connect();
    const edit = (nickname: unknown) => callApi(service, 'PATCH', `${full}/${grace}`, { nickname }, own);
    expect(await edit('G')).toMatchObject({ status: 400, body: { code: 80006 } });
    await alone.result('PUT', `${full}/${grace}`, {});
    await other.result('PUT', `${full}/${ada}`, {});
    expect((await edit('G')).status).toBe(204);
    expect(await edit('x'.repeat(33))).toMatchObject({ status: 400, body: { code: 50035 } });
    expect(await session.dispatch('RELATIONSHIP_UPDATE')).toMatchObject({ id: grace, type: 1, nickname: 'G' });
    expect(await alone.result('PATCH', `${full}/${grace}`, { nickname: 'H' })).toBe('403 50001');
  });
});

describe('game relationships', () => {
  it('need the other one to have authorized the game', async () => {
    expect(await alone.result('PUT', `${game}/${edsger}`, {})).toBe('400 80009');
    await Player.of(service, 'edsger', { game: games.moonrise });
    expect(await alone.result('POST', game, { username: 'edsger' })).toBe('400 80009');
    await Player.of(service, 'edsger');
    expect(await alone.result('POST', game, { username: 'edsger' })).toBe('204');
  });

  it('are of one game, without a block', async () => {
    await alone.result('PUT', `${game}/${grace}`, {});
    const moon = await Player.of(service, 'ada', { game: games.moonrise });
    expect(await listsOf(moon)).toEqual([]);
    expect(await alone.result('PUT', `${game}/${grace}`, { type: 2 })).toBe('400 50035');
    expect((await alone.call('GET', game)).body).toEqual([
      {
        id: grace,
        user_id: ada,
        application_id: games.starfall,
        type: 4,
        since: expect.any(String),
        dm_access_type: 0,
      },
    ]);
  });

  it('are shared by the games of a publisher', async () => {
    const first = await Player.of(service, 'ada', { game: games.first });
    const second = await Player.of(service, 'grace', { game: games.second });
    const [mine, theirs] = [await first.connect(), await second.connect()];
    expect(await first.result('PUT', `${game}/${grace}`, {})).toBe('204');
    expect(await second.result('PUT', `${game}/${ada}`, { type: 1 })).toBe('204');
    expect(await eventsOf(mine)).toEqual(['GAME_RELATIONSHIP_ADD 4 grace', 'GAME_RELATIONSHIP_ADD 1 grace']);
    expect(await eventsOf(theirs)).toEqual(['GAME_RELATIONSHIP_ADD 3 ada', 'GAME_RELATIONSHIP_ADD 1 ada']);
    const [ready] = [(await first.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready];
    expect(ready.game_relationships).toMatchObject([{ id: grace, type: 1, application_id: games.publisher }]);
    expect(ready.application).toMatchObject({ id: games.first, name: 'First Game', parent_id: games.publisher });
  });

  it('exist beside full ones', async () => {
    for (const path of [full, game]) {
      await alone.result('PUT', `${path}/${grace}`, {});
      await other.result('PUT', `${path}/${ada}`, {});
    }
    expect(await listsOf(alone)).toEqual(['full 1 grace', 'game 1 grace']);
    await alone.result('DELETE', `${full}/${grace}`);
    expect(await listsOf(other)).toEqual(['game 1 ada']);
  });

  it('reach a user’s own client, with the name of the game', async () => {
    const token = await sessionToken(service, ada);
    const own = { authorization: token, 'content-type': 'application/json' };
    const client = await GatewayClient.identified(service.gateway, { token });
    const path = `${game}/${grace}/${games.starfall}`;
    expect((await callApi(service, 'PUT', path, {}, own)).status).toBe(204);
    expect(await client.dispatch('GAME_RELATIONSHIP_ADD')).toMatchObject({ id: grace, type: 4 });
    expect((await callApi(service, 'DELETE', path, undefined, own)).status).toBe(204);
    expect((await callApi(service, 'PUT', `${game}/${grace}/77`, {}, own)).status).toBe(404);
    expect(await alone.result('PUT', path, {})).toBe('403 50001');
  });
});

describe('sessions', () => {
  it('list relationships in READY, with users in the entries or apart', async () => {
    await alone.result('PUT', `${full}/${grace}`, {});
    await alone.result('PUT', `${full}/${edsger}`, { type: 2 });
    await alone.result('PUT', `${game}/${grace}`, {});
    const plain = (await alone.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect(plain.session_type).toBe('oauth');
    expect(plain).not.toHaveProperty('users');
    expect(plain.relationships).toMatchObject([
      { id: grace, type: 4, user: { username: 'grace' }, has_played_game: true },
      { id: edsger, type: 2, user: { username: 'edsger' }, has_played_game: false },
    ]);
    expect(plain.game_relationships).toMatchObject([{ id: grace, type: 4, user: { username: 'grace' } }]);
    const apart = (await alone.connect({ apart: true })).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect(apart.users?.map(({ id }) => id).toSorted()).toEqual([grace, edsger].toSorted());
    expect(apart.relationships.map(({ id, user_id }) => [id, user_id])).toEqual([
      [grace, grace],
      [edsger, edsger],
    ]);
    for (const entry of [...apart.relationships, ...apart.game_relationships]) expect(entry).not.toHaveProperty('user');
  });

  it('without relationships.read see none and get no events; without the intent, no events', async () => {
    const blind = await Player.of(service, 'ada', { scope: 'openid identify gateway.connect' });
    const [unable, silent] = [await blind.connect(), await alone.connect({ bits: 0 })];
    await alone.result('PUT', `${full}/${grace}`, {});
    await alone.result('PUT', `${game}/${grace}`, {});
    expect(await eventsOf(unable)).toEqual([]);
    expect(await eventsOf(silent)).toEqual([]);
    const again = (await blind.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect([again.relationships, again.game_relationships]).toEqual([[], []]);
    const known = (await alone.connect({ bits: 0 })).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect(known.relationships).toHaveLength(1);
  });

  it('replay what they missed when they are resumed', async () => {
    const former = await alone.connect();
    former.socket.terminate();
    await former.closed;
    await other.result('PUT', `${full}/${ada}`, {});
    const again = await GatewayClient.resumed(service.gateway, `Bearer ${alone.token}`, former);
    expect(await again.dispatch('RELATIONSHIP_ADD')).toMatchObject({ id: grace, type: 3 });
  });

  it.each(['clean', 'killed'] as const)(
    'go on after a restart (%s), and neither miss nor repeat anything',
    async how => {
      const restarting = await RestartingService.start({ fixtures: socialWorld, limits: 'off' });
      const [ada_, grace_] = [await Player.of(restarting.now, 'ada'), await Player.of(restarting.now, 'grace')];
      const former = await ada_.connect();
      await grace_.result('PUT', `${full}/${ada}`, {});
      await former.dispatch('RELATIONSHIP_ADD');
      former.socket.terminate();
      await former.closed;
      await ada_.result('PUT', `${full}/${grace}`, { type: 1 });
      const service = await restarting.restart(how);
      await new Player(service, grace, grace_.token).result('PUT', `${game}/${ada}`, {});
      const again = await GatewayClient.resumed(service.gateway, `Bearer ${ada_.token}`, former);
      await again.dispatch('RESUMED');
      expect(await eventsOf(again)).toEqual(['RELATIONSHIP_ADD 1 grace', 'GAME_RELATIONSHIP_ADD 3 grace']);
      await restarting.close();
    },
  );

  it.each([18, 19, 22, 23])('may ask for intent %i with a player’s token, and not with a bot’s', async bit => {
    const player = await alone.connect({ bits: 1 << bit });
    expect(player.names).toContain('READY');
    const bot = await GatewayClient.open(service.gateway);
    bot.identify({ token: 'starfall-bot-token', intents: 1 << bit });
    expect((await bot.closed).code).toBe(4014);
  });
});

describe('names', () => {
  it('reach the user’s own sessions when they change', async () => {
    const { access_token, id } = await provisional('someone');
    const player = new Player(service, id, access_token);
    const session = await player.connect();
    expect(await player.call('PATCH', '/users/@me/account', { global_name: 'Countess' })).toMatchObject({
      status: 200,
      body: { id, global_name: 'Countess' },
    });
    expect(await session.dispatch('USER_UPDATE')).toMatchObject({
      id,
      global_name: 'Countess',
      public_flags: 1 << 23,
    });
    for (const path of [full, game]) {
      await player.result('PUT', `${path}/${grace}`, {});
      await other.result('PUT', `${path}/${id}`, {});
    }
    await player.result('PUT', `${game}/${ada}`, {});
    await alone.result('PUT', `${game}/${id}`, {});
    const [friend, gameFriend] = [await other.connect(), await alone.connect()];
    await player.call('PATCH', '/users/@me/account', { global_name: 'Lovelace' });
    for (const client of [friend, gameFriend]) {
      await client.until(() => seen(client, 'PRESENCE_UPDATE').length > 0);
      const updates = seen(client, 'PRESENCE_UPDATE').map(([, update]) => update);
      expect(updates.at(-1)).toMatchObject({ user: { id, global_name: 'Lovelace' } });
    }
    await player.call('PATCH', '/users/@me/account', { global_name: 'Countess' });
    for (const global_name of ['', 'x'.repeat(33), 7]) {
      expect(await player.call('PATCH', '/users/@me/account', { global_name })).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { global_name: {} } },
      });
    }
    const ready = (await player.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect(ready.user).toMatchObject({ global_name: 'Countess', public_flags: 1 << 23 });
  });
});

describe('accounts that become one', () => {
  it('have the relationships of both: with events to the others', async () => {
    const { access_token, id } = await provisional('newcomer');
    const player = new Player(service, id, access_token);
    const third = await Player.of(service, 'edsger');
    await player.result('PUT', `${full}/${grace}`, {});
    await other.result('PUT', `${full}/${id}`, {});
    await player.result('PUT', `${game}/${grace}`, {});
    await third.result('PUT', `${full}/${id}`, { type: 2 });
    await alone.result('PUT', `${full}/${id}`, {});
    await alone.result('PUT', `${full}/${edsger}`, {});
    const [mine, theirs] = [await alone.connect(), await other.connect()];
    await mergeByBot(service, 'newcomer', ada);
    expect(await listsOf(alone)).toEqual(['full 1 grace', 'game 4 grace']);
    expect(await listsOf(other)).toEqual(['full 1 ada', 'game 3 ada']);
    expect(await listsOf(third)).toEqual(['full 2 ada']);
    expect((await eventsOf(theirs)).toSorted()).toEqual([
      'GAME_RELATIONSHIP_ADD 3 ada',
      `GAME_RELATIONSHIP_REMOVE 3 ${id}`,
      'RELATIONSHIP_ADD 1 ada',
      `RELATIONSHIP_REMOVE 1 ${id}`,
    ]);
    expect((await eventsOf(mine)).toSorted()).toEqual([
      'GAME_RELATIONSHIP_ADD 4 grace',
      'RELATIONSHIP_ADD 1 grace',
      `RELATIONSHIP_REMOVE 4 ${id}`,
      'RELATIONSHIP_REMOVE 4 edsger',
    ]);
  });

  it('leave a copy of the friends with the new account when they are separated', async () => {
    await mergeByBot(service, 'somebody', ada);
    const stranger = await Player.of(service, 'barbara', { game: games.moonrise });
    const blocker = await Player.of(service, 'edsger');
    for (const friend of [other, stranger]) {
      await alone.result('PUT', `${full}/${friend.id}`, {});
      await friend.result('PUT', `${full}/${ada}`, {});
    }
    await alone.result('PUT', `${game}/${grace}`, {});
    await other.result('PUT', `${game}/${ada}`, {});
    await blocker.result('PUT', `${full}/${ada}`, { type: 2 });
    const answer = await callApi(service, 'POST', '/partner-sdk/provisional-accounts/unmerge/bot', {
      external_user_id: 'somebody',
    });
    expect(answer.status).toBe(204);
    const { access_token, id } = await provisional('somebody');
    const separate = new Player(service, id, access_token);
    expect(await listsOf(separate)).toEqual(['full 1 grace', 'game 1 grace']);
    // The full account's authorization of the game has ended.
    await expect.poll(() => listsOf(other)).toEqual(['full 1 ada', `full 1 ${id}`, `game 1 ${id}`]);
    expect(await listsOf(stranger)).toEqual(['full 1 ada']);
    expect(await listsOf(blocker)).toEqual(['full 2 ada', `full 2 ${id}`]);
  });

  it('keep their friends when the game’s authorization ends, and get no requests in the game', async () => {
    await alone.result('PUT', `${full}/${grace}`, {});
    await other.result('PUT', `${full}/${ada}`, {});
    await alone.result('PUT', `${game}/${grace}`, {});
    await other.result('DELETE', `${game}/${ada}`);
    const session = await other.connect();
    const form = new URLSearchParams({ token: other.token, client_id: games.starfall });
    await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body: form });
    await session.closed;
    expect(await listsOf(alone)).toEqual(['full 1 grace']);
    expect(await alone.result('PUT', `${game}/${grace}`, {})).toBe('400 80009');
  });
});

describe('an authorization that is withdrawn', () => {
  const revoke = ({ token }: Player, client_id: string = games.starfall) =>
    fetch(`${service.apiBase}/v10/oauth2/token/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id }),
    });
  const played = (client: GatewayClient, name: string) =>
    seen(client, name).map(([, { has_played_game }]) => has_played_game);

  it('hides the relationships in the game until it is given again', async () => {
    const third = await Player.of(service, 'edsger');
    await alone.result('PUT', `${game}/${grace}`, {});
    await other.result('PUT', `${game}/${ada}`, {});
    await third.result('PUT', `${game}/${grace}`, {});
    const own = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, grace) });
    const client = await alone.connect();
    const playing = await other.connect();
    await revoke(other);
    await playing.closed;
    for (const session of [client, own])
      await session.until(() => seen(session, 'GAME_RELATIONSHIP_REMOVE').length > 0);
    expect(await eventsOf(client)).toEqual(['GAME_RELATIONSHIP_REMOVE 1 grace']);
    await own.until(() => seen(own, 'GAME_RELATIONSHIP_REMOVE').length === 2);
    expect((await eventsOf(own)).toSorted()).toEqual([
      'GAME_RELATIONSHIP_REMOVE 1 ada',
      'GAME_RELATIONSHIP_REMOVE 3 edsger',
    ]);
    expect(await listsOf(alone)).toEqual([]);
    expect(await listsOf(third)).toEqual([]);
    const ready = (await alone.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready;
    expect(ready.game_relationships).toEqual([]);
    for (const player of [alone, third]) {
      expect(await player.result('PUT', `${game}/${grace}`, {})).toBe('400 80009');
      expect(await player.result('POST', game, { username: 'grace' })).toBe('400 80009');
    }
    expect(await third.result('DELETE', `${game}/${grace}`)).toBe('204');
    expect(await alone.result('POST', `/users/${grace}/messages`, { content: 'Hello' })).toMatch('403 50278');
    const again = await Player.of(service, 'grace');
    await client.until(() => seen(client, 'GAME_RELATIONSHIP_ADD').length > 0);
    expect(await eventsOf(client)).toEqual(['GAME_RELATIONSHIP_REMOVE 1 grace', 'GAME_RELATIONSHIP_ADD 1 grace']);
    expect(await listsOf(alone)).toEqual(['game 1 grace']);
    expect(await listsOf(again)).toEqual(['game 1 ada']);
    const back = await again.connect();
    await client.until(() => seen(client, 'PRESENCE_UPDATE').some(([, { status }]) => status === 'online'));
    expect(await alone.result('PUT', `${game}/${grace}`, {})).toBe('400 80007');
    await back.end();
  });

  it('leaves relationships visible while another game of the publisher is authorized', async () => {
    const [first, second] = await Promise.all(
      [games.first, games.second].map(id => Player.of(service, 'grace', { game: id })),
    );
    const friend = await Player.of(service, 'ada', { game: games.first });
    await friend.result('PUT', `${game}/${grace}`, {});
    await first?.result('PUT', `${game}/${ada}`, {});
    const client = await friend.connect();
    if (first) await revoke(first, games.first);
    expect(await listsOf(friend)).toEqual(['game 1 grace']);
    if (second) await revoke(second, games.second);
    await client.until(() => seen(client, 'GAME_RELATIONSHIP_REMOVE').length > 0);
    expect(await listsOf(friend)).toEqual([]);
  });

  it('still counts as having played the game, wherever that is shown', async () => {
    const elsewhere = await Player.of(service, 'ada', { game: games.moonrise });
    await revoke(other);
    const [client, away] = [await alone.connect(), await elsewhere.connect()];
    const own = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada) });
    const otherGame = await Player.of(service, 'grace', { game: games.first });
    await alone.result('PUT', `${full}/${grace}`, {});
    await otherGame.result('PUT', `${full}/${ada}`, {});
    const playing = await otherGame.connect();
    for (const session of [client, away, own])
      await session.until(() => seen(session, 'RELATIONSHIP_ADD').length === 2);
    expect(played(client, 'RELATIONSHIP_ADD')).toEqual([true, true]);
    expect(played(away, 'RELATIONSHIP_ADD')).toEqual([false, false]);
    expect(played(own, 'RELATIONSHIP_ADD')).toEqual([undefined, undefined]);
    for (const [player, expected] of [
      [alone, true],
      [elsewhere, false],
    ] as const) {
      expect((await player.call('GET', full)).body).toMatchObject([{ has_played_game: expected }]);
      expect((await player.call('GET', '/presences')).body).toMatchObject({
        presences: [{ has_played_game: expected }],
      });
      const plain = (await player.connect()).frames.find(({ t }) => t === 'READY')?.d as Ready;
      expect(plain.relationships).toMatchObject([{ has_played_game: expected }]);
      expect(plain.presences).toMatchObject([{ has_played_game: expected }]);
      const apart = await (await player.connect({ apart: true })).dispatch('READY_SUPPLEMENTAL');
      expect(apart).toMatchObject({ merged_presences: { friends: [{ has_played_game: expected }] } });
    }
    await playing.end();
    const here = await (await Player.of(service, 'grace')).connect();
    await client.until(() => seen(client, 'PRESENCE_UPDATE').some(([, { status }]) => status === 'online'));
    expect(played(client, 'PRESENCE_UPDATE').at(-1)).toBe(true);
    expect(played(away, 'PRESENCE_UPDATE').at(-1)).toBeUndefined();
    await here.end();
  });
});

describe('limits', () => {
  it('allow 1,000 friends and 5,000 blocked users, also when requests are accepted at the same time', async () => {
    const crowd = Array.from({ length: 5_001 }, (_, at) => String(200_000_000_000_000_000n + BigInt(at)));
    const friends = crowd.slice(0, 999).map(id => ({ users: [ada, id] as const, type: 'friend' as const }));
    const blocked = crowd.slice(0, 4_999).map(id => ({ users: [grace, id] as const, type: 'block' as const }));
    await postFixtures(service, {
      users: crowd.map(id => ({ id })),
      relationships: [
        ...friends,
        ...blocked,
        { users: [edsger, ada], type: 'request' },
        { users: [userIds.radia, ada], type: 'request' },
      ],
    });
    const results = await Promise.all(
      [edsger, userIds.radia].map(id => alone.result('PUT', `${full}/${id}`, { type: 1 })),
    );
    expect(results.toSorted()).toEqual(['204', '400 30002']);
    expect(await alone.result('POST', full, { username: 'barbara' })).toBe('400 30002');
    expect(await alone.result('DELETE', `${full}/${crowd[0]}`)).toBe('204');
    expect(await alone.result('POST', full, { username: 'barbara' })).toBe('204');
    expect(await other.result('PUT', `${full}/${crowd[4_999]}`, { type: 2 })).toBe('204');
    expect(await other.result('PUT', `${full}/${crowd[5_000]}`, { type: 2 })).toBe('400 30059');
    expect(await other.result('PUT', `${full}/${crowd[0]}`, { type: 2 })).toBe('204');
  });

  it('slow down a user who sends requests too fast', async () => {
    const limited = await startService({ fixtures: socialWorld });
    const player = await Player.of(limited, 'ada');
    for (let sent = 0; sent < 30; sent++) expect(await player.result('PUT', `${full}/${grace}`, {})).toBe('204');
    const answer = await player.call('POST', game, { username: 'grace' });
    expect(answer).toMatchObject({ status: 429, body: { retry_after: expect.any(Number) } });
    expect(await player.result('DELETE', `${full}/${grace}`)).toBe('204');
    await limited.close();
  });
});

describe('fixtures', () => {
  it('say what users are to each other, and whether they accept requests', async () => {
    const world = await startService({
      fixtures: {
        ...socialWorld,
        relationships: [
          { users: [ada, grace], type: 'friend' },
          { users: [ada, grace], type: 'friend', application_id: games.first },
          { users: [edsger, ada], type: 'request' },
          { users: [ada, userIds.radia], type: 'block' },
        ],
        social_settings: [{ user_id: userIds.barbara, accept_friend_requests: false }],
      },
      limits: 'off',
    });
    for (const reset of [false, true]) {
      if (reset) await world.reset();
      const player = await Player.of(world, 'ada', { game: games.second });
      expect(await listsOf(player)).toEqual(['full 1 grace', 'full 3 edsger', 'full 2 radia', 'game 1 grace']);
      expect(await player.result('POST', full, { username: 'barbara' })).toBe('400 80000');
      await player.result('DELETE', `${full}/${grace}`);
    }
    await world.close();
  });

  it('are stored as a whole, or not at all', async () => {
    const crowd = Array.from({ length: 1_001 }, (_, at) => String(300_000_000_000_000_000n + BigInt(at)));
    const users = crowd.map(id => ({ id }));
    const friends = crowd.map(id => ({ users: [ada, id] as const, type: 'friend' as const }));
    const direct_messages = [{ author_id: grace, recipient_id: ada, content: 'Hello' }];
    const blocks = crowd.slice(0, 3).map(id => ({ users: [grace, id] as const, type: 'block' as const }));
    const rejected = await postFixtures(service, { users, relationships: [...blocks, ...friends], direct_messages });
    expect(rejected).toMatchObject({ message: expect.stringContaining('relationships.1003: must have at most 1000') });
    expect(await listsOf(alone)).toEqual([]);
    expect(await listsOf(other)).toEqual([]);
    expect(await alone.result('GET', `/users/@me/dms/${grace}`)).toBe('404 10003');
    expect(await alone.result('PUT', `${full}/${crowd[0]}`, {})).toBe('404 10013');
    const rest = friends.slice(1);
    await postFixtures(service, { users, relationships: [...blocks, ...rest], direct_messages });
    expect(await listsOf(alone)).toHaveLength(1_000);
    expect(await listsOf(other)).toHaveLength(3);
    expect(await alone.result('GET', `/users/@me/dms/${grace}`)).toBe('200');
    // The same pair in several entries: the later ones decide.
    const pair = { users: [ada, crowd[1] ?? ''] as const };
    await postFixtures(service, {
      relationships: [
        { ...pair, type: 'friend', application_id: games.starfall },
        { ...pair, type: 'block' },
        { ...pair, type: 'request' },
      ],
    });
    expect(await listsOf(alone)).toContainEqual(`full 4 ${crowd[1]}`);
  });
});

/** The token and the id of Starfall's provisional account for somebody. */
async function provisional(name: string): Promise<{ access_token: string; id: string }> {
  const { access_token } = await botIssuedToken(service, name);
  const { body } = await callApi(service, 'GET', '/users/@me', undefined, { authorization: `Bearer ${access_token}` });
  return { access_token, id: (body as { id: string }).id };
}
