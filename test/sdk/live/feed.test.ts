import { Observable, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Feed } from '../../../src/sdk/live/feed.ts';

function setUp() {
  const state = { value: 0, reads: 0 };
  const feed = new Feed(() => {
    state.reads++;
    return state.value;
  });
  const stream = new Observable<number>(watcher => feed.watch(watcher));
  const change = (value: number) => {
    state.value = value;
    feed.tell();
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

  it('does not even read the value while nobody watches', () => {
    const { state, change, record } = setUp();
    change(1);
    record().subscription.unsubscribe();
    change(2);
    expect(state.reads).toBe(1);
    expect(record().values).toEqual([2]);
  });

  it('lets a watcher change the value while it is told: the others hear of the newest only', () => {
    const { change, stream, record } = setUp();
    stream.subscribe(value => {
      if (value === 1) change(2);
    });
    const { values } = record();
    change(1);
    expect(values).toEqual([0, 2]);
  });

  it('tells a watcher who comes while others are being told once', () => {
    const { change, stream, record } = setUp();
    const late: number[][] = [];
    stream.pipe(take(2)).subscribe({ complete: () => late.push(record().values) });
    const { values } = record();
    change(1);
    change(2);
    expect(values).toEqual([0, 1, 2]);
    expect(late).toEqual([[1, 2]]);
  });

  it('tells who watched before of a change that a newcomer finds out', () => {
    const { state, record } = setUp();
    const { values } = record();
    state.value = 5;
    expect(record().values).toEqual([5]);
    expect(values).toEqual([0, 5]);
  });

  it('ends for all when it is completed', () => {
    const { feed, stream } = setUp();
    let ended = 0;
    for (let i = 0; i < 2; i++) stream.subscribe({ complete: () => ended++ });
    feed.complete();
    expect(ended).toBe(2);
    expect(feed.isWatched).toBe(false);
  });
});
