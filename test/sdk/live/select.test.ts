import { BehaviorSubject, config } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { selectFrom } from '../../../src/sdk/live/select.ts';

const scheduler = () => new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
const sizes = { a: [1], b: [2], c: [1, 2], d: [3, 4], x: 1, y: 2 };

afterEach(() => {
  config.onUnhandledError = null;
});

describe('selectFrom', () => {
  it('says what is selected, and again only when that differs', () => {
    scheduler().run(({ hot, expectObservable }) => {
      const source = hot('                     a--b--c--d--a--|', sizes);
      const selected = selectFrom(source as never, (list: number[]) => list.length, Object.is);
      expectObservable(selected as never).toBe('x-----y-----x--|', sizes);
    });
  });

  it('compares with the given function', () => {
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

  it('reports what a selector throws as what a subscriber throws, and continues', async () => {
    const reported: unknown[] = [];
    config.onUnhandledError = error => reported.push(error);
    const source = new BehaviorSubject(1);
    const trouble = new RangeError('in the game');
    const odd = (value: number) => {
      if (value % 2 === 0) throw trouble;
      return value;
    };
    const values: number[] = [];
    selectFrom(source as never, odd, Object.is).subscribe(value => values.push(value));
    for (const value of [2, 3, 4]) source.next(value);
    await new Promise(resolve => setTimeout(resolve));
    expect([values, reported]).toEqual([
      [1, 3],
      [trouble, trouble],
    ]);
  });
});
