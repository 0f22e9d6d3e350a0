import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GuildMembersChunk, intents, opcodes } from '../../../../src/model/gateway.ts';
import type { Guild } from '../../../../src/model/guild.ts';
import type { Presence } from '../../../../src/model/presence.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../../support/service/tokens.ts';

const crowd = Array.from({ length: 2100 }, (_, n) => ({ id: String(5000 + n), username: `member${n}` }));
const crowded = '700';
/** Of two shards the second serves it. */
const distant = String(1 << 22);
const fixtures = {
  applications: [
    ...starfall.applications,
    { id: '2', name: 'Watcher', owner_id: starfall.users[0].id, bot_token: 'watcher-token' },
  ],
  users: [...starfall.users, ...crowd],
  guilds: [
    { ...starfall.guilds[0], applications: [starfall.applications[0].id, '2'] },
    {
      id: crowded,
      name: 'Crowd',
      owner_id: crowd[0]?.id ?? '',
      applications: [starfall.applications[0].id],
      members: crowd.map(({ id }) => ({ user_id: id })),
    },
    { id: '701', name: 'Elsewhere', owner_id: crowd[0]?.id ?? '', applications: [] },
    { id: distant, name: 'Distant', owner_id: crowd[0]?.id ?? '', applications: [starfall.applications[0].id] },
  ],
};
const bot = starfall.applications[0].bot_token;
const [ada, grace, edsger] = starfall.users;
const harbour = starfall.guilds[0].id;
const allIntents = intents.GUILDS | intents.GUILD_MEMBERS | intents.GUILD_PRESENCES;

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures, limits: 'standard', clock: 'virtual' });
});
afterEach(async () => {
  for (const client of clients.splice(0)) if (client.socket.readyState === client.socket.OPEN) await client.end();
  await service.clock.advance(60_000); // so that the next bot may identify, and all members be asked for
});
afterAll(() => service.close());

async function join(token: string, fields = {}): Promise<GatewayClient> {
  const client = await GatewayClient.identified(service.gateway, { token, ...fields });
  clients.push(client);
  await client.beat();
  return client;
}

/** As clients send it whose language has 64-bit integers. */
const askByNumbers = ({ socket }: GatewayClient, guild: string, users: readonly string[]) =>
  socket.send(`{"op":${opcodes.REQUEST_GUILD_MEMBERS},"d":{"guild_id":${guild},"user_ids":[${users.join(', ')}]}}`);
const ask = (client: GatewayClient, d: object) => client.send({ op: opcodes.REQUEST_GUILD_MEMBERS, d });
const chunks = ({ frames }: GatewayClient) =>
  frames.filter(({ t }) => t === 'GUILD_MEMBERS_CHUNK').map(({ d }) => d as GuildMembersChunk);
const names = (chunk: GuildMembersChunk | undefined) => chunk?.members.map(({ user }) => user.username);

async function answered(client: GatewayClient, d: object, count = 1): Promise<GuildMembersChunk[]> {
  ask(client, d);
  await client.until(() => chunks(client).length === count);
  return chunks(client);
}

