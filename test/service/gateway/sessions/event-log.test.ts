import { describe, expect, it } from 'vitest';
import type { Announced } from '../../../../src/service/events/announcement.ts';
import { EventLog, readKept } from '../../../../src/service/gateway/sessions/event-log.ts';
import type { GatewayEventRecord } from '../../../../src/service/store/records.ts';
import { runtimeLimits } from '../../../../src/service/support/service-limits.ts';

const announced = (to: string, revision: number, more: Partial<Announced> = {}): Announced => ({
  to,
  scope: 's',
  revision,
  position: revision,
  ...more,
});

describe('the event log', () => {
  it('stores nothing while no session listens, and does not even encode it', () => {
    const log = new EventLog();
    const event = {
      name: 'LOBBY_UPDATE' as const,
      get data(): string {
        throw new Error('encoded for nobody');
      },
    };
    expect(log.keep([announced('a', 1, { event })])).toEqual([]);
    log.listen(({ to }) => Number(to === 'b'));
    expect(log.keep([announced('a', 1, { event })])).toEqual([]);
    expect(log.kept).toBe(0);
  });

  it('keeps what is heard in its order, numbered within each commit', () => {
    const log = new EventLog();
    log.listen(({ to }) => Number(to !== 'silent'));
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
    log.listen(({ to }) => Number(to === 'player'));
    const kept = log.keep([
      announced('lobby', 1),
      announced('player', 1, { follow: 'lobby' }),
      announced('lobby', 2),
      announced('other', 2),
      announced('player', 3, { follow: ['hall', 'room'] }),
      announced('room', 3),
    ]);
    expect(kept.map(({ revision, announced: { to } }) => [revision, to])).toEqual([
      [1, 'player'],
      [2, 'lobby'],
      [3, 'player'],
      [3, 'room'],
    ]);
  });

  it('has the last commit whose announcements were delivered', () => {
    const log = new EventLog();
    log.passed(5);
    log.passed(3);
    expect(log.position).toBe(5);
  });

  describe('keeps large events of one scope as what is new in them', () => {
    const members = Array.from({ length: 1000 }, (_, n) => ({ user_id: String(n), user: { username: `player${n}` } }));
    const update = (revision: number, scope = 'lobby/1') => ({
      ...announced('lobby', revision, { scope }),
      event: {
        name: 'LOBBY_UPDATE' as const,
        data: JSON.stringify({ metadata: { round: String(revision) }, members }),
      },
    });
    const begin = () => {
      const log = new EventLog();
      log.listen(() => 1);
      const kept: GatewayEventRecord[] = [];
      /** As the store does: what is kept is there once the commit is done. */
      const commit = (...revisions: number[]) => {
        kept.push(...log.keep(revisions.map(revision => update(revision))));
        log.passed(revisions.at(-1) ?? 0);
      };
      const find = async (revision: number, number: number) =>
        kept.find(one => one.revision === revision && one.number === number);
      return { log, kept, commit, find };
    };

    it('and gives each of them whole again', async () => {
      const { kept, commit, find } = begin();
      commit(1);
      commit(2, 3);
      for (let revision = 4; revision <= 20; revision++) commit(revision);
      expect(JSON.stringify(kept).length).toBeLessThan(2 * update(1).event.data.length);
      for (const one of kept) {
        const { event } = await readKept(JSON.parse(JSON.stringify(one)), find);
        expect(event?.data).toBe(update(one.revision).event.data);
      }
    });

    it('not by one whose commit failed, nor by one of another scope', () => {
      const { log, commit, kept } = begin();
      log.keep([update(1)]);
      commit(1);
      commit(2);
      expect(kept.map(({ delta }) => delta?.revision)).toEqual([undefined, 1]);
      expect(log.keep([update(3, 'lobby/2')])[0]?.delta).toBeUndefined();
    });

    it('and needs the base event as long as its differences are stored', () => {
      const { log, commit, kept } = begin();
      for (const revision of [1, 2, 3]) commit(revision);
      const [first] = kept as [GatewayEventRecord];
      expect(log.isNeeded(first, 2)).toBe(true);
      expect(log.isNeeded(first, 3)).toBe(false);
      commit(4);
      expect(kept.at(-1)?.delta).toBeUndefined();
    });
  });

  it('says once that half of what may be kept is there, by bytes as by deliveries', () => {
    const { eventLogBytesMax, eventLogDeliveriesMax } = runtimeLimits;
    const data = 'x'.repeat(eventLogBytesMax / 8);
    for (const [hearers, text] of [
      [1, data],
      [eventLogDeliveriesMax / 8, '{}'],
    ] as const) {
      let full = 0;
      const log = new EventLog();
      log.listen(
        () => hearers,
        () => full++,
      );
      const seen: number[] = [];
      for (let revision = 1; revision <= 6; revision++) {
        log.keep([announced('a', revision, { scope: `s${revision}`, event: { name: 'LOBBY_UPDATE', data: text } })]);
        seen.push(full);
      }
      expect(seen.at(0)).toBe(0);
      expect(seen.at(-1)).toBe(1);
      log.turn();
      for (let revision = 7; revision <= 12; revision++) {
        log.keep([announced('a', revision, { scope: `s${revision}`, event: { name: 'LOBBY_UPDATE', data: text } })]);
      }
      expect(full).toBe(2);
    }
  });
});
