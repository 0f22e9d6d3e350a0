import { beforeEach, describe, expect, it } from 'vitest';
import { limitProfiles, type RateLimit } from '../../../src/model/limits/limit-profiles.ts';
import {
  type AttemptLimiter,
  type AttemptOptions,
  createAttemptLimiter,
} from '../../../src/service/auth/attempt-limiter.ts';
import { localBus } from '../../../src/service/bus/local.ts';
import type { Core } from '../../../src/service/core.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

const limit: RateLimit = { requests: 5, windowMs: 60_000 };
const start = Date.UTC(2026, 10, 20);

let clock: VirtualClock;
let attempts: AttemptLimiter;
beforeEach(() => {
  clock = new VirtualClock(start);
  attempts = openGuesses({ name: 'standard', asOf: '', buckets: { 'oauth-proof': limit } });
});

function openGuesses(limits: Core['limits']): AttemptLimiter {
  return createAttemptLimiter({ bus: localBus(clock), clock, limits }, 'oauth-proof');
}

const wrong = (who = 'ada') =>
  attempts.attempt(who, async isWrong => {
    isWrong();
    return 'wrong';
  });
const right = (who = 'ada') => attempts.attempt(who, async () => 'right');
const refusal = { reason: 'rate_limited', extra: { retry_after: 60, global: false } };

describe('attempts', () => {
  it('may be wrong as often as the limit says; one more is rejected, right or wrong', async () => {
    for (let time = 0; time < limit.requests; time++) expect(await wrong()).toBe('wrong');
    await expect(wrong()).rejects.toMatchObject(refusal);
    await expect(right()).rejects.toMatchObject(refusal);
  });

  it('may still be right after one wrong one fewer', async () => {
    for (let time = 1; time < limit.requests; time++) await wrong();
    for (let time = 0; time < 3; time++) expect(await right()).toBe('right');
  });

  it('are let on again when the window ends, and not 1 ms earlier', async () => {
    for (let time = 0; time < limit.requests; time++) await wrong();
    await clock.advance(limit.windowMs - 1);
    await expect(right()).rejects.toMatchObject({ extra: { retry_after: 0.001 } });
    await clock.advance(1);
    expect(await right()).toBe('right');
  });

  it('cost nothing when they are right', async () => {
    for (let time = 0; time < 100; time++) await right();
    expect(await wrong()).toBe('wrong');
  });

  it('of one do not count for another', async () => {
    for (let time = 0; time < limit.requests; time++) await wrong();
    expect(await right('ben')).toBe('right');
  });

  it('get no further when many are concurrent', async () => {
    let looked = 0;
    const attempt = () =>
      attempts.attempt('ada', async isWrong => {
        looked++;
        await Promise.resolve();
        isWrong();
      });
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, attempt));
    expect(looked).toBe(limit.requests);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(100 - limit.requests);
  });

  it('are all let through when many right ones are concurrent', async () => {
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => right()));
    expect(outcomes.filter(outcome => outcome === 'right')).toHaveLength(100);
  });

  it('do not wait for each other while as many may be wrong', async () => {
    let release = (): void => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    const slow = Array.from({ length: limit.requests - 1 }, () => attempts.attempt('ada', () => held));
    expect(await right()).toBe('right');
    release();
    await Promise.all(slow);
  });

  it('wait for each other when no more may be wrong', async () => {
    for (let time = 1; time < limit.requests; time++) await wrong();
    let release = (): void => {};
    const slow = attempts.attempt(
      'ada',
      isWrong =>
        new Promise<void>(resolve => {
          release = () => {
            isWrong();
            resolve();
          };
        }),
    );
    const next = right();
    next.catch(() => {});
    await clock.advance(0);
    release();
    await slow;
    await expect(next).rejects.toMatchObject({ reason: 'rate_limited' });
  });

  it('that fail otherwise are over, too, and hand on what went wrong', async () => {
    const broken = () => attempts.attempt('ada', () => Promise.reject(new Error('store')));
    for (let time = 0; time < 10; time++) await expect(broken()).rejects.toThrow('store');
    expect(await right()).toBe('right');
  });

  it('are not counted where nothing is limited', async () => {
    attempts = openGuesses(limitProfiles.off);
    for (let time = 0; time < 100; time++) expect(await wrong()).toBe('wrong');
  });
});

describe('attempts at two nodes', () => {
  let nodes: readonly [AttemptLimiter, AttemptLimiter];
  beforeEach(() => {
    const limits: Core['limits'] = { name: 'standard', asOf: '', buckets: { 'oauth-proof': limit } };
    const bus = localBus(clock);
    nodes = [
      createAttemptLimiter({ bus, clock, limits }, 'oauth-proof'),
      createAttemptLimiter({ bus, clock, limits }, 'oauth-proof'),
    ];
  });

  const wrongAtBoth = (perNode: number, options: AttemptOptions<string>) =>
    Promise.allSettled(
      Array.from({ length: 2 * perNode }, (_, at) =>
        nodes[at % 2 ? 1 : 0].attempt(
          'ada',
          async isWrong => {
            isWrong();
            return 'wrong';
          },
          options,
        ),
      ),
    );

  it.each([1, limit.requests - 1])(
    'are together reported as wrong only as often as the caller says, %i times',
    async wrongMax => {
      const outcomes = await wrongAtBoth(limit.requests, { wrongMax });
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(wrongMax);
    },
  );

  it('lead elsewhere once the limit is reached, also those that were wrong when it was', async () => {
    const whenReached = async () => 'elsewhere';
    const outcomes = await wrongAtBoth(limit.requests, { whenReached });
    const values = outcomes.map(outcome => outcome.status === 'fulfilled' && outcome.value);
    expect(values.filter(value => value === 'wrong')).toHaveLength(limit.requests);
    expect(values.filter(value => value === 'elsewhere')).toHaveLength(limit.requests);
    expect(await nodes[0].attempt('ada', async () => 'right', { whenReached })).toBe('elsewhere');
  });
});
