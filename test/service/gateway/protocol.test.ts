import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { allIntents, closeCodes, intents, opcodes } from '../../../src/model/gateway.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { intakeLimits, runtimeLimits, serviceLimits } from '../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { tries } from '../../support/runs/tries.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';
import { playerToken, sessionToken } from '../../support/service/tokens.ts';

const bot = starfall.applications[0].bot_token;
const [ada] = starfall.users;
const intervalMs = serviceLimits.gatewayHeartbeatIntervalMs;

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(() => Promise.all(clients.splice(0).map(client => client.end())));
afterAll(() => service.close());

async function open(query?: string): Promise<GatewayClient> {
  const client = await GatewayClient.open(service.gateway, query);
  clients.push(client);
  return client;
}

async function identified(token: string, fields = {}): Promise<GatewayClient> {
  const client = await open();
  client.identify({ token, ...fields });
  await client.dispatch('READY');
  return client;
}

/** The code a connection ends with after these frames. */
async function codeAfter(...sent: (string | Buffer)[]): Promise<number> {
  const client = await open();
  for (const data of sent) client.socket.send(data);
  return (await client.closed).code;
}

const frame = (op: number, d: unknown = null) => JSON.stringify({ op, d });
const identify = (d: object) => frame(opcodes.IDENTIFY, { properties: {}, intents: 0, token: bot, ...d });

