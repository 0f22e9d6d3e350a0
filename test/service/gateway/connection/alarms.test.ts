import { describe, expect, it } from 'vitest';
import { Alarms } from '../../../../src/service/gateway/sessions/credential-watch.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';

function started() {
  const clock = new VirtualClock(0);
  const rung: [string, number][] = [];
  const alarms = new Alarms<string>(clock, item => rung.push([item, clock.now()]));
  return { clock, rung, alarms };
}

describe('alarms', () => {
  it('fire at their times, the earliest first, whatever the order of setting', async () => {
    const { clock, rung, alarms } = started();
    alarms.set('late', 300);
    alarms.set('early', 100);
    alarms.set('middle', 200);
    alarms.set('past', -5);
    await clock.advance(1000);
    expect(rung).toEqual([
      ['past', 0],
      ['early', 100],
      ['middle', 200],
      ['late', 300],
    ]);
  });

  it('ring once, at the instant set last, and not when dropped', async () => {
    const { clock, rung, alarms } = started();
    alarms.set('moved', 100);
    alarms.set('moved', 500);
    alarms.set('dropped', 50);
    alarms.drop('dropped');
    alarms.drop('never set');
    await clock.advance(499);
    expect(rung).toEqual([]);
    await clock.advance(1000);
    expect(rung).toEqual([['moved', 500]]);
    alarms.set('closed', 2000);
    alarms.close();
    await clock.advance(1000);
    expect(rung).toHaveLength(1);
  });

  it('can be set again from within', async () => {
    const clock = new VirtualClock(0);
    const rung: number[] = [];
    const alarms = new Alarms<string>(clock, item => {
      rung.push(clock.now());
      if (rung.length < 3) alarms.set(item, clock.now() + 10);
    });
    alarms.set('a', 10);
    await clock.advance(100);
    expect(rung).toEqual([10, 20, 30]);
  });
});
