import { describe, expect, it } from 'vitest';
import { RecordCache } from '../../../../src/service/store/sqlite/record-cache.ts';

describe('the record cache', () => {
  it('gives what was set last, and nothing after a delete or a clear', () => {
    const cache = new RecordCache(1000);
    const [first, second] = [{ n: 1 }, { n: 2 }];
    cache.set('lobbies', 'a', first, 10);
    cache.set('lobbies', 'a', second, 10);
    expect(cache.get('lobbies', 'a')).toBe(second);
    expect(cache.get('users', 'a')).toBeUndefined();
    cache.delete('lobbies', 'a');
    expect(cache.get('lobbies', 'a')).toBeUndefined();
    cache.set('lobbies', 'a', first, 10);
    cache.clear();
    expect(cache.get('lobbies', 'a')).toBeUndefined();
  });

  it('holds no more than its bound, however often records are read and replaced', () => {
    const cache = new RecordCache(1000);
    for (let at = 0; at < 10_000; at++) {
      cache.set('lobbies', String(at % 300), {}, 10);
      cache.get('lobbies', String((at * 7) % 300));
    }
    const held = Array.from({ length: 300 }, (_, at) => cache.get('lobbies', String(at))).filter(Boolean);
    expect(held.length).toBeLessThanOrEqual(100);
  });

  it('keeps what is used again and again while others come and go', () => {
    const cache = new RecordCache(1000);
    const hot = {};
    cache.set('lobbies', 'hot', hot, 10);
    for (let at = 0; at < 1000; at++) {
      cache.set('lobbies', String(at), {}, 10);
      if (at % 20 === 0) expect(cache.get('lobbies', 'hot')).toBe(hot);
    }
    expect(cache.get('lobbies', '0')).toBeUndefined();
  });

  it('does not give a replaced record back from the old generation', () => {
    const cache = new RecordCache(100);
    cache.set('lobbies', 'a', { version: 1 }, 40);
    cache.set('lobbies', 'b', {}, 40);
    const second = { version: 2 };
    cache.set('lobbies', 'a', second, 40);
    cache.set('lobbies', 'c', {}, 40);
    const found = cache.get('lobbies', 'a');
    expect(found === undefined || found === second).toBe(true);
    cache.delete('lobbies', 'a');
    expect(cache.get('lobbies', 'a')).toBeUndefined();
  });
});
