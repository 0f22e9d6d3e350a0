import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { intents } from '../../src/model/gateway.ts';
import type { Lobby } from '../../src/model/lobby.ts';
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
      // A session can go on elsewhere as soon as its client knows it.
      const late = await GatewayClient.identified(a.ready.gateway, { token, intents: intents.LOBBIES });
      const code = await a.end(signal);
      if (signal === 'SIGTERM') expect(code).toBe(0);
      await client.closed;
      for (let at = 0; at < 5; at++) await change(b);
      const resumed = await GatewayClient.resumed(b.ready.gateway, token, client);
      await resumed.dispatch('RESUMED');
      const resumedLate = await GatewayClient.resumed(b.ready.gateway, token, late);
      await resumedLate.dispatch('RESUMED');
      const metrics = await (await fetch(`${b.ready.webBase}/metrics`)).text();
      expect(metrics).toMatch(/rallypoint_gateway_takeovers_total 2\n/);
      await change(b);
      await resumed.frame(() => mapsOf(resumed).at(-1) === n);
      expect([...seen, ...mapsOf(resumed)]).toEqual(Array.from({ length: n }, (_, at) => at + 1));
      const { members } = (await callApi(b.ready, 'GET', `/lobbies/${id}`)).body as { members: object[] };
      expect(members).toHaveLength(1);
      expect(mapsOf(resumedLate)).toEqual(mapsOf(resumed));
      await Promise.all([resumed.end(), resumedLate.end()]);
      await b.end();
    },
    60_000,
  );

  it('end by the deadline while neither engine answers', async () => {
    const node = await cluster.spawn(starfall, '--drain-timeout', '1');
    await callApi(node.ready, 'POST', '/lobbies', {});
    cluster.postgres.freeze();
    cluster.redis.freeze();
    onTestFinished(() => {
      cluster.postgres.proceed();
      cluster.redis.proceed();
    });
    const startedMs = performance.now();
    expect(await node.end()).toBe(0);
    // With some time for a busy machine.
    expect(performance.now() - startedMs).toBeLessThan(1600);
  }, 60_000);

  it('deliver the webhook events of a node that was killed', async () => {
    const events = createServer().listen(0, '127.0.0.1');
    await once(events, 'listening');
    onTestFinished(() => void events.close());
    const received: string[] = [];
    let status = 500;
    const refused = Promise.withResolvers<void>();
    const accepted = Promise.withResolvers<void>();
    events.on('request', async (request, response) => {
      const { event } = JSON.parse(await text(request));
      received.push(event.data.content);
      response.writeHead(status).end();
      (status === 500 ? refused : accepted).resolve();
    });
    const { port } = events.address() as AddressInfo;
    const [a, b] = await Promise.all([cluster.spawn(starfall), cluster.spawn(starfall)]);
    const { body } = await callApi(a.ready, 'POST', '/lobbies', {
      members: [{ id: ada.id }],
      override_event_webhooks_url: `http://127.0.0.1:${port}/`,
    });
    const token = `Bearer ${await playerToken(a.ready, ada.id)}`;
    await callApi(
      a.ready,
      'POST',
      `/lobbies/${(body as Lobby).id}/messages`,
      { content: 'Hello' },
      {
        authorization: token,
        'content-type': 'application/json',
      },
    );
    await refused.promise;
    // The node has no claim on the event once it has recorded the refusal, in the lobby's scope.
    const log = async () =>
      JSON.stringify(await (await fetch(`${a.ready.controlBase}/log`, { headers: operator })).json());
    const operator = { authorization: `Bearer ${a.ready.controlToken}` };
    await expect.poll(log).toContain('"outcome":"retry"');
    await callApi(a.ready, 'PATCH', `/lobbies/${(body as Lobby).id}`, { metadata: { refused: 'yes' } });
    await a.end('SIGKILL');
    status = 204;
    await accepted.promise;
    expect(new Set(received)).toEqual(new Set(['Hello']));
    await b.end();
  }, 60_000);
});
