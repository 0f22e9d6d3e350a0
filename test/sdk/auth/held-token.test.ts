import { beforeEach, describe, expect, it } from 'vitest';
import { expirationNoticeMs, HeldToken, type TokenExpiration } from '../../../src/sdk/auth/held-token.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';

const hourMs = 3_600_000;

let clock: VirtualClock;
let machine: SleepyClock;
let held: HeldToken;
let told: TokenExpiration[];
let isComplete: boolean;

beforeEach(() => {
  clock = new VirtualClock(0);
  machine = new SleepyClock(clock);
  held = new HeldToken(machine);
  told = [];
  isComplete = false;
  held.expiration$.subscribe({
    next: expiration => told.push(expiration),
    complete: () => {
      isComplete = true;
    },
  });
});

describe('the expiry of an access token', () => {
  it('is reported once, five minutes ahead and not a millisecond before', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    await clock.advance(hourMs - expirationNoticeMs - 1);
    expect(told).toEqual([]);
    expect(held.expiration).toBeUndefined();
    await clock.advance(1);
    await clock.advance(hourMs);
    expect(told).toEqual([{ expiresAtMs: hourMs, isExpired: false }]);
    expect(Object.isFrozen(told[0])).toBe(true);
    expect(held.expiration).toBe(told[0]);
    held.set({ accessToken: 'b', expiresAtMs: 3 * hourMs });
    expect(held.expiration).toBeUndefined();
  });

  it('is reported for a token that has already expired', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: 0 });
    await clock.advance(0);
    expect(told).toEqual([{ expiresAtMs: 0, isExpired: true }]);
  });

  it('is not reported while disconnected, and immediately when connected', async () => {
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    await clock.advance(2 * hourMs);
    expect(told).toEqual([]);
    held.follow('ready');
    await clock.advance(0);
    expect(told).toEqual([{ expiresAtMs: hourMs, isExpired: true }]);
  });

  it('is reported ahead only once the session is open, because a refresh would invalidate the token that opens it', async () => {
    held.follow('connecting');
    held.set({ accessToken: 'a', expiresAtMs: expirationNoticeMs });
    await clock.advance(expirationNoticeMs - 1);
    expect(told).toEqual([]);
    held.follow('ready');
    await clock.advance(0);
    expect(told).toEqual([{ expiresAtMs: expirationNoticeMs, isExpired: false }]);
  });

  it('is reported while a session is opened if the token has expired', async () => {
    held.follow('connecting');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    await clock.advance(hourMs);
    expect(told).toEqual([{ expiresAtMs: hourMs, isExpired: true }]);
  });

  it('is not reported twice for one token, however often it is set or the connection changes', async () => {
    for (let i = 0; i < 3; i++) {
      held.follow('ready');
      held.set({ accessToken: 'a', expiresAtMs: 0 });
      await clock.advance(0);
      held.follow('disconnected');
    }
    expect(told).toHaveLength(1);
  });

  it('is reported for each token, except those that were replaced in time', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    await clock.advance(hourMs / 2);
    held.set({ accessToken: 'b', expiresAtMs: 2 * hourMs });
    await clock.advance(3 * hourMs);
    held.set({ accessToken: 'c', expiresAtMs: machine.now() });
    await clock.advance(0);
    expect(told.map(({ expiresAtMs }) => expiresAtMs)).toEqual([2 * hourMs, 3.5 * hourMs]);
  });

  it('is reported immediately by check() after a sleep, and within seconds without it', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    machine.sleep(8 * hourMs);
    held.check();
    expect(told).toEqual([{ expiresAtMs: hourMs, isExpired: true }]);
    held.set({ accessToken: 'b', expiresAtMs: machine.now() + hourMs });
    machine.sleep(hourMs);
    await clock.advance(5_000);
    expect(told).toHaveLength(2);
  });

  it('is reported after the time that passed when the clock is set back, also after a reconnect', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    machine.sleep(-192 * hourMs);
    held.follow('disconnected');
    held.follow('ready');
    await clock.advance(hourMs - expirationNoticeMs - 1);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual([{ expiresAtMs: hourMs, isExpired: false }]);
  });

  it('is not reported for a token without expiry, or after the token was cleared', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a' });
    await clock.advance(hourMs);
    held.set({ accessToken: 'b', expiresAtMs: machine.now() + hourMs });
    held.set(undefined);
    await clock.advance(2 * hourMs);
    expect(held.accessToken).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('is not reported after the close', async () => {
    held.follow('ready');
    held.set({ accessToken: 'a', expiresAtMs: hourMs });
    held.close();
    expect(isComplete).toBe(true);
    await clock.advance(2 * hourMs);
    expect(told).toEqual([]);
  });
});

describe('an access token', () => {
  const codeOf = (call: () => void) => {
    try {
      call();
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
    return undefined;
  };

  it('is rejected when empty, when no header can hold it, and with an invalid expiry, and the previous one stays', () => {
    held.set({ accessToken: 'a' });
    expect(codeOf(() => held.set({ accessToken: '' }))).toBe('missing_access_token');
    expect(codeOf(() => held.set({ accessToken: 'a\nb' }))).toBe('invalid_credential');
    for (const expiresAtMs of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(codeOf(() => held.set({ accessToken: 'b', expiresAtMs }))).toBe('invalid_expiry');
    }
    expect(held.accessToken).toBe('a');
  });
});
