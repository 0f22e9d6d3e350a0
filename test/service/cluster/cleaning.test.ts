import { expect, it } from 'vitest';
import { BusError } from '../../../src/service/bus/errors.ts';
import { localBus } from '../../../src/service/bus/local.ts';
import { startCleaning } from '../../../src/service/cluster/cleaning.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';

const noLease = {
  lease: () => {
    throw new BusError('bus_unavailable', 'Redis is away.');
  },
};

it('one node of several cleans, at most once in ten seconds, and another when it has ended', async () => {
  const clock = new VirtualClock(0);
  const { log } = recordingLog();
  const bus = localBus(clock);
  const times: number[] = [];
  const clean = async () => void times.push(clock.now());
  const stops = Array.from({ length: 5 }, () => startCleaning(bus, clean, log, clock));
  await clock.advance(60_000);
  for (const [at, time] of times.entries())
    if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeGreaterThanOrEqual(10_000);
  expect(times.length).toBeGreaterThanOrEqual(4);
  for (const stop of stops.slice(1)) await stop();
  const before = times.length;
  await clock.advance(60_000);
  expect(times.length).toBeGreaterThanOrEqual(before + 2);
  await stops[0]?.();
  const after = times.length;
  await clock.advance(60_000);
  expect(times).toHaveLength(after);
});

it('it cleans without a lease while Redis is away', async () => {
  const clock = new VirtualClock(0);
  let cleaned = 0;
  const stop = startCleaning(noLease, async () => cleaned++, recordingLog().log, clock);
  await clock.advance(12_000);
  expect(cleaned).toBe(1);
  await stop();
});

it('a failure is logged once, and the next attempt follows', async () => {
  const clock = new VirtualClock(0);
  const { log, lines } = recordingLog();
  let tries = 0;
  const clean = async () => {
    tries++;
    throw new Error('the database is away');
  };
  const stop = startCleaning(noLease, clean, log, clock);
  await clock.advance(60_000);
  expect(tries).toBeGreaterThanOrEqual(4);
  expect(lines).toHaveLength(1);
  await stop();
});
