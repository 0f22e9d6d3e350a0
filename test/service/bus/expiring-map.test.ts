import { describe, expect, it } from 'vitest';
import { ExpiringMap } from '../../../src/service/bus/local.ts';

describe('an expiring map', () => {
  it.each([
    [99, true],
    [100, false],
    [101, false],
  ])('at %d finds a value that ends at 100: %s', (nowMs, found) => {
    const map = new ExpiringMap<{ endsAtMs: number }>();
    map.set('a', { endsAtMs: 100 }, 0);
    expect(map.get('a', nowMs) !== undefined).toBe(found);
  });

  it('never holds more than 1,024 values, or twice those that have not expired', () => {
    const map = new ExpiringMap<{ endsAtMs: number }>();
    let largest = 0;
    for (let nowMs = 0; nowMs < 100_000; nowMs++) {
      map.set(String(nowMs), { endsAtMs: nowMs + 1000 }, nowMs);
      largest = Math.max(largest, map.size);
    }
    expect(largest).toBeLessThanOrEqual(2000);
    expect(map.get('99999', 99_999)).toBeDefined();
  });

  it('keeps everything that has not expired, however much', () => {
    const map = new ExpiringMap<{ endsAtMs: number }>();
    for (let at = 0; at < 5000; at++) map.set(String(at), { endsAtMs: 10 }, 0);
    for (let at = 0; at < 5000; at++) expect(map.get(String(at), 9)).toBeDefined();
    expect(map.get('0', 10)).toBeUndefined();
  });

  it('forgets what is deleted or cleared', () => {
    const map = new ExpiringMap<{ endsAtMs: number }>();
    map.set('a', { endsAtMs: 10 }, 0);
    map.set('b', { endsAtMs: 10 }, 0);
    map.delete('a');
    expect(map.get('a', 0)).toBeUndefined();
    map.clear();
    expect(map.size).toBe(0);
  });
});
