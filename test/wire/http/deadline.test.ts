import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { backoffMs, randomFraction } from '../../../src/wire/http/backoff.ts';
import { Deadline } from '../../../src/wire/http/deadline.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('Deadline', () => {
  it('ends everything that waits at its instant, not a millisecond before', async () => {
    const clock = new VirtualClock(0);
    const deadline = new Deadline(clock, 1_000);
    const waiting = [codeOf(deadline.sleep(5_000)), codeOf(deadline.within(new Promise(() => {})))];
    await clock.advance(999);
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.leftMs).toBe(1);
    await clock.advance(1);
    expect(await Promise.all(waiting)).toEqual(['deadline_exceeded', 'deadline_exceeded']);
  });

  it('ends when the caller gives up, also before it began, and does not repeat the caller’s reason', async () => {
    const clock = new VirtualClock(0);
    const caller = new AbortController();
    const deadline = new Deadline(clock, 1_000, caller.signal);
    const waiting = codeOf(deadline.sleep(500));
    caller.abort(new Error('s3cret'));
    expect(await waiting).toBe('aborted');
    expect(deadline.signal.reason.message).not.toContain('s3cret');
    expect(await codeOf(new Deadline(clock, 1_000, caller.signal).sleep(1))).toBe('aborted');
  });

  it('has passed when it is zero or less, never passes when it is infinite, and is nothing else', async () => {
    const clock = new VirtualClock(0);
    for (const lengthMs of [0, -1, Number.NEGATIVE_INFINITY]) {
      const deadline = new Deadline(clock, lengthMs);
      expect([deadline.signal.aborted, await codeOf(deadline.sleep(1))]).toEqual([true, 'deadline_exceeded']);
    }
    const endless = new Deadline(clock, Number.POSITIVE_INFINITY);
    await clock.advance(Number.MAX_SAFE_INTEGER);
    expect([endless.signal.aborted, endless.leftMs]).toEqual([false, Number.POSITIVE_INFINITY]);
    for (const none of [Number.NaN, '5', null] as number[]) {
      expect(() => new Deadline(clock, none)).toThrow(expect.objectContaining({ code: 'invalid_deadline' }));
    }
  });

  it('lets what ends in time through, and leaves no timer behind', async () => {
    const clock = new VirtualClock(0);
    const deadline = new Deadline(clock, 1_000);
    const slept = codeOf(deadline.sleep(400));
    await clock.advance(400);
    expect(await slept).toBe('done');
    expect(await deadline.within(Promise.resolve(7))).toBe(7);
    expect(await codeOf(deadline.within(Promise.reject({ code: 'own' })))).toBe('own');
    deadline.close();
    await clock.advance(5_000);
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe('backoffMs', () => {
  const entropy = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) });
  const policy = { firstMs: 100, maxMs: 1_000 };

  it('doubles its ceiling with each attempt up to the largest, and stays between half of it and all of it', () => {
    const ceilings = [100, 200, 400, 800, 1_000, 1_000];
    ceilings.forEach((ceilingMs, attempt) => {
      expect(backoffMs(policy, attempt, entropy(0))).toBe(ceilingMs / 2);
      expect(backoffMs(policy, attempt, entropy(255))).toBeCloseTo(ceilingMs, 5);
    });
    expect(backoffMs(policy, 1_000_000, entropy(0))).toBe(500);
  });

  it('draws a fraction from 0 to just below 1, from any view of bytes', () => {
    expect(randomFraction(entropy(0))).toBe(0);
    expect(randomFraction(entropy(255))).toBeLessThan(1);
    expect(randomFraction({ bytes: () => new Uint8Array([9, 9, 128, 0, 0, 0]).subarray(2) })).toBe(0.5);
  });
});
