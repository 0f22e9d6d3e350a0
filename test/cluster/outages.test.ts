import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import type { Service } from '../../src/service/index.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const [ada] = starfall.users;
const [app] = starfall.applications;

const callMsMax = 10_000;
const recoveryMsMax = 15_000;
/** How long an engine is away. */
const awayMs = 3000;

interface Observed {
  readonly what: string;
  readonly status: number;
  readonly ms: number;
  readonly body: unknown;
}

describe.skipIf(engines.missing)(`two nodes whose engine is away${engines.note}`, () => {
  let cluster: TestCluster;
  let token: string;
  let lobbyId: string;

  beforeAll(async () => {
    const buckets = { ...limitProfiles.off.buckets, global: { requests: 100_000, windowMs: 60_000 } };
    cluster = await TestCluster.start(2, { fixtures: starfall, limits: { ...limitProfiles.off, buckets } });
    token = `Bearer ${await playerToken(cluster.node(0), ada.id)}`;
    lobbyId = ((await callApi(cluster.node(0), 'POST', '/lobbies', {})).body as { id: string }).id;
  });
  afterAll(() => cluster?.close());

  /** Calls of every kind, by a good credential each. */
  const kinds: Readonly<Record<string, (node: Service) => Promise<{ status: number; body: unknown }>>> = {
    read: node => callApi(node, 'GET', `/lobbies/${lobbyId}`),
    write: node => callApi(node, 'PATCH', `/lobbies/${lobbyId}`, { metadata: { at: String(performance.now()) } }),
    player: node => callApi(node, 'GET', '/users/@me', undefined, { authorization: token }),
    token: node =>
      answered(`${node.apiBase}/v10/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${app.id}:${app.client_secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' }),
      }),
    control: node =>
      answered(`${node.controlBase}/users/${ada.id}/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.controlToken}` },
      }),
  };

  async function answered(url: string, init: RequestInit): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(url, init);
    return { status: answer.status, body: await answer.json() };
  }

  async function callAll(): Promise<Observed[]> {
    const calls = cluster.nodes.flatMap(node =>
      Object.entries(kinds).map(async ([what, call]) => {
        const startMs = performance.now();
        const { status, body } = await call(node);
        return { what, status, ms: performance.now() - startMs, body };
      }),
    );
    return Promise.all(calls);
  }

  const readiness = async (node: Service) => {
    const answer = await fetch(`${node.webBase}/readyz`);
    return { ...((await answer.json()) as { reasons?: string[] }), status: answer.status };
  };

  /** Calls without a pause while the engine goes and comes back. @returns every answer */
  async function throughOutage(leave: () => unknown, comeBack: () => unknown, reason: string): Promise<Observed[]> {
    const observed: Observed[] = [];
    let isOver = false;
    const load = (async () => {
      while (!isOver) observed.push(...(await callAll()));
    })();
    try {
      await leave();
      const awayUntilMs = performance.now() + awayMs;
      await expect
        .poll(() => readiness(cluster.node(0)), { timeout: awayMs })
        .toMatchObject({ status: 503, reasons: expect.arrayContaining([reason]) });
      await new Promise(resolve => setTimeout(resolve, Math.max(0, awayUntilMs - performance.now())));
    } finally {
      await comeBack();
      isOver = true;
      await load;
    }
    const isWell = async () => (await callAll()).every(({ status }) => status < 400);
    await expect.poll(isWell, { timeout: recoveryMsMax }).toBe(true);
    for (const node of cluster.nodes) {
      await expect.poll(() => readiness(node), { timeout: recoveryMsMax }).toMatchObject({ status: 200 });
    }
    return observed;
  }

  function expectHonest(observed: readonly Observed[]): void {
    for (const { what, status, ms, body } of observed) {
      expect({ what, isHonest: status < 400 || status === 503 || status === 504, status, body }).toMatchObject({
        isHonest: true,
      });
      if (status >= 400) expect(body).toMatchObject({ code: expect.anything(), message: expect.any(String) });
      expect(ms).toBeLessThan(callMsMax);
    }
    expect(observed.some(({ status }) => status === 503)).toBe(true);
  }

  it('answer 503 while PostgreSQL was killed, and everything works again when it is back', async () => {
    const { postgres } = cluster;
    expectHonest(
      await throughOutage(
        () => postgres.kill(),
        () => postgres.start(),
        'store_unavailable',
      ),
    );
  }, 60_000);

  it('answer 503 while PostgreSQL is frozen', async () => {
    const { postgres } = cluster;
    const observed = await throughOutage(
      () => postgres.freeze(),
      () => postgres.proceed(),
      'store_unavailable',
    );
    for (const { ms } of observed) expect(ms).toBeLessThan(callMsMax);
    expect(observed.filter(({ status }) => status === 500 || status === 401)).toEqual([]);
  }, 60_000);

  it('answer 503 while PostgreSQL is a standby, which may lack what was acknowledged', async () => {
    const { postgres } = cluster;
    const observed = await throughOutage(
      () => postgres.demote(),
      () => postgres.promote(),
      'store_unavailable',
    );
    expectHonest(observed);
  }, 60_000);

  it('answer writes with 503 while PostgreSQL accepts none', async () => {
    const { postgres } = cluster;
    const reload = () => postgres.command('SELECT pg_reload_conf()');
    const observed = await throughOutage(
      () => postgres.command('ALTER SYSTEM SET default_transaction_read_only = on').then(reload),
      () => postgres.command('ALTER SYSTEM RESET default_transaction_read_only').then(reload),
      'store_failed',
    );
    expectHonest(observed);
    expect(observed.filter(({ what, status }) => what === 'read' && status >= 400)).toEqual([]);
  }, 60_000);

  it('answer limited calls with 503 while Redis was killed, and lose nothing when it comes back empty', async () => {
    const { redis } = cluster;
    expectHonest(
      await throughOutage(
        () => redis.kill(),
        () => redis.start(),
        'bus_unavailable',
      ),
    );
    const { body } = await callApi(cluster.node(1), 'GET', `/lobbies/${lobbyId}`);
    expect(body).toMatchObject({ id: lobbyId, metadata: { at: expect.any(String) } });
  }, 60_000);

  it('answer limited calls with 503 while Redis is frozen', async () => {
    const { redis } = cluster;
    const observed = await throughOutage(
      () => redis.freeze(),
      () => redis.proceed(),
      'bus_unavailable',
    );
    for (const { ms } of observed) expect(ms).toBeLessThan(callMsMax);
    expect(observed.filter(({ status }) => status === 500 || status === 401)).toEqual([]);
  }, 60_000);

  it.each([
    ['the memory of Redis is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['Redis allows no scripts', ['ACL', 'SETUSER', 'default', '-evalsha'], ['ACL', 'SETUSER', 'default', '+@all']],
    ['Redis is a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])(
    'are not ready while %s, and limited calls are answered 503',
    async (_what, begin, end) => {
      const { redis, nodes } = cluster;
      const ready = (answer: object) =>
        Promise.all(
          nodes.map(node => expect.poll(() => readiness(node), { timeout: recoveryMsMax }).toMatchObject(answer)),
        );
      await ready({ status: 200 });
      // Without calls beside it, which would fail in one command with what readiness asks.
      await redis.command(...begin);
      try {
        await ready({ status: 503, reasons: ['bus_unavailable'] });
        expectHonest(await callAll());
      } finally {
        await redis.command(...end);
      }
      await ready({ status: 200 });
      expect((await callAll()).filter(({ status }) => status >= 400)).toEqual([]);
    },
    60_000,
  );
});
