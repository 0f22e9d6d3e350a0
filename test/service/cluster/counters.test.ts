import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RateLimit } from '../../../src/model/limits/limit-profiles.ts';
import { BusError } from '../../../src/service/bus/errors.ts';
import type { ClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { systemClock } from '../../../src/wire/clock/ports.ts';
import { type Engines, startEngines } from '../../support/engines/cluster.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { needs } from '../../support/runs/parts.ts';

const parts = await needs('postgres', 'redis');

describe.skipIf(parts.missing)(`limits that nodes share${parts.note}`, () => {
  let engines: Engines;

  beforeAll(async () => {
    engines = await startEngines();
  });
  afterEach(async () => {
    await engines.redis.start();
    await engines.closeNodes();
  });
  afterAll(() => engines?.remove());

  const nodes = (count: number) => Promise.all(Array.from({ length: count }, () => engines.node()));

  /** Counts at all nodes side by side until `limit` rejects calls at each of them. @returns the calls that were let through */
  async function useUp(buses: readonly ClusterBus[], limit: RateLimit, at: (allowed: number) => Promise<void>) {
    let allowed = 0;
    let unavailable = 0;
    const use = async (bus: ClusterBus) => {
      for (;;) {
        try {
          if (!(await bus.count('x', limit)).allowed) return;
          allowed++;
          await at(allowed);
        } catch (error) {
          if (!(error instanceof BusError && error.code === 'bus_unavailable')) throw error;
          unavailable++;
          await pause(20);
        }
      }
    };
    await Promise.all(buses.map(use));
    return { allowed, unavailable };
  }

  it.each([
    ['a window that is a text', 'SET', 'window:x', 'abc'],
    ['a window with calls that are no number', 'HSET', 'window:x', 'n:other', 'many'],
    ['an epoch that is a list', 'RPUSH', 'epoch', '1'],
  ])('are answered bus_unavailable, and end no process, beside %s', async (_what, command, key, ...values) => {
    const [bus] = (await nodes(1)) as [ClusterBus];
    const limit = { requests: 300, windowMs: 60_000 };
    await bus.count('x', limit);
    await engines.redis.command('DEL', `rallypoint:0:${key}`);
    await engines.redis.command(command, `rallypoint:0:${key}`, ...values);
    await expect(bus.count('x', limit)).rejects.toMatchObject({ code: 'bus_unavailable' });
  });

  it('hold in sum when Redis is emptied again and again while they are used', async () => {
    const used = await useUp(await nodes(3), { requests: 300, windowMs: 60_000 }, async allowed => {
      if (allowed % 100 === 50) await engines.redis.command('FLUSHALL');
    });
    expect(used.allowed).toBe(300);
  });

  it('hold in sum when Redis is killed and starts empty while they are used', async () => {
    const used = await useUp(await nodes(3), { requests: 300, windowMs: 60_000 }, async allowed => {
      if (allowed !== 150) return;
      await engines.redis.kill();
      await engines.redis.start();
    });
    expect(used.allowed).toBeLessThanOrEqual(300);
    // A call that was under way when Redis was killed was counted or not, and rejected.
    expect(used.allowed).toBeGreaterThanOrEqual(297);
  });

  it('keep what a node counted that is gone when Redis is emptied', async () => {
    const limit = { requests: 10, windowMs: 60_000 };
    const [first, second] = (await nodes(2)) as [ClusterBus, ClusterBus];
    for (let call = 0; call < 6; call++) await first.count('x', limit);
    expect(await second.count('x', limit)).toMatchObject({ allowed: true, remaining: 3 });
    await first.close();
    await engines.redis.command('FLUSHALL');
    expect(await second.count('x', limit)).toMatchObject({ allowed: true, remaining: 2 });
    expect(await second.count('x', limit)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await (await engines.node()).count('x', limit)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await second.count('x', limit)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('are not let through uncounted while Redis is frozen, and every call is answered within some seconds', async () => {
    const [bus] = (await nodes(1)) as [ClusterBus];
    const limit = { requests: 5, windowMs: 60_000 };
    await bus.count('x', limit);
    engines.redis.freeze();
    const beganMs = systemClock.now();
    const calls = await Promise.allSettled([bus.count('x', limit), bus.count('x', limit)]);
    expect(systemClock.now() - beganMs).toBeLessThan(5000);
    for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: { code: 'bus_unavailable' } });
    await expect(bus.count('x', limit)).rejects.toMatchObject({ code: 'bus_unavailable' });
    engines.redis.proceed();
    const after = await available(() => bus.count('x', limit));
    // Both calls reached Redis, and may have been counted.
    expect([1, 2, 3]).toContain(after.remaining);
  });

  it('of clusters with different numbers on one server are counted apart', async () => {
    const here = await engines.node();
    const there = await engines.node({ redisUrl: engines.redis.url(7), url: await engines.database() });
    const limit = { requests: 1, windowMs: 60_000 };
    expect((await here.count('x', limit)).allowed).toBe(true);
    expect((await there.count('x', limit)).allowed).toBe(true);
    expect((await here.count('x', limit)).allowed).toBe(false);
  });

  it('end by the clock of Redis, so that nodes whose clocks differ agree, and are told by the clock of the node', async () => {
    const aheadMs = 3_600_000;
    const skewed = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const [here, there] = [await engines.node(), await engines.node({ clock: skewed })];
    const limit = { requests: 2, windowMs: 5000 };
    const first = await here.count('x', limit);
    const second = await there.count('x', limit);
    expect(second.remaining).toBe(0);
    expect((await here.count('x', limit)).allowed).toBe(false);
    expect(Math.abs(second.resetAtMs - aheadMs - first.resetAtMs)).toBeLessThan(500);
    await there.count('y', { requests: 1, windowMs: 100 });
    await pause(150);
    expect((await here.count('y', { requests: 1, windowMs: 100 })).allowed).toBe(true);
  });

  it('hold when Redis is killed and comes back with what it had written to disk some time before', async () => {
    const limit = { requests: 10, windowMs: 60_000 };
    const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
    for (let call = 0; call < 5; call++) await here.count('x', limit);
    await engines.redis.command('SAVE');
    for (let call = 0; call < 4; call++) await there.count('x', limit);
    await engines.redis.kill();
    await engines.redis.start();
    expect(await available(() => here.count('x', limit))).toMatchObject({ allowed: true, remaining: 0 });
    expect(await there.count('x', limit)).toMatchObject({ allowed: false, remaining: 0 });
    await engines.redis.command('FLUSHALL');
    await engines.redis.command('SAVE');
  });

  it('write to the log of a node that starts that the memory of Redis is full', async () => {
    await engines.redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const { log, lines } = recordingLog();
    const rejected = {
      level: 'error',
      message: 'Redis rejects commands.',
      reason: expect.stringContaining('maxmemory'),
    };
    try {
      await engines.node({ log });
      await expect.poll(() => lines).toMatchObject([rejected]);
    } finally {
      await engines.redis.command('CONFIG', 'SET', 'maxmemory', '0');
    }
  });

  it('write neither addresses with passwords nor calls to the log when Redis is lost', async () => {
    const { log, lines } = recordingLog();
    const url = new URL(engines.redis.url());
    const bus = await engines.node({ log, redisUrl: url.href });
    await engines.redis.kill();
    await expect(bus.count('secret-name', { requests: 1, windowMs: 1000 })).rejects.toMatchObject({
      code: 'bus_unavailable',
    });
    await engines.redis.start();
    await available(() => bus.count('y', { requests: 1, windowMs: 1000 }));
    expect(lines.map(({ level }) => level)).toContain('warn');
    expect(JSON.stringify(lines)).not.toContain('secret-name');
  });
});

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

/** Asks until Redis can be used again. */
async function available<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      await pause(50);
    }
  }
}
