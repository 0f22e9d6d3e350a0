import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BusError } from '../../../src/service/bus/errors.ts';
import type { ClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { StoreError } from '../../../src/service/store/errors.ts';
import { isTransient } from '../../../src/service/store/postgres/failure.ts';
import { announce } from '../../support/engines/announce.ts';
import { type Engines, startEngines } from '../../support/engines/cluster.ts';
import { needs } from '../../support/runs/parts.ts';
import { patienceMs } from '../../support/runs/soak.ts';
import { tries } from '../../support/runs/tries.ts';

const parts = await needs('postgres', 'redis');
const limit = { requests: 60, windowMs: 600_000 };
const topics = ['a', 'b', 'c'];

interface Outage {
  readonly what: 'emptyRedis' | 'killRedis' | 'freezeRedis' | 'killPostgres' | 'freezePostgres';
  readonly lastsMs: number;
  readonly pauseMs: number;
}

const outages = fc.array(
  fc.record<Outage>({
    what: fc.constantFrom('emptyRedis', 'killRedis', 'freezeRedis', 'killPostgres', 'freezePostgres'),
    lastsMs: fc.integer({ min: 0, max: 1500 }),
    pauseMs: fc.integer({ min: 0, max: 1000 }),
  }),
  { minLength: 3, maxLength: 5 },
);

describe.skipIf(parts.missing)(`three nodes whose engines fail${parts.note}`, () => {
  let engines: Engines;

  beforeAll(async () => {
    engines = await startEngines();
  });
  afterAll(() => engines?.remove());

  async function cause({ what, lastsMs, pauseMs }: Outage): Promise<void> {
    const { redis, server } = engines;
    if (what === 'emptyRedis') await redis.command('FLUSHALL');
    else if (what === 'freezeRedis' || what === 'freezePostgres') {
      const frozen = what === 'freezeRedis' ? redis : server;
      frozen.freeze();
      await pause(lastsMs);
      frozen.proceed();
    } else {
      const killed = what === 'killRedis' ? redis : server;
      await killed.kill();
      await pause(lastsMs);
      await killed.start();
    }
    await pause(pauseMs);
  }

  /** Commits events until it is ended. @returns those that were committed */
  async function writeEvents(bus: ClusterBus, topic: string, end: AbortSignal): Promise<string[]> {
    const written: string[] = [];
    for (let revision = 1; !end.aborted; revision++) {
      await unlessAway(async () => {
        await announce(engines.postgres, [{ to: topic, scope: topic, revision, position: 0 }]);
        written.push(`${topic} ${revision}`);
        bus.publish();
      });
      await pause(5);
    }
    return written;
  }

  /** Uses up one window after the other at all nodes. @returns the calls that were let through in each */
  async function useWindows(nodes: readonly ClusterBus[], end: AbortSignal): Promise<number[]> {
    const allowed: number[] = [];
    while (!end.aborted) {
      const window = `window ${allowed.length}`;
      let calls = 0;
      const use = async (bus: ClusterBus) => {
        for (let isOver = false; !isOver && !end.aborted; ) {
          const isCounted = await unlessAway(async () => {
            const state = await bus.count(window, limit);
            isOver = !state.allowed;
            if (state.allowed) calls++;
          });
          if (!isCounted) await pause(20);
        }
      };
      await Promise.all(nodes.map(use));
      allowed.push(calls);
    }
    return allowed;
  }

  it(
    'receive all events once, in the same order, and never let more calls through than a limit says',
    { timeout: patienceMs },
    () =>
      fc.assert(
        fc.asyncProperty(outages, async plan => {
          const nodes = await Promise.all(topics.map(() => engines.node()));
          const heard = nodes.map(bus => {
            const events: string[] = [];
            for (const topic of topics) bus.subscribe(topic, ({ revision }) => events.push(`${topic} ${revision}`));
            return events;
          });
          const end = new AbortController();
          const writing = nodes.map((bus, at) => writeEvents(bus, topics[at] ?? '', end.signal));
          const using = useWindows(nodes, end.signal);
          for (const outage of plan) await cause(outage);
          end.abort();
          const written = (await Promise.all(writing)).flat();
          const windows = await using;
          await until(() => Promise.all(nodes.map(({ reader }) => reader.caughtUp())));
          await engines.closeNodes();
          const [first = [], ...others] = heard;
          for (const other of others) expect(other).toEqual(first);
          expect(new Set(first).size).toBe(first.length);
          expect(written.filter(event => !first.includes(event))).toEqual([]);
          expect(Math.max(...windows)).toBeLessThanOrEqual(limit.requests);
          expect(windows.length).toBeGreaterThan(0);
        }),
        { ...tries(1, 60), endOnFailure: true },
      ),
  );
});

/** @returns false when an engine is away */
async function unlessAway(task: () => Promise<void>): Promise<boolean> {
  try {
    await task();
    return true;
  } catch (error) {
    // The events are inserted without the store, which would turn a lost connection into an error of its own.
    if (!(error instanceof BusError || error instanceof StoreError || isTransient(error))) throw error;
    return false;
  }
}

async function until(task: () => Promise<unknown>): Promise<void> {
  while (!(await unlessAway(async () => void (await task())))) await pause(50);
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
