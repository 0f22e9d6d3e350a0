import { describe, expect, it } from 'vitest';
import { Revisions } from '../../../src/service/store/embedded.ts';

function open(capacity?: number) {
  let last = 0;
  const revisions = new Revisions(() => last, capacity);
  const commit = (scope: string) => revisions.set(scope, ++last);
  return { revisions, commit };
}

describe('revisions', () => {
  it('begin at the last commit of all when a scope is first asked for', () => {
    const { revisions, commit } = open();
    commit('a');
    commit('b');
    expect(revisions.get('never seen')).toBe(2);
  });

  it('stand still while other scopes change', () => {
    const { revisions, commit } = open();
    const before = revisions.get('a');
    commit('b');
    expect(revisions.get('a')).toBe(before);
    commit('a');
    expect(revisions.get('a')).toBe(2);
  });

  it('count a forgotten scope as changed', () => {
    const { revisions, commit } = open(4);
    const before = revisions.get('a');
    for (const scope of ['b', 'c', 'd', 'e', 'f', 'g']) {
      commit(scope);
      revisions.get(scope);
    }
    expect(revisions.get('a')).toBeGreaterThan(before);
  });

  it('never fall, and rise with every commit, for any scope at any capacity', () => {
    const scopes = ['a', 'b', 'c', 'd', 'e'];
    for (const capacity of [1, 2, 4, 100]) {
      const { revisions, commit } = open(capacity);
      for (let number = 1; number < 200; number++) {
        const before = scopes.map(scope => revisions.get(scope));
        const changed = (number * 7) % 5;
        commit(scopes[changed] ?? 'a');
        const after = scopes.map(scope => revisions.get(scope));
        after.forEach((revision, at) => {
          expect(revision).toBeGreaterThanOrEqual(before[at] ?? 0);
        });
        expect(after[changed]).toBe(number);
      }
    }
  });

  it('count every scope as changed when all is replaced', () => {
    const { revisions, commit } = open();
    const before = revisions.get('a');
    commit('b');
    revisions.clear();
    expect(revisions.get('a')).toBeGreaterThan(before);
  });
});