describe('opening a connection', () => {
  it.each(['?v=10&encoding=json', '/?v=10&encoding=json', '?v=9', '?v=6', '', '?v=10&compress=lz4'])(
    'says hello to %s',
    async query => {
      const client = await open(query);
      expect(client.frames).toEqual([{ op: opcodes.HELLO, d: { heartbeat_interval: intervalMs }, s: null, t: null }]);
    },
  );

  it.each([
    ['?v=5', 4012],
    ['?v=', 4012],
    ['?v=010', 4012],
    ['?v=11', 4012],
    ['?v=x', 4012],
    ['?v=10&encoding=xml', 4002],
  ])('closes %s with %i', async (query, code) => {
    expect(await new GatewayClient(service.gateway + query).closed).toMatchObject({ code });
  });

  it('answers 404 to an upgrade of any other path, and continues', async () => {
    for (const path of ['/', '/gatewayx', '/gateway/x', '//', '/api/v10/gateway']) {
      expect(await upgradeStatus(path), path).toBe(404);
    }
    await open();
  });

  // Java's client offers HTTP/2 with its first request.
  it.runIf('shouldUpgradeCallback' in createServer())('answers a request that offers another protocol', async () => {
    for (const protocol of ['h2c', 'TLS/1.0', 'h2c, websocket']) {
      const url = new URL(`${service.apiBase}/v10/gateway`);
      const { status } = await fetchWith(url, { connection: 'Upgrade, HTTP2-Settings', upgrade: protocol });
      expect([protocol, status]).toEqual([protocol, 200]);
    }
  });

  it.runIf('shouldUpgradeCallback' in createServer())(
    'answers methods other than GET as without the offer',
    async () => {
      const { hostname, port } = new URL(service.gateway);
      const fields = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 0', '', ''];
      const socket = connect(Number(port), hostname, () =>
        socket.write(['DELETE /api/v10/gateway HTTP/1.1', ...fields].join('\r\n')),
      );
      const [answer] = await once(socket, 'data');
      socket.destroy();
      expect(String(answer)).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nallow: GET, HEAD\r\n/);
    },
  );

  it.runIf('shouldUpgradeCallback' in createServer())('answers HTTP/1.0 as without the offer', async () => {
    const { hostname, port } = new URL(service.gateway);
    const fields = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const socket = connect(Number(port), hostname, () =>
      socket.write(['GET /gateway HTTP/1.0', ...fields, key, '', ''].join('\r\n')),
    );
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('closes a connection that is upgraded while it waits for answers', async () => {
    const { hostname, port } = new URL(service.gateway);
    const fields = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const asked = `GET /oauth2/authorize HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const upgrade = ['GET /gateway HTTP/1.1', 'Host: localhost', ...fields, key, '', ''].join('\r\n');
    const socket = connect(Number(port), hostname, () => socket.write(asked + upgrade));
    let answered = '';
    for await (const chunk of socket) answered += chunk;
    expect(answered).toBe('');
  });
});

/** Unlike `fetch`, with any headers. */
function fetchWith(url: URL, headers: Record<string, string>): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, answer => {
      answer.resume();
      resolve({ status: answer.statusCode });
    });
    sent.on('upgrade', answer => resolve({ status: answer.statusCode }));
    sent.on('error', reject);
    sent.end();
  });
}

function upgradeStatus(path: string): Promise<number | undefined> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const { port } = new URL(service.webBase);
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers }, answer => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('what is sent in', () => {
  it.each([
    ['text that is not JSON', '{"op"', 4002],
    ['JSON that is no frame', '[]', 4002],
    ['a binary message', Buffer.from('{"op":1,"d":null}'), 4002],
    ['an unknown opcode before identify', frame(99), 4003],
    ['a presence before identify', frame(opcodes.PRESENCE_UPDATE, {}), 4003],
    ['an identify without a payload', frame(opcodes.IDENTIFY), 4001],
    ['an identify without a token', frame(opcodes.IDENTIFY, { intents: 0 }), 4004],
    ['an unknown token', identify({ token: 'nobody' }), 4004],
    ['an unknown bearer', identify({ token: 'Bearer nobody' }), 4004],
    ['a bot without intents', identify({ intents: undefined }), 4013],
    ['intents that are text', identify({ intents: '0' }), 4013],
    ['negative intents', identify({ intents: -1 }), 4013],
    ['intents with an unknown bit', identify({ intents: 1 << 29 }), 4013],
    ['intents past 32 bits', identify({ intents: 2 ** 32 }), 4013],
    ['lobby intents of a bot', identify({ intents: intents.LOBBIES }), 4014],
    ['a shard that is its count', identify({ shard: [1, 1] }), 4010],
    ['a negative shard', identify({ shard: [-1, 1] }), 4010],
    ['a shard that is no pair', identify({ shard: [0] }), 4010],
    ['more shards than there may be', identify({ shard: [0, serviceLimits.gatewayShardsMax + 1] }), 4010],
  ])('closes after %s with its code', async (_, data, code) => {
    expect(await codeAfter(data)).toBe(code);
  });

  it('takes a frame of 4096 bytes and closes at 4097 with 4002', async () => {
    const padded = (bytes: number) => frame(opcodes.HEARTBEAT, 'x'.repeat(bytes - frame(opcodes.HEARTBEAT, '').length));
    const client = await open();
    client.socket.send(padded(serviceLimits.gatewayPayloadBytesMax));
    await client.frame(({ op }) => op === opcodes.HEARTBEAT_ACK);
    client.socket.send(padded(serviceLimits.gatewayPayloadBytesMax + 1));
    expect((await client.closed).code).toBe(4002);
    expect(await codeAfter(padded(1_000_000))).toBe(4002);
  });

  it('answers a heartbeat also before identify', async () => {
    const client = await open();
    await client.beat();
    expect(client.frames.at(-1)).toEqual({ op: opcodes.HEARTBEAT_ACK, d: null, s: null, t: null });
  });

  it('takes 120 frames within 60 s, identify and heartbeats among them, and closes at the 121st with 4008', async () => {
    const client = await identified(bot);
    for (let i = 2; i < serviceLimits.gatewaySendsPerMinute; i++) await client.beat();
    await service.clock.advance(30_000);
    await client.beat();
    await service.clock.advance(29_999);
    client.send({ op: opcodes.HEARTBEAT, d: null });
    expect((await client.closed).code).toBe(4008);
  });

  it('takes a message of 400 fragments and closes at 401 with 4002', async () => {
    const client = await open();
    const send = (count: number) => {
      const text = frame(opcodes.HEARTBEAT).padEnd(count);
      for (const [at, character] of [...text].entries()) client.socket.send(character, { fin: at === count - 1 });
    };
    send(intakeLimits.messagePiecesMax);
    await client.frame(({ op }) => op === opcodes.HEARTBEAT_ACK);
    send(intakeLimits.messagePiecesMax + 1);
    expect((await client.closed).code).toBe(4002);
  });

  it('counts pings and pongs like frames', async () => {
    const client = await open();
    for (let i = 0; i < serviceLimits.gatewaySendsPerMinute; i += 2) {
      const answered = new Promise(resolve => client.socket.once('pong', resolve));
      client.socket.pong();
      client.socket.ping();
      await answered;
    }
    client.socket.pong();
    expect((await client.closed).code).toBe(4008);
  });

  it('counts again after 60 s', async () => {
    const client = await identified(bot);
    for (let i = 1; i < serviceLimits.gatewaySendsPerMinute; i++) await client.beat();
    await service.clock.advance(60_000);
    await client.beat();
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('closes a second identify with 4005, also while the first is under way, and a resume too', async () => {
    expect(await codeAfter(identify({}), identify({}))).toBe(4005);
    const client = await identified(bot);
    client.send({ op: opcodes.RESUME, d: { token: bot, session_id: 'x', seq: 1 } });
    expect((await client.closed).code).toBe(4005);
  });

  it('answers a resume with an invalid session, after which the client identifies', async () => {
    const client = await open();
    client.send({ op: opcodes.RESUME, d: { token: bot, session_id: 'x', seq: 1 } });
    expect(await client.frame(({ op }) => op === opcodes.INVALID_SESSION)).toMatchObject({ d: false });
    client.identify({ token: bot });
    await client.dispatch('READY');
  });

  it('accepts guild voice and the like without effect, and closes an opcode that no client may send with 4001', async () => {
    const client = await identified(bot);
    for (const op of [4, 31, 43]) client.send({ op, d: {} });
    await client.beat();
    client.send({ op: opcodes.HELLO, d: {} });
    expect((await client.closed).code).toBe(4001);
  });

  it('never brings the service down, and ends in a documented code or not at all', async () => {
    const known = new Set<number>([1000, ...Object.values(closeCodes).map(({ code }) => code)]);
    const op = fc.oneof(fc.integer({ min: -1, max: 50 }), fc.constantFrom(1, 2, 3, 6, 8, 17, 42));
    const identity = fc.record(
      {
        token: fc.oneof(fc.constant(bot), fc.jsonValue()),
        intents: fc.oneof(fc.constantFrom(0, 1, allIntents), fc.jsonValue()),
        shard: fc.jsonValue(),
        capabilities: fc.jsonValue(),
        session_id: fc.jsonValue(),
        seq: fc.jsonValue(),
        presence: fc.jsonValue(),
        status: fc.constantFrom('online', 'x'),
        activities: fc.jsonValue(),
        guild_id: fc.oneof(fc.constant(starfall.guilds[0].id), fc.jsonValue()),
        query: fc.oneof(fc.constant(''), fc.jsonValue()),
        limit: fc.oneof(fc.constant(0), fc.jsonValue()),
        user_ids: fc.jsonValue(),
        compress: fc.jsonValue(),
        large_threshold: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ op, d: fc.oneof(fc.jsonValue(), identity), s: fc.jsonValue(), t: fc.jsonValue() })
        .map(value => JSON.stringify(value)),
    );
    const messages = fc.array(
      fc.oneof(
        text,
        fc.uint8Array().map(bytes => Buffer.from(bytes)),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(messages, fc.constantFrom('?v=10', '?compress=zlib-stream'), async (sent, query) => {
        const client = await GatewayClient.open(service.gateway, query);
        for (const message of sent) client.socket.send(message);
        client.socket.close(1000);
        expect(known).toContain((await client.closed).code);
      }),
      tries(150, 5_000),
    );
    await identified(bot);
  });
});

describe('silence', () => {
  it('closes a connection that has not identified within 10 s, and not a millisecond before', async () => {
    const client = await open();
    await service.clock.advance(runtimeLimits.gatewayIdentifyMs - 1);
    await client.beat();
    await service.clock.advance(1);
    expect((await client.closed).code).toBe(closeCodes.SESSION_TIMED_OUT.code);
  });

  it('closes a session after one and a half intervals without a frame, and not a millisecond before', async () => {
    const client = await identified(bot);
    await service.clock.advance(intervalMs * 1.5 - 1);
    await client.beat();
    await service.clock.advance(intervalMs * 1.5 - 1);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await service.clock.advance(1);
    expect((await client.closed).code).toBe(closeCodes.SESSION_TIMED_OUT.code);
  });
});

describe('identify', () => {
  it('gives a bot its READY and then its guilds', async () => {
    const client = await identified(bot, { intents: intents.GUILDS, shard: [0, 1] });
    const guild = starfall.guilds[0].id;
    const application = { id: starfall.applications[0].id, flags: (1 << 17) | (1 << 8) };
    expect(await client.dispatch('READY')).toEqual({
      v: 10,
      user: expect.objectContaining({ id: application.id, username: 'Starfall', bot: true }),
      guilds: [{ id: guild, unavailable: true }],
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      resume_gateway_url: service.gateway,
      application,
      shard: [0, 1],
      ...{ session_type: 'normal', private_channels: [], relationships: [], game_relationships: [] },
    });
    expect(await client.dispatch('GUILD_CREATE')).toMatchObject({ id: guild, member_count: 3, large: true });
    expect(client.frames.filter(({ op }) => op === 0).map(({ s }) => s)).toEqual([1, 2]);
  });

  it('lists the members for a bot with that intent', async () => {
    const client = await identified(bot, { intents: intents.GUILDS | intents.GUILD_MEMBERS });
    const guild = await client.dispatch<{ members: { user: { id: string } }[]; large: boolean }>('GUILD_CREATE');
    expect(guild.members.map(({ user }) => user.id)).toEqual([
      starfall.applications[0].id,
      ...starfall.guilds[0].members.map(({ user_id }) => user_id),
    ]);
    expect(guild.large).toBe(false);
  });

  it('sends no GUILD_CREATE without the GUILDS intent', async () => {
    const client = await identified(bot);
    await client.beat();
    expect(client.names).toEqual(['READY']);
  });

  it('gives each guild to one shard', async () => {
    const seen = await Promise.all(
      [0, 1, 2].map(async shard => {
        const client = await identified(bot, { shard: [shard, 3] });
        return (await client.dispatch<{ guilds: unknown[] }>('READY')).guilds.length;
      }),
    );
    expect(seen.toSorted()).toEqual([0, 0, 1]);
  });

  it('takes a bot token with its prefix', async () => {
    expect((await identified(`Bot ${bot}`)).names).toEqual(['READY']);
  });

  it('names to a player the scopes granted', async () => {
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    const client = await identified(token, { intents: intents.LOBBIES });
    expect(await client.dispatch('READY')).toMatchObject({
      user: { id: ada.id, username: 'ada' },
      scopes: ['sdk.social_layer'],
      guilds: [],
    });
  });

  it.each(['identify gateway.connect', 'identify voice', 'sdk.social_layer_presence'])(
    'takes a player with the scopes %s',
    async scope => {
      expect((await identified(`Bearer ${await playerToken(service, ada.id, scope)}`)).names[0]).toBe('READY');
    },
  );

  it.each(['identify', 'gateway.connect', 'voice', 'identify lobbies.write'])(
    'closes a player with the scopes %s alone with 4004',
    async scope => {
      const token = `Bearer ${await playerToken(service, ada.id, scope)}`;
      expect(await codeAfter(identify({ token }))).toBe(4004);
      expect(await codeAfter(frame(opcodes.RESUME, { token, session_id: 'x', seq: 1 }))).toBe(4004);
    },
  );

  it("takes a user's own client without intents", async () => {
    const client = await identified(await sessionToken(service, ada.id), { intents: undefined });
    expect(await client.dispatch('READY')).toMatchObject({ user: { id: ada.id } });
  });

  it('counts the identifies of a day, and closes the one after the last with 4008', async () => {
    const dayMs = 86_400_000;
    const buckets = { 'gateway-identify': { requests: 3, windowMs: dayMs } };
    const limitsOfThree = { name: 'standard', asOf: '2026-11-20', buckets } as const;
    const limited = await startService({ fixtures: starfall, limits: limitsOfThree, clock: 'virtual' });
    const remaining = async () => {
      const { body } = await callApi(limited, 'GET', '/gateway/bot');
      return (body as { session_start_limit: object }).session_start_limit;
    };
    expect(await remaining()).toMatchObject({ total: 3, remaining: 3, max_concurrency: 1 });
    for (let i = 0; i < 3; i++) await GatewayClient.identified(limited.gateway, { token: bot });
    expect(await remaining()).toEqual({ total: 3, remaining: 0, reset_after: dayMs, max_concurrency: 1 });
    const refused = await GatewayClient.open(limited.gateway);
    refused.identify({ token: bot });
    expect((await refused.closed).code).toBe(4008);
    await limited.clock.advance(dayMs);
    expect(await remaining()).toMatchObject({ remaining: 3 });
    await limited.close();
  });
});

describe('the end', () => {
  it('asks every client to come back, closes with 1001 and takes no more', async () => {
    const ending = await startService({ fixtures: starfall, limits: 'off' });
    const client = await GatewayClient.identified(ending.gateway, { token: bot });
    await ending.close();
    expect((await client.closed).code).toBe(1001);
    expect(client.frames.at(-1)).toEqual({ op: opcodes.RECONNECT, d: null, s: null, t: null });
  });

  it('does not wait for a client that never answers the close', async () => {
    const ending = await startService({ fixtures: starfall, limits: 'off' });
    const client = await GatewayClient.identified(ending.gateway, { token: bot });
    client.socket.pause();
    await expect(ending.close()).resolves.toBeUndefined();
    client.socket.terminate();
  });

  it('ends every session when the state is reset', async () => {
    const resetting = await startService({ fixtures: starfall, limits: 'off' });
    const client = await GatewayClient.identified(resetting.gateway, { token: bot });
    await resetting.reset();
    expect((await client.closed).code).toBe(closeCodes.SESSION_TIMED_OUT.code);
    await GatewayClient.identified(resetting.gateway, { token: bot });
    await resetting.close();
  });
});
