import { beforeEach, describe, expect, it } from 'vitest';
import { Alarm } from '../../../src/sdk/connection/alarm.ts';
import { momentIn } from '../../../src/wire/clock/moment.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 1);

let clock: VirtualClock;
let machine: SleepyClock;
let alarm: Alarm;
let rung: number[];
const ring = () => rung.push(machine.now() - startMs);

beforeEach(() => {
  clock = new VirtualClock(startMs);
  machine = new SleepyClock(clock);
  alarm = new Alarm(machine);
  rung = [];
});

describe('Alarm', () => {
  it('rings once, at its instant and not a millisecond before', async () => {
    alarm.set(momentIn(machine, hourMs), ring);
    await clock.advance(hourMs - 1);
    expect(rung).toEqual([]);
    await clock.advance(1);
    await clock.advance(hourMs);
    expect(rung).toEqual([hourMs]);
  });

  it('rings for an instant that has passed, but not within the call that sets it', async () => {
    alarm.set(momentIn(machine, -1), ring);
    expect(rung).toEqual([]);
    await clock.advance(0);
    expect(rung).toEqual([0]);
  });

  it('rings within seconds of waking up when the machine slept past its instant', async () => {
    alarm.set(momentIn(machine, hourMs), ring);
    await clock.advance(1_000);
    machine.sleep(8 * hourMs);
    await clock.advance(5_000);
    expect(rung).toHaveLength(1);
  });

  it('runs immediately after a sleep when it is checked', () => {
    alarm.set(momentIn(machine, hourMs), ring);
    machine.sleep(hourMs);
    alarm.check();
    alarm.check();
    expect(rung).toEqual([hourMs]);
  });

  it('counts a sleep that ends before its instant', async () => {
    alarm.set(momentIn(machine, hourMs), ring);
    machine.sleep(hourMs / 2);
    await clock.advance(hourMs / 2);
    expect(rung).toEqual([hourMs]);
  });

  it("rings after the time that passed when the machine's time is set back", async () => {
    alarm.set(momentIn(machine, hourMs), ring);
    machine.sleep(-8 * 24 * hourMs);
    await clock.advance(hourMs - 1);
    expect(rung).toEqual([]);
    await clock.advance(1);
    expect(rung).toHaveLength(1);
  });

  it("rings after the time that passed when the machine's time was ahead for a while", async () => {
    machine.sleep(8 * 24 * hourMs);
    alarm.set(momentIn(machine, hourMs), ring);
    await clock.advance(15_000);
    machine.sleep(-8 * 24 * hourMs);
    await clock.advance(hourMs - 15_001);
    expect(rung).toEqual([]);
    await clock.advance(1);
    expect(rung).toHaveLength(1);
  });

  it('forgets what it was set to when it is set again or cancelled', async () => {
    alarm.set(momentIn(machine, 1_000), () => rung.push(-1));
    alarm.set(momentIn(machine, 2_000), ring);
    await clock.advance(2_000);
    expect(rung).toEqual([2_000]);
    alarm.set(momentIn(machine, 1_000), ring);
    alarm.cancel();
    alarm.cancel();
    await clock.advance(hourMs);
    expect(rung).toEqual([2_000]);
  });

  it('can be set again by its own task', async () => {
    alarm.set(momentIn(machine, 1_000), () => {
      ring();
      alarm.set(momentIn(machine, 1_000), ring);
    });
    await clock.advance(5_000);
    expect(rung).toEqual([1_000, 2_000]);
  });
});
