import { describe, expect, it } from 'vitest';
import { Deadlines } from '../../../../src/service/gateway/connection/deadlines.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';

describe('deadlines', () => {
  function started() {
    const clock = new VirtualClock(0);
    const due: [string, number][] = [];
    let timers = 0;
    const counted = {
      now: () => clock.now(),
      schedule: (delayMs: number, task: () => void) => {
        timers++;
        return clock.schedule(delayMs, task);
      },
    };
    const deadlines = new Deadlines<string>(counted, 100, item => due.push([item, clock.now()]));
    return { clock, due, deadlines, timers: () => timers };
  }

  it('fall due a span after the last touch, each on its own', async () => {
    const { clock, due, deadlines } = started();
    deadlines.touch('a');
    await clock.advance(40);
    deadlines.touch('b');
    await clock.advance(40);
    deadlines.touch('a');
    await clock.advance(1000);
    expect(due).toEqual([
      ['b', 140],
      ['a', 180],
    ]);
  });

  it('know how many items wait, and which of them has waited longest', () => {
    const { deadlines } = started();
    expect([deadlines.size, deadlines.first]).toEqual([0, undefined]);
    for (const item of ['a', 'b', 'c', 'a']) deadlines.touch(item);
    expect([deadlines.size, deadlines.first]).toEqual([3, 'b']);
    deadlines.drop('b');
    expect([deadlines.size, deadlines.first]).toEqual([2, 'c']);
  });

  it('do not fall due once dropped', async () => {
    const { clock, due, deadlines } = started();
    deadlines.touch('a');
    deadlines.drop('a');
    deadlines.drop('never there');
    await clock.advance(1000);
    deadlines.touch('b');
    deadlines.close();
    await clock.advance(1000);
    expect(due).toEqual([]);
  });

  it('need one timer a span, however many items are touched however often', async () => {
    const { clock, deadlines, timers } = started();
    for (let ms = 0; ms < 1000; ms++) {
      for (let item = 0; item < 10; item++) deadlines.touch(`item ${item}`);
      await clock.advance(1);
    }
    expect(timers()).toBeLessThanOrEqual(11);
  });
});