describe('a request for guild members', () => {
  it('gets all of them in chunks of a thousand, each with the nonce', async () => {
    const client = await join(bot, { intents: allIntents });
    const all = await answered(client, { guild_id: crowded, query: '', limit: 0, nonce: 'once' }, 3);
    expect(all.map(({ members }) => members.length)).toEqual([1000, 1000, 101]);
    expect(
      all.map(({ chunk_index, chunk_count, nonce, guild_id }) => [chunk_index, chunk_count, nonce, guild_id]),
    ).toEqual([0, 1, 2].map(index => [index, 3, 'once', crowded]));
    const ids = new Set(all.flatMap(({ members }) => members.map(({ user }) => user.id)));
    expect(ids).toEqual(new Set([starfall.applications[0].id, ...crowd.map(({ id }) => id)]));
  });

  it('finds them by the beginning of a name, up to the limit and never more than a hundred', async () => {
    const client = await join(bot, { intents: 0 });
    const [exact] = await answered(client, { guild_id: crowded, query: 'MEMBER2099', limit: 5 });
    expect(names(exact)).toEqual(['member2099']);
    const [, some] = await answered(client, { guild_id: crowded, query: 'member', limit: 7 }, 2);
    expect(some?.members).toHaveLength(7);
    const [, , many] = await answered(client, { guild_id: crowded, query: 'member', limit: 500 }, 3);
    expect(many?.members).toHaveLength(serviceLimits.gatewayMembersPerRequestMax);
    const [, , , none] = await answered(client, { guild_id: crowded, query: 'nobody', limit: 1 }, 4);
    expect(none).toMatchObject({ members: [], chunk_index: 0, chunk_count: 1 });
  });

  it('finds them by their ids, and names those who are no members', async () => {
    const client = await join(bot, { intents: 0 });
    const [chunk] = await answered(client, { guild_id: harbour, user_ids: [ada.id, edsger.id] });
    expect(names(chunk)).toEqual(['ada']);
    expect(chunk?.not_found).toEqual([edsger.id]);
    const [, one] = await answered(client, { guild_id: harbour, user_ids: grace.id }, 2);
    expect(names(one)).toEqual(['grace']);
  });

  it('loses no digit of ids that are numbers', async () => {
    const client = await join(bot, { intents: 0 });
    askByNumbers(client, harbour, [ada.id, edsger.id]);
    await client.dispatch('GUILD_MEMBERS_CHUNK');
    const [chunk] = chunks(client);
    expect([names(chunk), chunk?.not_found]).toEqual([['ada'], [edsger.id]]);
  });

  it('is answered to the shard that serves the guild, RATE_LIMITED included, and to no other', async () => {
    const client = await join(bot, { intents: allIntents, shard: [1, 2] });
    await answered(client, { guild_id: distant, query: '', limit: 0, nonce: 'here' });
    ask(client, { guild_id: distant, query: '', limit: 0, nonce: 'again' });
    expect(await client.dispatch('RATE_LIMITED')).toMatchObject({ meta: { nonce: 'again' } });
    ask(client, { guild_id: harbour, user_ids: [ada.id], nonce: 'elsewhere' });
    const [, last] = await answered(client, { guild_id: distant, user_ids: [], nonce: 'last' }, 2);
    expect(last?.nonce).toBe('last');
  });

  it('takes null for what is left out', async () => {
    const client = await join(bot, { intents: 0 });
    const nothing = { presences: null, nonce: null };
    const [byName] = await answered(client, { ...nothing, guild_id: harbour, query: 'ada', limit: 1, user_ids: null });
    expect(names(byName)).toEqual(['ada']);
    const byIds = { ...nothing, guild_id: harbour, query: null, limit: null, user_ids: [grace.id] };
    const [, named] = await answered(client, byIds, 2);
    expect(names(named)).toEqual(['grace']);
  });

  it('takes a nonce of 32 bytes, and ignores one of 33 or with a lone surrogate', async () => {
    const client = await join(bot, { intents: 0 });
    const request = { guild_id: harbour, user_ids: [] };
    const [kept] = await answered(client, { ...request, nonce: 'ä'.repeat(16) });
    expect(kept?.nonce).toBe('ä'.repeat(16));
    const [, dropped] = await answered(client, { ...request, nonce: `${'ä'.repeat(16)}x` }, 2);
    expect(dropped).not.toHaveProperty('nonce');
    const [, , half] = await answered(client, { ...request, nonce: '\ud800' }, 3);
    expect(half).not.toHaveProperty('nonce');
  });

  it('shows presences only to who asks for them and has the intent', async () => {
    const watched = await join('watcher-token', { intents: 0, presence: online('Hide') });
    expect(watched.names).toContain('READY');
    const request = { guild_id: harbour, user_ids: ['2'] };
    const seeing = await join(bot, { intents: allIntents });
    const [shown] = await answered(seeing, { ...request, presences: true });
    expect(shown?.presences).toMatchObject([{ user: { id: '2' }, status: 'online', activities: [{ name: 'Hide' }] }]);
    const [, unasked] = await answered(seeing, request, 2);
    expect(unasked).not.toHaveProperty('presences');
    await seeing.end();
    await service.clock.advance(5000);
    const blind = await join(bot, { intents: 0 });
    const [hidden] = await answered(blind, { ...request, presences: true });
    expect(hidden).not.toHaveProperty('presences');
  });

  it('gets no answer for a guild of others, of another shard, or all members without the intent', async () => {
    const client = await join(bot, { intents: intents.GUILDS, shard: [0, 2] });
    const other = [harbour, crowded].find(id => (BigInt(id) >> 22n) % 2n === 1n);
    ask(client, { guild_id: '701', query: 'a', limit: 1 });
    ask(client, { guild_id: '999999', query: 'a', limit: 1 });
    ask(client, { guild_id: crowded, query: '', limit: 0 });
    if (other !== undefined) ask(client, { guild_id: other, query: 'a', limit: 1 });
    await client.beat();
    await service.clock.advance(0);
    await client.beat();
    expect(chunks(client)).toEqual([]);
  });

  it('is limited to one for all members of a guild in 30 s; the next gets RATE_LIMITED', async () => {
    const client = await join(bot, { intents: allIntents });
    const request = { guild_id: harbour, query: '', limit: 0, nonce: 'n' };
    await answered(client, request);
    await service.clock.advance(10_000);
    ask(client, request);
    expect(await client.dispatch('RATE_LIMITED')).toEqual({
      opcode: opcodes.REQUEST_GUILD_MEMBERS,
      retry_after: 20,
      meta: { guild_id: harbour, nonce: 'n' },
    });
    await answered(client, { guild_id: crowded, query: '', limit: 0 }, 4);
    await service.clock.advance(20_000);
    await answered(client, request, 5);
  });

  it.each([
    {},
    { guild_id: 1.5, query: '', limit: 0 },
    { guild_id: harbour },
    { guild_id: harbour, query: '' },
    { guild_id: harbour, query: '', limit: -1 },
    { guild_id: harbour, query: 5, limit: 1 },
    { guild_id: harbour, query: '\ud800', limit: 1 },
    { guild_id: harbour, user_ids: ['x'] },
    { guild_id: harbour, user_ids: Array(serviceLimits.gatewayMembersPerRequestMax + 1).fill(ada.id) },
  ])('closes a malformed one with 4001: %j', async d => {
    const client = await join(bot, { intents: 0 });
    ask(client, d);
    expect((await client.closed).code).toBe(4001);
  });

  it('takes a hundred ids', async () => {
    const client = await join(bot, { intents: 0 });
    const [chunk] = await answered(client, {
      guild_id: harbour,
      user_ids: Array(serviceLimits.gatewayMembersPerRequestMax).fill(ada.id),
    });
    expect(chunk?.members.map(({ user }) => user.id)).toEqual([ada.id]);
  });
});

