import { describe, expect, it } from 'vitest';
import { localBus } from '../../../../src/service/bus/local.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { Attendance, type Stay } from '../../../../src/service/gateway/presence/connected-users.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';

const player = { applicationId: '1', userId: '9' };
const home = topics.player(player.applicationId, player.userId);

function watched(failures = 0) {
  const told: string[] = [];
  const bus = localBus(new VirtualClock(0));
  let left = failures;
  const tell = (what: string) => async () => {
    await Promise.resolve();
    if (left-- > 0) throw new Error('the store is away');
    told.push(what);
  };
  const attendance = new Attendance(bus, { connected: tell('connected'), disconnected: tell('disconnected') });
  return { told, bus, attendance, arrive: (id: string) => attendance.arrive(home, id, player) };
}

describe('attendance', () => {
  it('tells of the first session and of the end of the last one', async () => {
    const { told, arrive } = watched();
    const [first, second] = await Promise.all([arrive('a'), arrive('b')]);
    expect(told).toEqual(['connected']);
    expect([first?.sessions, second?.sessions]).toContain(2);
    await first?.depart();
    expect(told).toEqual(['connected']);
    await second?.depart();
    expect(told).toEqual(['connected', 'disconnected']);
  });

  it('tells nothing of a player who is back before anybody was told', async () => {
    const { told, arrive } = watched();
    const stay = await arrive('a');
    const [back] = await Promise.all([arrive('b'), stay.depart()]);
    expect(told).toEqual(['connected']);
    await back?.depart();
    expect(told).toEqual(['connected', 'disconnected']);
  });

  it('tells of a player on another node only when that one is gone too', async () => {
    const { told, bus, arrive } = watched();
    const leaveElsewhere = bus.enter(home, 'elsewhere');
    const stay = await arrive('a');
    await stay.depart();
    expect(told).toEqual(['connected']);
    await leaveElsewhere;
  });

  it('says so to who arrives when telling failed, and is right again after the next one', async () => {
    const { told, bus, arrive } = watched(1);
    await expect(arrive('a')).rejects.toThrow('the store is away');
    expect(await bus.present(home)).toBe(0);
    const stay = await arrive('b');
    await stay.depart();
    expect(told).toEqual(['disconnected', 'connected', 'disconnected']);
  });

  it('tells nobody of bots', async () => {
    const { told, bus, attendance } = watched();
    const stays: Stay[] = [await attendance.arrive('application/1', 'a', undefined)];
    expect(await bus.present('application/1')).toBe(1);
    for (const stay of stays) await stay.depart();
    expect(await bus.present('application/1')).toBe(0);
    expect(told).toEqual([]);
  });
});
