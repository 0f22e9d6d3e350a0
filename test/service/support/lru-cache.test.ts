import { describe, expect, it } from 'vitest';
import { LruCache } from '../../../src/service/support/lru-cache.ts';

describe('what was used lately', () => {
  it('is what was set last, and nothing after a delete or a clear', () => {
    const recent = new LruCache<number>(1000);
    recent.set('a', 1, 10);
    recent.set('a', 2, 10);
    expect(recent.get('a')).toBe(2);
    expect(recent.get('b')).toBeUndefined();
    recent.delete('a');
    expect([recent.get('a'), recent.has('a')]).toEqual([undefined, false]);
    recent.set('a', 1, 10);
    recent.clear();
    expect([recent.get('a'), recent.has('a')]).toEqual([undefined, false]);
  });

  it('weighs no more than its bound, however often entries are read and replaced', () => {
    const recent = new LruCache<number>(1000);
    for (let at = 0; at < 10_000; at++) {
      recent.set(String(at % 300), at, 10);
      recent.get(String((at * 7) % 300));
    }
    const held = Array.from({ length: 300 }, (_, at) => recent.has(String(at))).filter(Boolean);
    expect(held.length).toBeLessThanOrEqual(100);
    expect(held.length).toBeGreaterThanOrEqual(50);
  });

  it('stays while others come and go', () => {
    const recent = new LruCache<string>(1000);
    recent.set('hot', 'hot', 10);
    for (let at = 0; at < 1000; at++) {
      recent.set(String(at), 'cold', 10);
      if (at % 20 === 0) expect(recent.get('hot')).toBe('hot');
    }
    expect(recent.get('0')).toBeUndefined();
  });

  it('never gives a replaced value back from the old generation', () => {
    const recent = new LruCache<number>(100);
    recent.set('a', 1, 40);
    recent.set('b', 0, 40);
    recent.set('a', 2, 40);
    recent.set('c', 0, 40);
    expect([undefined, 2]).toContain(recent.get('a'));
    recent.delete('a');
    expect(recent.get('a')).toBeUndefined();
  });

  it('does not hold what alone is heavier than the bound beyond the next entry', () => {
    const recent = new LruCache<number>(100);
    recent.set('large', 1, 1000);
    recent.set('a', 1, 60);
    recent.set('b', 1, 60);
    expect(recent.has('large')).toBe(false);
  });
});
