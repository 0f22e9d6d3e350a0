import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimitError, TransportError } from '../../../src/model/errors/errors.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { Deadline } from '../../../src/wire/http/deadline.ts';
import type { BucketReport } from '../../../src/wire/rate-limits/headers.ts';
import { type LaneKey, RateLimiter } from '../../../src/wire/rate-limits/limiter.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';
import { SimulatedLimits } from '../../support/http/simulated-limits.ts';

const lane: LaneKey = { route: 'GET /lobbies/{lobby_id}', resource: '', exempt: false };
const otherLane: LaneKey = { ...lane, route: 'PUT /lobbies/{lobby_id}' };

function setUp(global: { requests: number; windowMs: number } | 'off' = 'off') {
  const clock = new VirtualClock(1_000_000);
  const limiter = new RateLimiter({ clock, global });
  return {
    clock,
    limiter,
    acquire: async (key = lane, ms = 10_000, signal?: AbortSignal) =>
      limiter.acquire(key, new Deadline(clock, ms, signal)),
    /** What an answer says of a window that ends `endsInMs` from now. */
    report: (limit: number, remaining: number, endsInMs = 5_000, id = 'b'): { bucket: BucketReport } => ({
      bucket: { id, limit, remaining, resetMs: clock.now() + endsInMs, resetAfterMs: endsInMs },
    }),
  };
}

