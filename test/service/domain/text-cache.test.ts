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
  const full = () => {
    const cache = new TextCache(3000);
    for (const name of ['a', 'b', 'c']) cache.set(name, 1, text);
    return cache;
  };
  const kept = (cache: TextCache) => ['a', 'b', 'c', 'd'].filter(name => cache.get(name, 1) !== undefined);

  it('holds exactly its bound', () => {
    expect(kept(full())).toEqual(['a', 'b', 'c']);
  });

  it('makes room by the text longest unused', () => {
    const cache = full();
    cache.get('a', 1);
    cache.set('d', 1, text);
    expect(kept(cache)).toEqual(['a', 'c', 'd']);
  });

  it('makes as much room as a large text needs, and does not take one larger than itself', () => {
    const cache = full();
    cache.set('d', 1, 'x'.repeat(2871));
    expect(kept(cache)).toEqual(['d']);
    cache.set('a', 1, 'x'.repeat(2872));
    expect(kept(cache)).toEqual(['d']);
  });

  it('has room again for what was replaced by less', () => {
    const cache = full();
    cache.set('a', 1, '');
    cache.set('d', 1, 'x'.repeat(742));
    expect(kept(cache)).toEqual(['a', 'b', 'c', 'd']);
  });
});
