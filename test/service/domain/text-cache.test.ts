import { describe, expect, it } from 'vitest';
import { TextCache } from '../../../src/service/domain/text-cache.ts';

describe('a text', () => {
  it('is found under its name and revision only', () => {
    const cache = new TextCache();
    cache.set('a', 1, 'one');
    expect(cache.get('a', 1)).toBe('one');
    expect(cache.get('a', 2)).toBeUndefined();
    expect(cache.get('b', 1)).toBeUndefined();
  });

  it('replaces the one kept under its name', () => {
    const cache = new TextCache();
    cache.set('a', 1, 'one');
    cache.set('a', 2, 'two');
    expect(cache.get('a', 1)).toBeUndefined();
    expect(cache.get('a', 2)).toBe('two');
  });
});

describe('a full cache', () => {
  const text = 'x'.repeat(871); // with a name of one character and its share of the map: 1000

  it('holds no more than its bound, and what is used', () => {
    const cache = new TextCache(3000);
    cache.set('hot', 1, text);
    for (let at = 0; at < 9; at++) {
      cache.set(String(at), 1, text);
      expect(cache.get('hot', 1)).toBe(text);
    }
    const kept = Array.from({ length: 9 }, (_, at) => cache.get(String(at), 1)).filter(Boolean);
    expect(kept.length).toBeLessThanOrEqual(2);
  });
});
