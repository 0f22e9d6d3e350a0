import { describe, expect, it } from 'vitest';
import { makeSecret } from '../../../samples/electron-lobby/main/lobby-secret.ts';

describe('a secret of a lobby', () => {
  it('is two words and twelve letters that are not read as one another', () => {
    for (let i = 0; i < 200; i++) {
      expect(makeSecret()).toMatch(/^[a-z]+-[a-z]+(-[2-9A-HJ-NP-Z]{4}){3}$/);
    }
  });

  it('is another each time', () => {
    expect(new Set(Array.from({ length: 1000 }, makeSecret)).size).toBe(1000);
  });

  it('uses every letter about as often: none of the 60 bits is lost', () => {
    const letters = Array.from({ length: 4000 }, makeSecret).flatMap(secret => [
      ...secret.split('-').slice(2).join(''),
    ]);
    const counts = Object.values(Object.groupBy(letters, letter => letter)).map(all => all?.length ?? 0);
    expect(counts).toHaveLength(32);
    // 48,000 letters: 1,500 each, give or take six standard deviations.
    for (const count of counts) expect(Math.abs(count - 1500)).toBeLessThan(6 * Math.sqrt(1500));
  });
});
