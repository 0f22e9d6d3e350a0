import { describe, expect, it } from 'vitest';
import { localBus } from '../../../../src/service/bus/local.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { ConnectedUsers, type Registration } from '../../../../src/service/gateway/presence/connected-users.ts';
import { VirtualClock } from '../../../../src/wire/clock/virtual-clock.ts';

const player = { applicationId: '1', userId: '9' };
const home = topics.player(player.applicationId, player.userId);

function watched(failures = 0) {
  const notified: string[] = [];
  const bus = localBus(new VirtualClock(0));
  let left = failures;
  const tell = (what: string) => async () => {
    await Promise.resolve();
    if (left-- > 0) throw new Error('the store is away');
    notified.push(what);
  };
  const users = new ConnectedUsers(bus, { connected: tell('connected'), disconnected: tell('disconnected') });
  return { notified, bus, users, add: (id: string) => users.add(home, id, player) };
}

describe('users', () => {
  it('are announced with the first session and with the end of the last one', async () => {
    const { notified, add } = watched();
    const [first, second] = await Promise.all([add('a'), add('b')]);
    expect(notified).toEqual(['connected']);
    expect([first?.sessions, second?.sessions]).toContain(2);
    await first?.remove();
    expect(notified).toEqual(['connected']);
    await second?.remove();
    expect(notified).toEqual(['connected', 'disconnected']);
  });

  it('are not announced when the player is back before the notification', async () => {
    const { notified, add } = watched();
    const registration = await add('a');
    const [back] = await Promise.all([add('b'), registration.remove()]);
    expect(notified).toEqual(['connected']);
    await back?.remove();
    expect(notified).toEqual(['connected', 'disconnected']);
  });

  it('are announced as disconnected only when sessions on other nodes have ended, too', async () => {
    const { notified, bus, add } = watched();
    const leaveElsewhere = bus.enter(home, 'elsewhere');
    const registration = await add('a');
    await registration.remove();
    expect(notified).toEqual(['connected']);
    await leaveElsewhere;
  });

  it('report a failed notification to the session that begins, and are right again after the next one', async () => {
    const { notified, bus, add } = watched(1);
    await expect(add('a')).rejects.toThrow('the store is away');
    expect(await bus.present(home)).toBe(0);
    const registration = await add('b');
    await registration.remove();
    expect(notified).toEqual(['disconnected', 'connected', 'disconnected']);
  });

  it('do not include bots', async () => {
    const { notified, bus, users } = watched();
    const registrations: Registration[] = [await users.add('application/1', 'a', undefined)];
    expect(await bus.present('application/1')).toBe(1);
    for (const registration of registrations) await registration.remove();
    expect(await bus.present('application/1')).toBe(0);
    expect(notified).toEqual([]);
  });
});
