import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { Nodes } from '../../../src/service/cluster/nodes.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { type Clock, silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { type Engines, startEngines } from '../../support/engines/cluster.ts';
import { type RedisServer, startRedis } from '../../support/engines/redis.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { needs } from '../../support/runs/parts.ts';

const parts = await needs('postgres', 'redis');

describe.skipIf(parts.missing)(`the nodes of a cluster${parts.note}`, () => {
  let engines: Engines;

  beforeAll(async () => {
    engines = await startEngines();
  });
  afterEach(() => engines.closeNodes());
  afterAll(() => engines?.remove());

  const nodes = (count: number) => Promise.all(Array.from({ length: count }, () => engines.node()));
  const silent = (id: string) =>
    engines.postgres.query(`UPDATE rallypoint.nodes SET seen_at = seen_at - interval '200 s' WHERE id = $1`, [id]);

  /** A registration alone, on a clock that the test moves. */
  function registration(clock = new VirtualClock(Date.UTC(2026, 10, 20))) {
    return { clock, node: new Nodes(engines.postgres, silentLogger, () => 0, 'http://node', clock) };
  }

  it.each([120_000, -120_000])(
    'log once when the clock is %i ms ahead, and when it agrees again',
    async differenceMs => {
      const { log, lines } = recordingLog();
      const timers = new VirtualClock(0);
      let aheadMs = differenceMs;
      const clock: Clock = {
        now: () => Date.now() + aheadMs,
        schedule: (delayMs, task) => timers.schedule(delayMs, task),
      };
      const node = new Nodes(engines.postgres, log, () => 0, undefined, clock);
      await node.start();
      await timers.advance(3000);
      expect(lines).toEqual([expect.objectContaining({ level: 'error', message: expect.stringContaining('NTP') })]);
      expect(Math.abs((lines[0]?.aheadMs as number) - differenceMs)).toBeLessThan(5000);
      aheadMs = 0;
      await timers.advance(3000);
      expect(lines.slice(1)).toEqual([expect.objectContaining({ level: 'info' })]);
      await node.close();
    },
  );

  it('use the server to which the address leads when the one before became a replica', async () => {
    const former = await startRedis();
    const pathOf = (server: RedisServer) => new URL(server.url()).pathname;
    let path = pathOf(former);
    const way = createServer(socket => void socket.pipe(connect(path).on('error', () => {})).pipe(socket));
    way.listen(0, '127.0.0.1');
    await once(way, 'listening');
    try {
      const { port } = way.address() as AddressInfo;
      const node = await engines.node({ redisUrl: `redis://127.0.0.1:${port}/1` });
      const count = () => node.count('x', { requests: 1000, windowMs: 60_000 });
      await count();
      path = pathOf(engines.redis);
      await former.command('REPLICAOF', '127.0.0.1', '1');
      await expect(count()).rejects.toMatchObject({ code: 'bus_unavailable' });
      await expect.poll(() => count().catch(() => undefined), { timeout: 10_000 }).toMatchObject({ allowed: true });
      await node.close();
    } finally {
      way.close();
      await former.remove();
    }
  });

  it('that start together have different worker numbers', async () => {
    const started = Array.from({ length: 40 }, () => registration().node);
    await Promise.all(started.map(node => node.start()));
    expect(new Set(started.map(({ worker }) => worker)).size).toBe(40);
    for (const { worker } of started) expect(worker).toSatisfy(n => Number.isInteger(n) && n >= 0 && n < 1024);
    await Promise.all(started.map(node => node.close()));
  });

  it('know that one has stopped immediately, and forget it when they are told to', async () => {
    const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
    expect(await here.cluster.departed()).toEqual([]);
    await there.close();
    const [departed] = await here.cluster.departed();
    expect(departed?.id).toBe(there.cluster.node);
    expect(departed?.goneForMs).toBeLessThan(5000);
    await here.cluster.forget(there.cluster.node);
    expect(await here.cluster.departed()).toEqual([]);
  });

  it('say that one is gone which is silent, once they have been in touch themselves for a while, and not before', async () => {
    const { node, clock } = registration();
    await node.start();
    const [other] = (await nodes(1)) as [ClusterBus];
    await other.nodes.close();
    await engines.postgres.query('UPDATE rallypoint.nodes SET departed_at = NULL');
    await silent(other.nodes.id);
    expect(await node.departed()).toEqual([]);
    await clock.advance(15_000);
    const departed = await node.departed();
    expect(departed.map(({ id }) => id)).toEqual([other.nodes.id]);
    expect(departed[0]?.goneForMs).toBeGreaterThan(199_000);
    await node.close();
  });

  it('do not forget one that is alive', async () => {
    const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
    await here.cluster.forget(there.cluster.node);
    const rows = await engines.postgres.query('SELECT id FROM rallypoint.nodes');
    expect(rows).toHaveLength(2);
  });

  it('register again under the same id when they were forgotten', async () => {
    const { node, clock } = registration();
    await node.start();
    await engines.postgres.query('DELETE FROM rallypoint.nodes');
    await clock.advance(1000);
    const rows = await engines.postgres.query('SELECT id, worker FROM rallypoint.nodes');
    expect(rows).toEqual([{ id: node.id, worker: node.worker }]);
    await node.close();
  });

  it('use their worker number no more when they could not renew it for a minute', async () => {
    const own = await openPostgres(engines.url);
    const clock = new VirtualClock(Date.UTC(2026, 10, 20));
    const node = new Nodes(own, silentLogger, () => 0, undefined, clock);
    await node.start();
    const { worker } = node;
    await own.close();
    await clock.advance(59_000);
    expect(node.worker).toBe(worker);
    await clock.advance(1000);
    expect(() => node.worker).toThrow(expect.objectContaining({ code: 'node_outdated' }));
    await node.close();
  });

  describe('presence', () => {
    it('has exactly one first and one last session, however many enter and leave at several nodes concurrently', async () => {
      const buses = await nodes(3);
      const sessions = Array.from({ length: 60 }, (_, at) => ({ id: `s${at}`, at: buses[at % 3] as ClusterBus }));
      const entered = await Promise.all(sessions.map(({ id, at }) => at.cluster.enter('user/1', id)));
      expect(entered.toSorted((a, b) => a - b)).toEqual(sessions.map((_, at) => at + 1));
      const left = await Promise.all(sessions.map(({ id, at }) => at.cluster.leave('user/1', id)));
      expect(left.toSorted((a = 0, b = 0) => a - b)).toEqual(sessions.map((_, at) => at));
    });

    it('moves with a session to another node, and the former one cannot end it', async () => {
      const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
      expect(await here.cluster.enter('user/1', 'a')).toBe(1);
      expect(await there.cluster.enter('user/1', 'a')).toBe(1);
      expect(await here.cluster.leave('user/1', 'a')).toBeUndefined();
      expect(await there.cluster.leave('user/1', 'a')).toBe(0);
      expect(await there.cluster.leave('user/1', 'a')).toBeUndefined();
    });

    it('stays with a node that has stopped, because its sessions can be resumed', async () => {
      const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
      await there.cluster.enter('user/1', 'a');
      await there.close();
      expect(await here.present('user/1')).toBe(1);
    });

    it('of a thousand users is asked for in one statement', async () => {
      const postgres = await openPostgres(engines.url);
      const bus = await engines.node({ postgres });
      await bus.cluster.enter('user/7', 'a');
      const query = vi.spyOn(postgres, 'query');
      const present = await Promise.all(Array.from({ length: 1000 }, (_, at) => bus.present(`user/${at}`)));
      expect(present.indexOf(1)).toBe(7);
      expect(present.filter(count => count > 0)).toHaveLength(1);
      const asked = query.mock.calls.filter(([text]) => text.includes('rallypoint.connections'));
      expect(asked).toHaveLength(1);
      await bus.close();
      await postgres.close();
    });
  });

  describe('a lease', () => {
    it('has a higher fence with each holder, also when Redis was emptied', async () => {
      const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
      const first = await here.lease('clean', 60_000);
      await engines.redis.command('FLUSHALL');
      const second = await there.lease('clean', 60_000);
      expect(await first?.renew()).toBe(false);
      await second?.release();
      const third = await here.lease('clean', 60_000);
      const fences = [first, second, third].map(lease => lease?.fence ?? 0);
      expect(fences).toEqual(fences.toSorted((a, b) => a - b));
      expect(new Set(fences).size).toBe(3);
    });

    it('of one cluster is not that of another number', async () => {
      const here = await engines.node();
      const there = await engines.node({ redisUrl: engines.redis.url(7) });
      expect(await here.lease('clean', 60_000)).toMatchObject({ name: 'clean' });
      expect(await there.lease('clean', 60_000)).toMatchObject({ name: 'clean' });
      expect(await here.lease('clean', 60_000)).toBeUndefined();
    });
  });

  describe('a start that cannot succeed', () => {
    it.each(['redis:', 'http://127.0.0.1/1', 'redis://host:1/x', 'unix://'])(
      'rejects the address %s',
      async address => {
        await expect(engines.node({ redisUrl: address })).rejects.toMatchObject({ code: 'bus_unusable' });
      },
    );

    it('says that Redis cannot be reached, without the password', async () => {
      const { log, lines } = recordingLog();
      const opening = engines.node({ redisUrl: 'redis://user:hunter2@127.0.0.1:1/0', log });
      const error = await opening.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'bus_unavailable' });
      expect(String(error) + JSON.stringify(lines)).toContain('127.0.0.1:1');
      expect(String(error) + JSON.stringify(lines)).not.toContain('hunter2');
    });

    it('says that the password is wrong, or the number too high, without trying again', async () => {
      const locked = await startRedis('--requirepass', 'correct');
      try {
        const wrong = locked.url().replace('unix://', 'unix://:hunter2@localhost');
        for (const address of [wrong, locked.url()]) {
          const error = await engines.node({ redisUrl: address }).catch((thrown: unknown) => thrown);
          expect(error).toMatchObject({ code: 'bus_unusable' });
          expect(String(error)).not.toContain('hunter2');
        }
      } finally {
        await locked.remove();
      }
      await expect(engines.node({ redisUrl: engines.redis.url(99) })).rejects.toMatchObject({ code: 'bus_unusable' });
    });
  });
});