const online = (name: string, more = {}) => ({
  ...{ since: null, afk: false, status: 'online' as const },
  activities: [{ name, type: 0 }],
  ...more,
});
const set = (client: GatewayClient, d: object) => client.send({ op: opcodes.PRESENCE_UPDATE, d });

describe('a presence', () => {
  it('is sent to the bots of the guilds that have the intent, with what a bot may set, and its end too', async () => {
    const [seeing, blind] = [
      await join('watcher-token', { intents: allIntents }),
      await join(await sessionToken(service, ada.id)),
    ];
    const client = await join(bot, { intents: 0, presence: online('Hide', { status: 'idle' }) });
    expect(await seeing.dispatch('PRESENCE_UPDATE')).toEqual({
      user: { id: starfall.applications[0].id },
      guild_id: harbour,
      status: 'idle',
      activities: [{ name: 'Hide', type: 0, created_at: service.clock.now() }],
      client_status: { desktop: 'idle' },
    });
    set(client, {
      ...online('Seek'),
      activities: [{ name: 'Seek', type: 1, url: 'https://x', details: 'not a bot’s' }],
    });
    const updates = () => seeing.frames.filter(({ t }) => t === 'PRESENCE_UPDATE').map(({ d }) => d);
    await seeing.until(() => updates().length === 2);
    expect(updates()[1]).toMatchObject({ activities: [{ name: 'Seek', type: 1, url: 'https://x' }] });
    expect(JSON.stringify(updates()[1])).not.toContain('details');
    set(client, online('Hide', { status: 'invisible' }));
    await seeing.until(() => updates().length === 3);
    expect(updates()[2]).toMatchObject({ status: 'offline', activities: [], client_status: {} });
    set(client, online('Hide'));
    await seeing.until(() => updates().length === 4);
    await client.end();
    await seeing.until(() => updates().length === 5);
    expect(updates()[4]).toMatchObject({ status: 'offline' });
    await blind.beat();
    expect(blind.names).toEqual(['READY']);
  });

  it('may have null for all but its status', async () => {
    const seeing = await join('watcher-token', { intents: allIntents });
    const nothing = { since: null, activities: null, afk: null };
    await join(bot, { intents: 0, presence: { status: 'dnd', ...nothing } });
    const shown = { user: { id: starfall.applications[0].id }, status: 'dnd', activities: [] };
    expect(await seeing.dispatch('PRESENCE_UPDATE')).toMatchObject(shown);
  });

  it('of a player may be a whole activity, without what is only ever sent', async () => {
    const seeing = await join('watcher-token', { intents: allIntents });
    const activity = {
      ...{ name: 'Starfall', type: 0, details: 'Harbour', state: 'In a party', status_display_type: 1 },
      ...{ timestamps: { start: 1 }, party: { id: 'party', size: [1, 4] }, assets: { large_image: 'map' } },
      instance: true,
    };
    const sent = { secrets: { join: 'secret' }, buttons: [{ label: 'Join', url: 'https://x' }] };
    const player = await join(`Bearer ${await playerToken(service, ada.id)}`, { presence: online('not allowed here') });
    set(player, { ...online(''), activities: [{ ...activity, ...sent }] });
    const { activities, ...shown } = await seeing.dispatch<Presence>('PRESENCE_UPDATE');
    expect(shown).toMatchObject({ user: { id: ada.id }, status: 'online' });
    expect(activities).toMatchObject([{ ...activity, flags: 1 | 2, buttons: ['Join'] }]);
    expect(activities[0]).not.toHaveProperty('secrets');
  });

  it('is in the guild that a bot with the intent is shown', async () => {
    await join('watcher-token', { intents: 0, presence: online('Hide') });
    const client = await join(bot, { intents: allIntents });
    const guilds = client.frames.filter(({ t }) => t === 'GUILD_CREATE').map(({ d }) => d as Guild);
    const seen = guilds.find(({ id }) => id === harbour)?.presences;
    expect(seen).toMatchObject([{ user: { id: '2' }, status: 'online' }]);
  });

  it('counts five times within 20 s; the sixth is ignored, and no connection is closed', async () => {
    const seeing = await join('watcher-token', { intents: allIntents });
    const client = await join(bot, { intents: 0 });
    for (let n = 1; n <= 6; n++) set(client, online(`Game ${n}`));
    await client.beat();
    await service.clock.advance(0);
    await seeing.beat();
    const seen = () =>
      seeing.frames
        .filter(({ t }) => t === 'PRESENCE_UPDATE')
        .map(({ d }) => (d as { activities: [{ name: string }] }).activities[0].name);
    expect(seen()).toEqual([1, 2, 3, 4, 5].map(n => `Game ${n}`));
    await service.clock.advance(20_000);
    set(client, online('Game 7'));
    await seeing.until(() => seen().at(-1) === 'Game 7');
  });

  it('has a name of up to 128 characters, also beyond 16 bits', async () => {
    const seeing = await join('watcher-token', { intents: allIntents });
    const client = await join(bot, { intents: 0 });
    set(client, online('😀'.repeat(128)));
    expect(await seeing.dispatch('PRESENCE_UPDATE')).toMatchObject({ activities: [{ name: '😀'.repeat(128) }] });
  });

  it.each([
    null,
    {},
    online('x', { status: 'away' }),
    online('x', { since: 'yesterday' }),
    online('x', { afk: 1 }),
    online('x', { activities: {} }),
    online('x', { activities: [null] }),
    online('x', { activities: [{ type: 0 }] }),
    online('x', { activities: [{ name: 'x' }] }),
    online(''),
    online('x'.repeat(129)),
    online('😀'.repeat(129)),
    online('x\ud800'),
    online('x', { activities: [{ name: 'x', type: 6 }] }),
    online('x', { activities: [{ name: 'x', type: 0, url: 5 }] }),
  ])('closes a malformed one with 4001: %j', async d => {
    const client = await join(bot, { intents: 0 });
    client.send({ op: opcodes.PRESENCE_UPDATE, d });
    expect((await client.closed).code).toBe(4001);
  });

  it.each([
    { buttons: [1, 2, 3].map(n => ({ label: `b${n}`, url: 'https://x' })) },
    { buttons: [{ label: '', url: 'https://x' }] },
    { buttons: [{ label: 'x'.repeat(33), url: 'https://x' }] },
    { buttons: [{ label: 'x', url: 'x'.repeat(513) }] },
    { party: { size: [1] } },
    { timestamps: { start: 'now' } },
    { flags: -1 },
    { emoji: 5 },
    { assets: [] },
    { state: 'ab\ud800' },
  ])("closes a player's malformed activity with 4001: %j", async more => {
    const client = await join(`Bearer ${await playerToken(service, grace.id)}`);
    set(client, online('', { activities: [{ name: 'x', type: 0, ...more }] }));
    expect((await client.closed).code).toBe(4001);
  });
});

