import { beforeAll, describe, expect, it } from 'vitest';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import type { Clock, ScheduleOptions } from '../../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';
import { patienceMs, runs } from '../../../support/runs/soak.ts';
import { lobbyRecord } from '../../../support/store/records.ts';
import { ada, makeWorld, type World } from '../support.ts';

const count = runs(20_000, 1_000_000);

/** Time that counts how many tasks wait. */
class CountingClock extends VirtualClock implements Clock {
  scheduled = 0;
  waiting = 0;
  waitingMost = 0;

  override schedule(delayMs: number, task: () => void | Promise<void>, options?: ScheduleOptions) {
    void options;
    this.scheduled++;
    this.waitingMost = Math.max(this.waitingMost, ++this.waiting);
    let isWaiting = true;
    const end = () => {
      if (isWaiting) this.waiting--;
      isWaiting = false;
    };
    const cancel = super.schedule(delayMs, () => {
      end();
      return task();
    });
    return () => {
      end();
      cancel();
    };
  }
}

describe(`${count} idle lobbies`, () => {
  let world: World;
  let clock: CountingClock;
  let lobbies: Lobbies;
  let startMs: number;

  beforeAll(async () => {
    const made = await makeWorld();
    startMs = made.core.clock.now();
    clock = new CountingClock(startMs);
    world = { ...made, core: { ...made.core, clock } };
    const content = await world.core.store.dump();
    // Each is due at a time of its own.
    const all = Array.from({ length: count }, (_, i) =>
      lobbyRecord({ id: String(10 ** 15 + i), expires_at_ms: startMs + 1_000_000 + i }),
    );
    await world.core.store.load({ ...content, lobbies: all });
    lobbies = createLobbies(world.core);
    await lobbies.start();
  }, patienceMs);

  it('wait on one timer', () => {
    expect([clock.scheduled, clock.waiting]).toEqual([1, 1]);
  });

  it('need no other for what happens to them', async () => {
    const before = clock.scheduled;
    const calls = 200;
    for (let i = 0; i < calls; i++) {
      const id = String(10 ** 15 + i * 7);
      await lobbies.edit(world.starfall, id, { idle_timeout_seconds: 600 + i, metadata: { i: String(i) } });
      await lobbies.putMember(world.starfall, id, ada, {});
      await lobbies.read(world.starfall, id);
    }
    expect(clock.waitingMost).toBe(1);
    expect(clock.scheduled - before).toBeLessThanOrEqual(2 * calls);
  });

  it('are not looked at while none is due', async () => {
    const before = clock.scheduled;
    await clock.advance(600_000 - 1);
    expect(clock.scheduled - before).toBe(0);
  });

  it(
    'end at their times, still on one timer',
    async () => {
      await clock.advance(startMs + 1_000_000 - 1 - clock.now());
      const left = async () => (await world.core.store.list('lobbies')).length;
      const before = await left();
      await clock.advance(100);
      expect(await left()).toBe(before - 100 + overlap(100));
      await clock.advance(count);
      expect(await left()).toBe(0);
      expect(clock.waitingMost).toBe(1);
    },
    patienceMs,
  );
});

/** Of the first lobbies those that were given another time before. */
function overlap(first: number): number {
  return Math.ceil(first / 7);
}
