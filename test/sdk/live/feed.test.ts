import { Observable, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Feed } from '../../../src/sdk/live/feed.ts';

function setUp() {
  const state = { value: 0, reads: 0 };
  const feed = new Feed(() => {
    state.reads++;
    return state.value;
  });
  const stream = new Observable<number>(subscriber => feed.subscribe(subscriber));
  const change = (value: number) => {
    state.value = value;
    feed.notify();
  };
  const record = () => {
    const values: number[] = [];
    const subscription = stream.subscribe(value => values.push(value));
    return { values, subscription };
  };
  return { state, feed, stream, change, record };
}

describe('Feed', () => {
  it('gives the present value first, then each other one, never the same twice in a row', () => {
    const { change, record } = setUp();
    const { values } = record();
    change(1);
    change(1);
    change(2);
    expect(values).toEqual([0, 1, 2]);
    expect(record().values).toEqual([2]);
  });

  it('does not read the value without subscribers', () => {
    const { state, change, record } = setUp();
    change(1);
    record().subscription.unsubscribe();
    change(2);
    expect(state.reads).toBe(1);
    expect(record().values).toEqual([2]);
  });

  it('delivers all values in one order to all, also those that a subscriber sets while it is notified', () => {
    const { change, stream, record } = setUp();
    const before = record();
    stream.subscribe(value => {
      if (value !== 1) return;
      change(2);
      change(3);
    });
    const after = record();
    change(1);
    expect([before.values, after.values]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  it('starts afresh for a subscriber that comes when the last one has gone while it was notified', () => {
    const { change, stream, record } = setUp();
    let late: number[] | undefined;
    const only = stream.subscribe(value => {
      if (value !== 1) return;
      change(2);
      only.unsubscribe();
      late = record().values;
    });
    change(1);
    change(3);
    expect(late).toEqual([2, 3]);
  });

  it('delivers each value once to a subscriber that comes while others are notified', () => {
    const { change, stream, record } = setUp();
    const late: number[][] = [];
    stream.pipe(take(2)).subscribe({ complete: () => late.push(record().values) });
    const { values } = record();
    change(1);
    change(2);
    expect(values).toEqual([0, 1, 2]);
    expect(late).toEqual([[1, 2]]);
  });

  it('delivers a change to earlier subscribers that a new subscription reveals', () => {
    const { state, record } = setUp();
    const { values } = record();
    state.value = 5;
    expect(record().values).toEqual([5]);
    expect(values).toEqual([0, 5]);
  });

  it('completes for all subscribers', () => {
    const { feed, stream } = setUp();
    let ended = 0;
    for (let i = 0; i < 2; i++) stream.subscribe({ complete: () => ended++ });
    feed.complete();
    expect(ended).toBe(2);
    expect(feed.isObserved).toBe(false);
  });
});