/** Whether a promise has settled once everything that can go on has. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const done = () => {
    pending = false;
  };
  promise.then(done, done);
  await new Promise(resolve => setImmediate(resolve));
  return pending;
}

describe('RateLimiter', () => {
  it('sends one call to find out, and holds the others until it is answered', async () => {
    const { limiter, acquire, report } = setUp();
    const first = await acquire();
    const second = acquire();
    expect(await isPending(second)).toBe(true);
    limiter.settle(first, report(5, 4));
    expect(await isPending(second)).toBe(false);
  });

  it('sends another to find out when the first gets no answer', async () => {
    const { limiter, acquire } = setUp();
    const first = await acquire();
    const second = acquire();
    expect(await isPending(second)).toBe(true);
    limiter.settle(first, 'lost');
    expect(await isPending(second)).toBe(false);
  });

  it('lets calls run concurrently while the window has places, and not one more', async () => {
    const { limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(5, 4));
    await Promise.all([acquire(), acquire(), acquire(), acquire()]);
    expect(await isPending(acquire())).toBe(true);
  });

  it('lets a full window’s worth go when the window is over, not a millisecond before', async () => {
    const { clock, limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(1, 0, 5_000));
    const next = acquire();
    await clock.advance(4_999);
    expect(await isPending(next)).toBe(true);
    await clock.advance(1);
    expect(await isPending(next)).toBe(false);
  });

  it('takes a route whose answer names no bucket for unlimited', async () => {
    const { limiter, acquire } = setUp();
    limiter.settle(await acquire(), {});
    expect(await isPending(Promise.all(Array.from({ length: 1_000 }, () => acquire())))).toBe(false);
  });

  it('serves those who wait in the order they came', async () => {
    const { clock, limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(1, 0, 100));
    const order: number[] = [];
    const waiting = [0, 1, 2].map(async i => {
      const permit = await acquire();
      order.push(i);
      limiter.settle(permit, report(1, 0, 100));
    });
    await clock.advance(400);
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2]);
  });

  it('rejects a call immediately whose deadline comes before the window ends', async () => {
    const { limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(1, 0, 5_000));
    const refusal = await acquire(lane, 4_999).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RateLimitError);
    expect(refusal).toMatchObject({ bucket: lane.route, retryAfterMs: 5_000, code: 'rate_limited' });
    expect(await isPending(acquire(lane, 5_000))).toBe(true);
  });

  it('ends a waiting call at its deadline, and gives its place to the next', async () => {
    const { clock, limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(2, 1, 10_000));
    const under = await acquire(lane, 60_000);
    const late = acquire(lane, 15_000).catch((error: unknown) => error);
    const patient = acquire(lane, 60_000);
    await clock.advance(10_000); // the window ends; `under` still counts in the next one
    const [first] = await Promise.all([late]);
    expect(first).not.toBeInstanceOf(Error); // two places, one held by `under`
    const next = acquire(lane, 1_000).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await next).toMatchObject({ code: 'deadline_exceeded' }); // no limit is known to be used up, answers are missing
    limiter.settle(under, 'unsent');
    await patient;
  });

  it('ends an aborted call immediately, and its place goes to the next', async () => {
    const { clock, limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), report(1, 0, 1_000));
    const abort = new AbortController();
    const aborted = acquire(lane, 10_000, abort.signal).catch((error: unknown) => error);
    const next = acquire();
    abort.abort();
    expect(await aborted).toBeInstanceOf(TransportError);
    expect(await aborted).toMatchObject({ code: 'aborted' });
    await clock.advance(1_000);
    await next;
  });

  it('gives the bucket’s place back when the call ends while it waits for the global limit', async () => {
    const { clock, limiter, acquire, report } = setUp({ requests: 1, windowMs: 1_000 });
    const first = await acquire(otherLane);
    const probe = acquire(lane, 500).catch((error: unknown) => error);
    await clock.advance(500);
    expect(await probe).toBeInstanceOf(TransportError);
    limiter.settle(first, report(1, 0));
    const next = acquire(lane, 5_000); // the lane's only place must be free again
    await clock.advance(1_000);
    await next;
  });

  it('releases that place also when the global limit rejects immediately', async () => {
    const { clock, limiter, acquire } = setUp({ requests: 1, windowMs: 1_000 });
    limiter.settle(await acquire(otherLane), {});
    await expect(acquire(lane, 999)).rejects.toBeInstanceOf(RateLimitError);
    const next = acquire(lane, 5_000);
    await clock.advance(1_000);
    await next;
  });

  it('counts routes that share a bucket together, those already waiting included', async () => {
    const { limiter, acquire, report } = setUp();
    const [a, b] = await Promise.all([acquire(lane), acquire(otherLane)]);
    const waiting = [acquire(lane), acquire(otherLane)];
    limiter.settle(a, report(3, 2));
    limiter.settle(b, report(3, 1));
    expect((await Promise.all(waiting.map(isPending))).sort()).toEqual([false, true]);
  });

  it('counts the same bucket apart for each resource', async () => {
    const { limiter, acquire, report } = setUp();
    const guild = (resource: string) => ({ ...lane, resource });
    limiter.settle(await acquire(guild('1')), report(1, 0));
    limiter.settle(await acquire(guild('2')), report(1, 0));
    expect(await isPending(acquire(guild('1')))).toBe(true);
    await acquire(guild('3'));
  });

  it('holds a bucket until a 429 of the user’s own has passed, and others not at all', async () => {
    const { clock, limiter, acquire, report } = setUp();
    limiter.settle(await acquire(otherLane), report(9, 8, 10_000, 'other'));
    limiter.settle(await acquire(), { ...report(5, 3), refusal: { scope: 'user', retryAfterMs: 2_000 } });
    const next = acquire();
    await acquire(otherLane);
    await clock.advance(1_999);
    expect(await isPending(next)).toBe(true);
    await clock.advance(1);
    await next;
  });

  it('holds everything but exempt calls until a global 429 has passed', async () => {
    const { clock, limiter, acquire, report } = setUp({ requests: 50, windowMs: 1_000 });
    limiter.settle(await acquire(otherLane), report(9, 8, 10_000, 'other'));
    limiter.settle(await acquire(), { refusal: { scope: 'global', retryAfterMs: 2_000 } });
    const next = acquire(otherLane);
    await acquire({ ...lane, route: 'POST callback', exempt: true });
    await clock.advance(1_999);
    expect(await isPending(next)).toBe(true);
    await clock.advance(1);
    await next;
  });

  // A busy or waking machine's timers come late: the time has passed, and nobody has been woken yet.
  it.each(['another call comes', 'one that waits gives up'])(
    'lets those go who wait when their time has passed and %s',
    async what => {
      const clock = new VirtualClock(1_000_000);
      const machine = new SleepyClock(clock, { isBusy: true });
      const limiter = new RateLimiter({ clock: machine, global: 'off' });
      const acquire = async (signal?: AbortSignal) => limiter.acquire(lane, new Deadline(machine, 60_000, signal));
      limiter.settle(await acquire(), { refusal: { scope: 'user', retryAfterMs: 1_000 } });
      const abort = new AbortController();
      const waiting = [acquire(abort.signal), acquire()];
      machine.sleep(2_000);
      if (what === 'another call comes') waiting.push(acquire());
      else abort.abort();
      const [first] = await Promise.allSettled(waiting.slice(0, 1));
      if (first?.status === 'fulfilled') limiter.settle(first.value, {});
      expect(await Promise.all(waiting.map(isPending))).toEqual(waiting.map(() => false));
    },
  );

  it('holds no other call for a shared 429', async () => {
    const { limiter, acquire, report } = setUp();
    limiter.settle(await acquire(), { ...report(5, 4), refusal: { scope: 'shared', retryAfterMs: 400_000 } });
    expect(await isPending(acquire())).toBe(false);
  });

  it('lets 50 calls through the global limit and the 51st a second after the first answer', async () => {
    const { clock, limiter, acquire } = setUp({ requests: 50, windowMs: 1_000 });
    limiter.settle(await acquire(), {});
    const permits = await Promise.all(Array.from({ length: 49 }, () => acquire()));
    const next = acquire();
    await clock.advance(999);
    for (const permit of permits) limiter.settle(permit, {});
    expect(await isPending(next)).toBe(true);
    await clock.advance(1);
    await next;
  });

  it('rejects the 10,001st call that waits for one bucket', async () => {
    const { acquire } = setUp();
    await acquire();
    const abort = new AbortController();
    const waiting = Array.from({ length: 10_000 }, () => acquire(lane, 10_000, abort.signal).catch(() => {}));
    await expect(acquire()).rejects.toBeInstanceOf(RateLimitError);
    abort.abort();
    await Promise.all(waiting);
  });

  it('forgets resources that are no longer used', async () => {
    const { limiter, acquire } = setUp();
    for (let i = 0; i < 3_000; i++) limiter.settle(await acquire({ ...lane, resource: String(i) }), {});
    expect(limiter.laneCount).toBeLessThanOrEqual(1_001);
  });

  it('forgets buckets that a route no longer counts by, also those whose windows have not ended', async () => {
    const { limiter, acquire, report } = setUp();
    for (let i = 0; i < 3_000; i++) limiter.settle(await acquire(), report(5, 4, 60_000, `b${i}`));
    expect(limiter.bucketCount).toBeLessThanOrEqual(1_001);
    expect(limiter.laneCount).toBe(1);
  });
});

type Fate = 'answered' | 'unsent' | 'aborted' | 'lost';

interface Scene {
  readonly limit: number;
  readonly windowMs: number;
  readonly globalLimit: number;
  readonly calls: readonly {
    readonly atMs: number;
    readonly deadlineMs: number;
    readonly toServiceMs: number;
    readonly fromServiceMs: number;
    readonly fate: Fate;
    readonly key: LaneKey;
  }[];
}

function scenes(fates: readonly Fate[], keys: readonly LaneKey[]): fc.Arbitrary<Scene> {
  const call = fc.record({
    atMs: fc.nat(4_000),
    deadlineMs: fc.integer({ min: 1, max: 20_000 }),
    toServiceMs: fc.nat(400),
    fromServiceMs: fc.nat(400),
    fate: fc.constantFrom(...fates),
    key: fc.constantFrom(...keys),
  });
  return fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    windowMs: fc.integer({ min: 50, max: 2_000 }),
    globalLimit: fc.integer({ min: 2, max: 30 }),
    calls: fc.array(call, { minLength: 1, maxLength: 40, size: 'max' }),
  });
}

/** Plays a scene to its end; every call must have left the queue by its deadline, and no place be lost. */
async function play({ limit, windowMs, globalLimit, calls }: Scene): Promise<SimulatedLimits> {
  const clock = new VirtualClock(1_000_000, async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  });
  const global = { requests: globalLimit, windowMs: 1_000 };
  const limiter = new RateLimiter({ clock, global });
  const service = new SimulatedLimits(clock, { requests: limit, windowMs }, global);

  const run = async ({ deadlineMs, toServiceMs, fromServiceMs, fate, key }: Scene['calls'][number]) => {
    const abort = new AbortController();
    const deadline = new Deadline(clock, deadlineMs, abort.signal);
    if (fate === 'aborted') clock.schedule(toServiceMs, () => abort.abort());
    const permit = await Promise.resolve(limiter.acquire(key, deadline)).catch(() => undefined);
    expect(deadline.leftMs).toBeGreaterThanOrEqual(0);
    if (!permit) return;
    await sleep(clock, toServiceMs);
    const report = fate === 'unsent' ? 'unsent' : service.count();
    await sleep(clock, fromServiceMs);
    limiter.settle(permit, fate === 'lost' ? 'lost' : report);
  };

  const running: Promise<void>[] = [];
  for (const each of calls) clock.schedule(each.atMs, () => void running.push(run(each)));
  await clock.advance(40_000);
  await Promise.all(running);

  const deadline = new Deadline(clock, 60_000);
  const burst = Array.from({ length: limit }, async () => {
    limiter.settle(await limiter.acquire({ ...lane, exempt: true }, deadline), service.count('exempt'));
  });
  await clock.advance(20_000);
  await Promise.all(burst);
  deadline.close();
  return service;
}

describe('RateLimiter against a service that counts', () => {
  it('is never rejected, ends every call by its deadline and loses no place, however calls and answers cross', async () => {
    await fc.assert(
      fc.asyncProperty(scenes(['answered', 'answered', 'answered', 'unsent', 'aborted'], [lane]), async scene => {
        const { refusals, globalRefusals } = await play(scene);
        expect({ refusals, globalRefusals }).toEqual({ refusals: 0, globalRefusals: 0 });
      }),
      { numRuns: 300 },
    );
  });

  it('probes only what cannot be known: which routes share a bucket, and when a window of lost answers ends', async () => {
    await fc.assert(
      fc.asyncProperty(scenes(['answered', 'answered', 'lost'], [lane, otherLane]), async scene => {
        const { refusals, globalRefusals } = await play(scene);
        const lost = scene.calls.filter(({ fate }) => fate === 'lost').length;
        expect(refusals).toBeLessThanOrEqual(1 + lost);
        expect(globalRefusals).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

function sleep(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise(resolve => clock.schedule(ms, () => resolve()));
}
