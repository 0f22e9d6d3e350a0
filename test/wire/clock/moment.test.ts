import { describe, expect, it } from 'vitest';
import { leftMs, momentIn } from '../../../src/wire/clock/moment.ts';
import { settleWithin } from '../../../src/wire/clock/settle-within.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { SetClock } from '../../support/clock/set-clock.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';

const dayMs = 24 * 60 * 60_000;

describe('a moment', () => {
  it.each([0, -8 * dayMs, -1])(
    'comes after the time that passes, not later, when the clock is set by %d ms',
    async byMs => {
      const clock = new SetClock();
      const moment = momentIn(clock, 1_000);
      clock.set(byMs);
      await clock.advance(999);
      expect(leftMs(clock, moment)).toBe(1);
      await clock.advance(1);
      expect(leftMs(clock, moment)).toBe(0);
    },
  );

  it('has come when the machine slept past it', () => {
    const machine = new SleepyClock(new VirtualClock(0));
    const moment = momentIn(machine, 1_000);
    machine.sleep(1_001);
    expect(leftMs(machine, moment)).toBe(-1);
  });
});

describe('settleWithin()', () => {
  it('resolves when the work settles, whichever way, and leaves no timer', async () => {
    const clock = new VirtualClock(0);
    await settleWithin(clock, 1_000, Promise.resolve());
    await settleWithin(clock, 1_000, Promise.reject(new Error('no')));
    await settleWithin(clock, 1_000, undefined);
    expect(clock.now()).toBe(0);
  });

  it('resolves after its time when the work hangs, and not a millisecond before', async () => {
    const clock = new VirtualClock(0);
    let isDone = false;
    const settled = settleWithin(clock, 1_000, new Promise(() => {})).then(() => {
      isDone = true;
    });
    await clock.advance(999);
    expect(isDone).toBe(false);
    await clock.advance(1);
    await settled;
    expect(isDone).toBe(true);
  });
});
