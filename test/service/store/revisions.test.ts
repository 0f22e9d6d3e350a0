import { describe, expect, it } from 'vitest';
import { Revisions } from '../../../src/service/store/revisions.ts';

describe('revisions', () => {
  it('start at the floor they are given', () => {
    expect(new Revisions(7).get('never seen')).toBe(7);
  });

  it('forget the longest unchanged scopes first, which then count as changed with the last of them', () => {
    const revisions = new Revisions(0, 4);
    revisions.set('a', 1);
    revisions.set('b', 2);
    revisions.set('a', 3);
    expect(['a', 'b', 'c'].map(scope => revisions.get(scope))).toEqual([3, 2, 0]);
    revisions.set('c', 4);
    expect(['a', 'b', 'c', 'd'].map(scope => revisions.get(scope))).toEqual([3, 2, 4, 2]);
  });

  it('remember as many scopes as they are told, half at least', () => {
    const revisions = new Revisions(0, 1000);
    for (let number = 1; number <= 10_000; number++) {
      revisions.set(String(number), number);
      for (const near of [number, Math.max(1, number - 499)]) expect(revisions.get(String(near))).toBe(near);
    }
    expect(revisions.get('1')).toBeGreaterThanOrEqual(9000);
  });

  it('never fall, and rise with every commit, for any scope at any capacity', () => {
    const scopes = ['a', 'b', 'c', 'd', 'e'];
    const revisions = new Revisions(0, 4);
    for (let number = 1; number < 200; number++) {
      const before = scopes.map(scope => revisions.get(scope));
      const changed = (number * 7) % 5;
      revisions.set(scopes[changed] ?? 'a', number);
      const after = scopes.map(scope => revisions.get(scope));
      after.forEach((revision, at) => {
        expect(revision).toBeGreaterThanOrEqual(before[at] ?? 0);
      });
      expect(after[changed]).toBe(number);
    }
  });

  it('rise together when all is replaced', () => {
    const revisions = new Revisions(0);
    revisions.set('a', 1);
    revisions.setAll(2);
    expect([revisions.get('a'), revisions.get('b')]).toEqual([2, 2]);
  });
});
