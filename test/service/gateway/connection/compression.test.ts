import { once } from 'node:events';
import { connect } from 'node:net';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { closeCodes, intents, opcodes } from '../../../../src/model/gateway.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { tries } from '../../../support/runs/tries.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [{ bot_token: bot }] = starfall.applications;
const [ada] = starfall.users;

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(() => Promise.all(clients.splice(0).map(client => client.end())));
afterAll(() => service.close());

describe.each(['zlib-stream', 'zstd-stream'])('a connection with %s', compress => {
  const query = `?v=10&encoding=json&compress=${compress}`;

  it('receives the same as one without, every message whole', async () => {
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    const identify = { token, intents: intents.LOBBIES | intents.LOBBY_DELETE };
    const [compressed, plain] = [
      await GatewayClient.open(service.gateway, query),
      await GatewayClient.open(service.gateway),
    ];
    clients.push(compressed, plain);
    for (const client of [compressed, plain]) {
      client.identify(identify);
      await client.dispatch('READY');
      await client.beat();
    }
    const { body } = await callApi(service, 'POST', '/lobbies', { members: [{ id: ada.id }] });
    const { id } = body as { id: string };
    const edits = Array.from({ length: 30 }, (_, n) => ({ metadata: { text: 'ä😀x'.repeat(n * 4) } }));
    await Promise.all(edits.map(edit => callApi(service, 'PATCH', `/lobbies/${id}`, edit)));
    await callApi(service, 'DELETE', `/lobbies/${id}`);
    for (const client of [compressed, plain]) await client.dispatch('LOBBY_DELETE');
    const told = (client: GatewayClient) =>
      client.frames.filter(({ t }) => t?.startsWith('LOBBY_')).map(({ s: _, ...frame }) => frame);
    expect(told(compressed)).toEqual(told(plain));
    expect(told(plain)).toHaveLength(32);
  });

  it('is one stream from its first byte on, for whatever comes before and after the session', async () => {
    const client = await GatewayClient.open(service.gateway, query);
    clients.push(client);
    await client.beat();
    await client.beat();
    client.identify({ token: bot });
    await client.dispatch('READY');
    await client.beat();
    service.faults.add({ kind: 'invalid_session', resumable: false });
    await client.frame(({ op }) => op === opcodes.INVALID_SESSION);
    client.identify({ token: bot });
    await client.until(() => client.names.filter(name => name === 'READY').length === 2);
    expect(client.frames.filter(({ op }) => op === opcodes.HEARTBEAT_ACK)).toHaveLength(3);
  });

  it('receives the close reason after all earlier frames', async () => {
    const client = await GatewayClient.open(service.gateway, query);
    for (let n = 0; n < 20; n++) client.send({ op: opcodes.HEARTBEAT, d: null });
    client.send({ op: 99 });
    expect((await client.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    await expect.poll(() => client.frames.filter(({ op }) => op === opcodes.HEARTBEAT_ACK).length).toBe(20);
  });

  it('can be resumed, with another compression or none', async () => {
    const client = await GatewayClient.open(service.gateway, query);
    client.identify({ token: bot });
    await client.dispatch('READY');
    await client.beat();
    client.socket.terminate();
    await client.closed;
    const back = await GatewayClient.resumed(service.gateway, bot, client, '?v=10');
    await back.dispatch('RESUMED');
    back.socket.terminate();
    const again = await GatewayClient.open(service.gateway, query);
    clients.push(again);
    again.resume(bot, client.sessionId, client.sequence);
    await again.dispatch('RESUMED');
    expect([back.names, again.names]).toEqual([['RESUMED'], ['RESUMED']]);
  });
});

describe('a client that asks for compressed payloads', () => {
  const large = new Set(['READY', 'GUILD_CREATE']);

  it('gets the large ones compressed, each on its own, also when it resumes', async () => {
    const kinds: [string, boolean][] = [];
    const client = await GatewayClient.open(service.gateway);
    const watch = (one: GatewayClient) => {
      let seen = 0;
      one.socket.on('message', (_, isBinary) => kinds.push([one.frames[seen++]?.t ?? '', isBinary]));
    };
    const frames = (one: GatewayClient) => one.frames.filter(({ op }) => op === opcodes.DISPATCH).length;
    client.identify({ token: bot, intents: intents.GUILDS, compress: true });
    client.frames.length = 0;
    watch(client);
    await client.until(() => frames(client) === 2);
    client.socket.terminate();
    await client.closed;
    const back = await GatewayClient.open(service.gateway);
    clients.push(back);
    back.frames.length = 0;
    watch(back);
    back.resume(bot, client.sessionId, 1);
    await back.dispatch('RESUMED');
    expect(kinds).toEqual([
      ['READY', true],
      ['GUILD_CREATE', true],
      ['GUILD_CREATE', true],
      ['RESUMED', false],
    ]);
    expect(kinds.every(([name, isBinary]) => large.has(name) === isBinary)).toBe(true);
  });

  it('gets it only once where the whole connection is compressed', async () => {
    const client = await GatewayClient.open(service.gateway, '?v=10&compress=zlib-stream');
    clients.push(client);
    client.identify({ token: bot, compress: true });
    expect(await client.dispatch('READY')).toMatchObject({ v: 10 });
  });
});

describe('compressed rubbish', () => {
  it('ends with 4002, because clients send text', async () => {
    const good = JSON.stringify({ op: opcodes.HEARTBEAT, d: null });
    const rubbish = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 4000 }),
      fc.constant(deflateSync(good)),
      fc.constant(deflateSync('x'.repeat(1_000_000))),
      fc.uint8Array({ maxLength: 100 }).map(bytes => Buffer.concat([deflateSync(good).subarray(0, 8), bytes])),
    );
    const query = fc.constantFrom('', '?compress=zlib-stream', '?compress=zstd-stream', '?compress=zlib-stream&v=9');
    await fc.assert(
      fc.asyncProperty(rubbish, query, async (bytes, query) => {
        const socket = new WebSocket(service.gateway + query);
        socket.on('open', () => socket.send(bytes, { binary: true }));
        const code = await new Promise(resolve => socket.on('close', resolve));
        expect(code).toBe(closeCodes.DECODE_ERROR.code);
      }),
      tries(60, 3_000),
    );
  });
});

it.each(['zlib-stream', 'zstd-stream'])(
  '300 connections with %s that have not identified take no memory for compression',
  async compress => {
    const { port } = new URL(service.gateway);
    const before = process.memoryUsage.rss();
    const silent = Array.from({ length: 300 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      const key = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13';
      const head = `host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${key}`;
      socket.write(`GET /gateway?compress=${compress} HTTP/1.1\r\n${head}\r\n\r\n`);
      await once(socket, 'data');
      return socket;
    });
    const sockets = await Promise.all(silent);
    // Both ends are in this process. A compressor takes 80 KiB at least, and with zstd's defaults ten times as much.
    expect((process.memoryUsage.rss() - before) / sockets.length).toBeLessThan(75 * 1024);
    for (const socket of sockets) socket.destroy();
  },
);
