import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { selectFrom } from '../../src/sdk/select.ts';

const scheduler = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
const sizes = { a: [1], b: [2], c: [1, 2], d: [3, 4], x: 1, y: 2 };

describe('selectFrom', () => {
  it('says what is selected, and again only when that differs', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const source = hot('                     a--b--c--d--a--|', sizes);
      const selected = selectFrom(source as never, (list: number[]) => list.length, Object.is);
      expectObservable(selected as never).toBe('x-----y-----x--|', sizes);
    });
  });

  it('compares as it is told', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const source = hot('                     a--b--c--d--|', sizes);
      const sameLength = (a: number[], b: number[]) => a.length === b.length;
      const selected = selectFrom(source as never, (list: number[]) => list, sameLength);
      expectObservable(selected as never).toBe('a-----c-----|', sizes);
    });
  });

  it('stops listening with its watcher', () => {
    scheduler().run(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('a--b--c--d--|', sizes);
      const selected = selectFrom(source as never, (list: number[]) => list.length, Object.is);
      expectObservable(selected as never, '^------!').toBe('x-----y-', sizes);
      expectSubscriptions(source.subscriptions).toBe('^------!');
    });
  });
});
