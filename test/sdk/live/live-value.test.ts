import { describe, expect, it } from 'vitest';
import { LiveValue } from '../../../src/sdk/live/live-value.ts';

function record<Value>(live: LiveValue<Value>): Value[] {
  const values: Value[] = [];
  live.value$.subscribe(value => values.push(value));
  return values;
}

describe('LiveValue', () => {
  it('gives a new subscriber the latest value, then each one', () => {
    const live = new LiveValue(0);
    live.set(1);
    const values = record(live);
    live.set(2);
    expect([values, live.value]).toEqual([[1, 2], 2]);
  });

  it('delivers all values in one order, also those that a subscriber sets while it is notified', () => {
    const live = new LiveValue(0);
    const before = record(live);
    const seen: number[] = [];
    live.value$.subscribe(value => {
      if (value === 1) {
        live.set(2);
        live.set(3);
      }
      seen.push(value, live.value);
    });
    const after = record(live);
    live.set(1);
    expect([before, after]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    expect(seen).toEqual([0, 0, 1, 3, 2, 3, 3, 3]);
  });

  it('delivers each value once to a subscriber that comes while others are notified', () => {
    const live = new LiveValue(0);
    let late: number[] | undefined;
    live.value$.subscribe(value => {
      if (value !== 1) return;
      live.set(2);
      late = record(live);
    });
    live.set(1);
    expect(late).toEqual([1, 2]);
  });

  it('completes for all subscribers, also for later ones', () => {
    const live = new LiveValue(0);
    const values = record(live);
    let ended = 0;
    live.value$.subscribe({ complete: () => ended++ });
    live.set(1);
    live.complete();
    live.value$.subscribe({ complete: () => ended++ });
    expect([values, ended, live.value]).toEqual([[0, 1], 2, 1]);
  });
});
