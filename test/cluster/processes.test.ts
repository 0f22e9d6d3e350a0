import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intents } from '../../src/model/gateway.ts';
import { type NodeProcess, TestCluster } from '../support/cluster/test-cluster.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const [ada] = starfall.users;

describe.skipIf(engines.missing)(`nodes as processes${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(0);
  });
  afterAll(() => cluster?.close());

  const mapsOf = (client: GatewayClient) =>
    client.frames.flatMap(({ t, d }) => {
      const { metadata } = (d ?? {}) as { metadata?: { n?: string } };
      return t === 'LOBBY_UPDATE' && metadata?.n !== undefined ? [Number(metadata.n)] : [];
    });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'resume sessions of a node that ended by %s, and miss nothing',
    async signal => {
      const [a, b] = await Promise.all([cluster.spawn(starfall), cluster.spawn(starfall)]);
      const token = `Bearer ${await playerToken(a.ready, ada.id)}`;
      const { id } = (await callApi(b.ready, 'POST', '/lobbies', {})).body as { id: string };
      await callApi(b.ready, 'PUT', `/lobbies/${id}/members/${ada.id}`, {});
      const client = await GatewayClient.identified(a.ready.gateway, { token, intents: intents.LOBBIES });
      let n = 0;
      const change = async (node: NodeProcess) => {
        n++;
        const { status } = await callApi(node.ready, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });
        expect(status).toBe(200);
      };
      for (let at = 0; at < 5; at++) await change(b);
      await client.frame(() => mapsOf(client).at(-1) === n);
      const seen = mapsOf(client);
      const code = await a.end(signal);
      if (signal === 'SIGTERM') expect(code).toBe(0);
      await client.closed;
      for (let at = 0; at < 5; at++) await change(b);
      const resumed = await GatewayClient.resumed(b.ready.gateway, token, client);
      await resumed.dispatch('RESUMED');
      await change(b);
      await resumed.frame(() => mapsOf(resumed).at(-1) === n);
      expect([...seen, ...mapsOf(resumed)]).toEqual(Array.from({ length: n }, (_, at) => at + 1));
      const { members } = (await callApi(b.ready, 'GET', `/lobbies/${id}`)).body as { members: object[] };
      expect(members).toHaveLength(1);
      await resumed.end();
      await b.end();
    },
    60_000,
  );
});
