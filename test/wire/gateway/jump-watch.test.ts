import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { watchForJumps } from '../../../src/wire/gateway/jump-watch.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';

describe('watchForJumps', () => {
  const watched = () => {
    const machine = new VirtualClock(0);
    const clock = new SleepyClock(machine);
    const jumps: number[] = [];
    const cancel = watchForJumps(clock, () => jumps.push(machine.now()));
    return { machine, clock, jumps, cancel };
  };

  it('says nothing while time passes as it is lived', async () => {
    const { machine, jumps } = watched();
    await machine.advance(600_000);
    expect(jumps).toEqual([]);
  });

  it('notices a sleep of 5 s within 5 s, once, and not one that is shorter', async () => {
    const { machine, clock, jumps } = watched();
    await machine.advance(61_000);
    clock.sleep(4_999);
    await machine.advance(60_000);
    expect(jumps).toEqual([]);
    clock.sleep(5_000);
    await machine.advance(60_000);
    expect(jumps).toEqual([125_000]);
  });

  it('is not disturbed by a clock that is set back', async () => {
    const { machine, clock, jumps } = watched();
    clock.sleep(-3_600_000);
    await machine.advance(20_000);
    expect(jumps).toEqual([]);
    clock.sleep(10_000);
    await machine.advance(5_000);
    expect(jumps).toHaveLength(1);
  });

  it('schedules nothing on a clock that cannot jump', async () => {
    const scheduled: number[] = [];
    const clock = {
      now: () => 0,
      schedule: (delayMs: number) => {
        scheduled.push(delayMs);
        return () => {};
      },
    };
    watchForJumps(clock, () => {})();
    expect(scheduled).toEqual([]);
  });

  it('ends when cancelled', async () => {
    const { machine, clock, jumps, cancel } = watched();
    cancel();
    clock.sleep(60_000);
    await machine.advance(60_000);
    expect(jumps).toEqual([]);
  });
});
