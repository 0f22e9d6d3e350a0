import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GuildMembersChunk, intents, opcodes } from '../../../../../src/model/gateway.ts';
import { type Service, startService } from '../../../../../src/service/index.ts';
import { packTerm, unpackTerm } from '../../../../support/gateway/etf-client.ts';
import { GatewayClient } from '../../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../../support/service/starfall.ts';
import { playerToken } from '../../../../support/service/tokens.ts';

const [{ bot_token: bot }] = starfall.applications;
const [ada, grace] = starfall.users;
const [{ id: harbour }] = starfall.guilds;
const etf = '?v=10&encoding=etf';

let service: Service;
const clients: GatewayClient[] = [];
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterEach(() => Promise.all(clients.splice(0).map(client => client.end())));
afterAll(() => service.close());

const open = async (query = etf) => {
  const client = await GatewayClient.open(service.gateway, query);
  clients.push(client);
  return client;
};

describe('a connection with encoding=etf', () => {
  it.each(['', '&compress=zlib-stream', '&compress=zstd-stream'])(
    'receives the same as one with JSON (%s)',
    async more => {
      const token = `Bearer ${await playerToken(service, ada.id)}`;
      const [terms, plain] = [await open(etf + more), await open('')];
      for (const client of [terms, plain]) {
        client.identify({ token, intents: intents.LOBBIES | intents.LOBBY_DELETE });
        await client.dispatch('READY');
        await client.beat();
      }
      const members = [{ id: ada.id, metadata: { id: '5', 7: 'x' } }, { id: grace.id }];
      const { body } = await callApi(service, 'POST', '/lobbies', { members });
      const { id } = body as { id: string };
      await Promise.all(
        Array.from({ length: 30 }, (_, n) => callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { ä: `${n}` } })),
      );
      await callApi(service, 'DELETE', `/lobbies/${id}`);
      for (const client of [terms, plain]) await client.dispatch('LOBBY_DELETE');
      const told = (client: GatewayClient) =>
        client.frames.filter(({ t }) => t?.startsWith('LOBBY_')).map(({ s: _, ...frame }) => frame);
      expect(told(terms)).toEqual(told(plain));
      expect(told(plain).length).toBeGreaterThanOrEqual(32);
    },
  );

  it('has names and words as atoms, and ids as integers', async () => {
    const client = await open();
    const raw: unknown[] = [];
    client.socket.on('message', data => raw.push(unpackTerm(data as Buffer)));
    client.identify({ token: bot });
    await client.dispatch('READY');
    const [ready] = raw as Map<{ atom: string }, unknown>[];
    expect([...(ready?.keys() ?? [])]).toEqual(['s', 'op', 't', 'd'].map(atom => ({ atom })));
    expect([...(ready?.values() ?? [])].slice(0, 3)).toEqual([1, 0, { atom: 'READY' }]);
    const named = (map: unknown, name: string) =>
      [...(map as Map<{ atom: string }, unknown>)].find(([{ atom }]) => atom === name)?.[1];
    const data = [...(ready?.values() ?? [])].at(-1);
    expect(named(named(data, 'application'), 'id')).toBe(BigInt(starfall.applications[0].id));
    expect(named(data, 'session_id')).toBe(client.sessionId);
  });

  it('takes lists of bytes for shards, and numbers for ids', async () => {
    const client = await open();
    client.identify({ token: bot, intents: intents.GUILDS | intents.GUILD_MEMBERS, shard: [0, 1] });
    expect(await client.dispatch('READY')).toMatchObject({ shard: [0, 1] });
    client.send({ op: opcodes.REQUEST_GUILD_MEMBERS, d: { guild_id: BigInt(harbour), user_ids: [BigInt(ada.id)] } });
    const chunk = await client.dispatch<GuildMembersChunk>('GUILD_MEMBERS_CHUNK');
    expect(chunk.members.map(({ user }) => user.id)).toEqual([ada.id]);
  });

  it('can be resumed from JSON, and the other way round', async () => {
    let client = await open('');
    client.identify({ token: bot });
    await client.dispatch('READY');
    const { sessionId } = client;
    for (const [query, seq] of [
      [etf, 1],
      ['', 2],
    ] as const) {
      await client.end(4000);
      client = await open(query);
      client.resume(bot, sessionId, seq);
      expect((await client.frame(({ t }) => t === 'RESUMED')).s).toBe(seq + 1);
    }
  });

  it('gets no payload compression, which is for JSON only', async () => {
    const client = await open();
    client.identify({ token: bot, compress: true });
    expect(await client.dispatch('READY')).toMatchObject({ v: 10 });
  });

  it.each([
    ['text', JSON.stringify({ op: opcodes.HEARTBEAT, d: null })],
    ['bytes that are no term', Buffer.from([131, 255])],
    ['names of fields that are atoms', Buffer.from('83740000000177026f706101', 'hex')],
    ['a term that is no frame', packTerm([1, 2])],
    [
      'a text that is not UTF-8',
      Buffer.concat([packTerm({ op: 1, d: 'ab' }).subarray(0, -2), Buffer.from('61ff', 'hex')]),
    ],
  ])('is closed with 4002 for %s', async (_, message) => {
    const client = await open();
    client.socket.send(message);
    expect((await client.closed).code).toBe(4002);
  });

  it('may send as many bytes as others', async () => {
    const client = await open();
    const heartbeat = (padding: number) => packTerm({ op: opcodes.HEARTBEAT, d: null, x: 'x'.repeat(padding) });
    const room = 4096 - heartbeat(0).length;
    client.socket.send(heartbeat(room));
    await client.frame(({ op }) => op === opcodes.HEARTBEAT_ACK);
    client.socket.send(heartbeat(room + 1));
    expect((await client.closed).code).toBe(4002);
  });
});