describe('identifies', () => {
  it('of a bot continue one in 5 s; one too many gets an invalid session and may try again', async () => {
    await join(bot, { intents: 0 });
    const client = await GatewayClient.open(service.gateway);
    clients.push(client);
    const invalid = () => client.frames.filter(({ op }) => op === opcodes.INVALID_SESSION).length;
    client.identify({ token: bot });
    await client.beat();
    await service.clock.advance(4999);
    await client.beat();
    expect(invalid()).toBe(0);
    await service.clock.advance(1);
    await client.until(() => invalid() === 1);
    client.identify({ token: bot });
    await client.dispatch('READY');
    const { body } = await callApi(service, 'GET', '/gateway/bot');
    const { remaining, max_concurrency } = (body as { session_start_limit: Record<string, number> })
      .session_start_limit;
    expect(max_concurrency).toBe(serviceLimits.gatewayMaxConcurrency);
    await service.clock.advance(5000);
    await join(bot, { intents: 0 });
    const after = (await callApi(service, 'GET', '/gateway/bot')).body as typeof body;
    expect(after).toMatchObject({ session_start_limit: { remaining: (remaining ?? 0) - 1 } });
  });

  it('of players and of other bots do not count for it, and neither do resumes', async () => {
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    for (let n = 0; n < 3; n++) await join(token);
    await join('watcher-token', { intents: 0 });
    const client = await join(bot, { intents: 0 });
    client.socket.terminate();
    await client.closed;
    const back = await GatewayClient.resumed(service.gateway, bot, client);
    clients.push(back);
    await back.dispatch('RESUMED');
    expect(back.names).toEqual(['RESUMED']);
  });
});

