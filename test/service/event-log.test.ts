import { describe, expect, it } from 'vitest';
import type { Announced } from '../../src/service/announcement.ts';
import { EventLog } from '../../src/service/event-log.ts';

const announced = (to: string, revision: number, more: Partial<Announced> = {}): Announced => ({
  to,
  scope: 's',
  revision,
  ...more,
});

describe('the event log', () => {
  it('keeps nothing while nobody listens, and does not even encode it', () => {
    const log = new EventLog();
    const event = {
      name: 'LOBBY_UPDATE' as const,
      get data(): string {
        throw new Error('encoded for nobody');
      },
    };
    expect(log.keep([announced('a', 1, { event })])).toEqual([]);
    log.listen(({ to }) => to === 'b');
    expect(log.keep([announced('a', 1, { event })])).toEqual([]);
    expect(log.kept).toBe(0);
  });

  it('keeps what is heard in its order, numbered within each commit', () => {
    const log = new EventLog();
    log.listen(({ to }) => to !== 'silent');
    const kept = log.keep(['a', 'silent', 'b'].map(to => announced(to, 4)).concat(announced('c', 6)));
    expect(kept.map(({ revision, number, announced: { to } }) => [revision, number, to])).toEqual([
      [4, 0, 'a'],
      [4, 1, 'b'],
      [6, 0, 'c'],
    ]);
    expect(log.kept).toBe(3);
  });

  it('keeps also what the same commits announce to those who only now come to follow it', () => {
    const log = new EventLog();
    log.listen(({ to }) => to === 'player');
    const kept = log.keep([
      announced('lobby', 1),
      announced('player', 1, { follow: 'lobby' }),
      announced('lobby', 2),
      announced('other', 2),
    ]);
    expect(kept.map(({ revision, announced: { to } }) => [revision, to])).toEqual([
      [1, 'player'],
      [2, 'lobby'],
    ]);
  });

  it('knows the last commit whose announcements were handed on', () => {
    const log = new EventLog();
    log.passed(5);
    log.passed(3);
    expect(log.position).toBe(5);
  });
});
