import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../../src/wire/rate-limits/headers.ts';

const headers = {
  'x-ratelimit-limit': '5',
  'x-ratelimit-remaining': '4',
  'x-ratelimit-reset': '1470173023.123',
  'x-ratelimit-reset-after': '1.5',
  'x-ratelimit-bucket': 'abcd',
};

describe('readLimits', () => {
  it('reads a bucket, its times in milliseconds', () => {
    expect(readLimits(200, headers, undefined)).toEqual({
      bucket: { id: 'abcd', limit: 5, remaining: 4, resetMs: 1470173023123, resetAfterMs: 1500 },
    });
  });

  it.each(Object.keys(headers))('takes a bucket without %s, or with nonsense in it, for none', name => {
    expect(readLimits(200, { ...headers, [name]: undefined }, undefined)).toEqual({});
    if (name !== 'x-ratelimit-bucket') {
      for (const text of ['-1', 'soon', 'Infinity', '']) {
        expect(readLimits(200, { ...headers, [name]: text }, undefined)).toEqual({});
      }
    }
  });

  it('takes no wait for longer than a day', () => {
    const dayMs = 86_400_000;
    const { bucket } = readLimits(200, { ...headers, 'x-ratelimit-reset-after': '1e308' }, undefined);
    expect(bucket?.resetAfterMs).toBe(dayMs);
    expect(readLimits(429, { 'retry-after': '1000000000' }, undefined).refusal?.retryAfterMs).toBe(dayMs);
    expect(readLimits(429, {}, { retry_after: 86_400 }).refusal?.retryAfterMs).toBe(dayMs);
  });

  it('reads a rejection from the body, which is finer than the header', () => {
    const limits = readLimits(429, { 'retry-after': '65' }, { retry_after: 64.57, global: false });
    expect(limits.refusal).toEqual({ scope: 'user', retryAfterMs: 64_570 });
  });

  it('reads a rejection from the header when the body is not the interface’s', () => {
    expect(readLimits(429, { 'retry-after': '2' }, undefined).refusal).toEqual({ scope: 'user', retryAfterMs: 2000 });
  });

  it('reads a rejection whose header is a date, by the clock of who sent it', () => {
    const waitMs = (until: string, date?: string) =>
      readLimits(429, { 'retry-after': until, date }, undefined).refusal?.retryAfterMs;
    const now = 'Wed, 31 Dec 2025 23:59:50 GMT';
    expect(waitMs('Thu, 01 Jan 2026 00:00:20 GMT', now)).toBe(30_000);
    expect(waitMs('Thu, 01 Jan 2099 00:00:20 GMT', now)).toBe(86_400_000);
    for (const until of [now, 'Wed, 31 Dec 2025 23:59:00 GMT', 'Foo, 99 Bar 2026 00:00:20 GMT', 'tomorrow']) {
      expect(waitMs(until, now)).toBe(1000);
    }
    expect(waitMs('Thu, 01 Jan 2026 00:00:20 GMT')).toBe(1000);
  });

  it.each([
    ['5', 1, 5_000],
    ['1', 5, 5_000],
    ['2', 1.5, 1_500],
    ['3', 1.5, 3_000],
    ['0', 2, 2_000],
  ])(
    'takes the longer time where the header says %s s and the body %d s, unless the header only rounds',
    (header, body, ms) => {
      expect(readLimits(429, { 'retry-after': header }, { retry_after: body }).refusal?.retryAfterMs).toBe(ms);
    },
  );

  it('takes the longer time where the header is a date', () => {
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' };
    expect(readLimits(429, headers, { retry_after: 1 }).refusal?.retryAfterMs).toBe(30_000);
  });

  it('waits a second when a 429 names no time', () => {
    expect(readLimits(429, {}, 'busy').refusal).toEqual({ scope: 'user', retryAfterMs: 1000 });
  });

  it.each([
    ['global by the scope header', { 'x-ratelimit-scope': 'global' }, {}, 'global'],
    ['global by the global header', { 'x-ratelimit-global': 'true' }, {}, 'global'],
    ['global by the body', {}, { global: true }, 'global'],
    ['shared', { 'x-ratelimit-scope': 'shared' }, { global: false }, 'shared'],
    ['user', { 'x-ratelimit-scope': 'user' }, {}, 'user'],
  ])('tells the scope: %s', (_, given, body, scope) => {
    expect(readLimits(429, given, body).refusal?.scope).toBe(scope);
  });

  it('survives any headers and any body', () => {
    const texts = fc.dictionary(
      fc.constantFrom(...Object.keys(headers), 'retry-after', 'x-ratelimit-scope'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(200, 429),
        texts,
        fc.jsonValue(),
        (status, given, body) => void readLimits(status, given, body),
      ),
    );
  });
});