describe('shards', () => {
  it('are needed above 2,500 guilds, and none may have more', async () => {
    const guilds = (count: number) =>
      // So spaced that they fall to the shards [n, 2] in turn.
      Array.from({ length: count }, (_, n) => ({
        id: String((BigInt(n + 1) << 22n) + 1n),
        owner_id: ada.id,
        applications: ['2'],
      }));
    const many = await startService({
      fixtures: {
        ...starfall,
        applications: fixtures.applications,
        guilds: guilds(serviceLimits.gatewayGuildsPerShardMax + 1),
      },
      limits: 'off',
    });
    const code = async (fields: object) => {
      const client = await GatewayClient.open(many.gateway);
      client.identify({ token: 'watcher-token', intents: 0, ...fields });
      return Promise.race([
        client.closed.then(({ code }) => code),
        client.dispatch('READY').catch(() => client.closed),
      ]);
    };
    expect(await code({})).toBe(4011);
    expect(await code({ shard: [0, 1] })).toBe(4011);
    for (const shard of [0, 1]) {
      const client = await GatewayClient.identified(many.gateway, { token: 'watcher-token', shard: [shard, 2] });
      const { guilds } = await client.dispatch<{ guilds: { id: string }[] }>('READY');
      expect(guilds).toHaveLength(1250 + shard);
      expect(guilds.every(({ id }) => Number((BigInt(id) >> 22n) % 2n) === shard)).toBe(true);
      await client.end();
    }
    const headers = { authorization: 'Bot watcher-token' };
    expect((await callApi(many, 'GET', '/gateway/bot', undefined, headers)).body).toMatchObject({ shards: 3 });
    await many.close();
  });

  it('receive events of their own guilds; shard 0 receives events outside guilds', async () => {
    const own = await startService({ fixtures, limits: 'off', clock: 'virtual' });
    const shards = await Promise.all(
      [0, 1].map(n => GatewayClient.identified(own.gateway, { token: bot, intents: intents.GUILDS, shard: [n, 2] })),
    );
    for (const shard of shards) await shard.beat();
    await own.clock.advance(0);
    const renamed = { guilds: [harbour, crowded].map(id => ({ id, name: `New ${id}` })) };
    const headers = { authorization: `Bearer ${own.controlToken}`, 'content-type': 'application/json' };
    await fetch(`${own.controlBase}/fixtures`, { method: 'POST', headers, body: JSON.stringify(renamed) });
    for (const shard of shards) await shard.beat();
    const heard = shards.map(({ frames }) =>
      frames.filter(({ t }) => t === 'GUILD_UPDATE').map(({ d }) => (d as { id: string }).id),
    );
    const served = (n: number) => [harbour, crowded].filter(id => Number((BigInt(id) >> 22n) % 2n) === n);
    expect(heard).toEqual([served(0), served(1)]);
    await own.close();
  });
});
