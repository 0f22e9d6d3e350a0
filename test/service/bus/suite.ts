import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RateLimit } from '../../../src/model/limits/limit-profiles.ts';
import type { Bus } from '../../../src/service/bus/contract.ts';
import type { Announced } from '../../../src/service/events/announcement.ts';
import type { Clock } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

export interface BusUnderTest {
  /** The nodes of one service; one where the engine knows no more. */
  readonly nodes: readonly [Bus, ...Bus[]];
  /** Publishes events at a node; absent where the bus itself takes them. */
  publish?(node: Bus, announced: readonly Announced[]): Promise<void>;
  /** Resolves once everything published has arrived. */
  settled(): Promise<void>;
  remove(): Promise<void>;
}

const event = (to: string, revision: number, scope = to): Announced => ({ to, scope, revision, position: revision });

/** Without its position, which the engine may assign. */
const unplaced = ({ position: _, ...announced }: Announced) => announced;

/** What every engine of the Bus contract keeps: what one node is told, the others know. */
export function busSuite(name: string, create: (clock: Clock) => Promise<BusUnderTest>): void {
  describe(`${name}: the bus contract`, () => {
    let clock: VirtualClock;
    let bus: BusUnderTest;
    /** Two nodes where there are two, else one under both names. */
    let here: Bus;
    let there: Bus;

    beforeEach(async () => {
      clock = new VirtualClock(Date.UTC(2026, 10, 20));
      bus = await create(clock);
      here = bus.nodes[0];
      there = bus.nodes.at(-1) ?? here;
    });
    afterEach(async () => {
      for (const node of bus.nodes) await node.close();
      await bus.remove();
    });

    const publish = async (announced: readonly Announced[]) =>
      bus.publish ? bus.publish(here, announced) : here.publish(announced);

    async function hear(node: Bus, topic: string) {
      const heard: Announced[] = [];
      const stop = await node.subscribe(topic, announced => heard.push(announced));
      return { heard, stop };
    }

    describe('an event', () => {
      it('reaches every subscriber of its topic on every node, each once, and no other', async () => {
        const ears = [await hear(here, 'lobby/1'), await hear(there, 'lobby/1'), await hear(there, 'lobby/1')];
        const other = await hear(there, 'lobby/10');
        await publish([event('lobby/1', 1)]);
        await bus.settled();
        for (const { heard } of ears) expect(heard.map(unplaced)).toEqual([unplaced(event('lobby/1', 1))]);
        expect(other.heard).toEqual([]);
      });

      it('arrives whole', async () => {
        const { heard } = await hear(there, 'lobby/1');
        const whole: Announced = {
          ...event('lobby/1', 7),
          event: { name: 'LOBBY_UPDATE', data: '{"name":"ä 😀\\u0000"}' },
          except: '9',
          follow: 'lobby/2',
          unfollow: 'lobby/1',
        };
        await publish([whole]);
        await bus.settled();
        expect(heard.map(unplaced)).toEqual([unplaced(whole)]);
      });

      it('keeps its place behind those of its scope that were published before, across topics and calls', async () => {
        const heard: number[] = [];
        for (const topic of ['a', 'b', 'c']) await there.subscribe(topic, announced => heard.push(announced.revision));
        const topics = ['a', 'b', 'c'];
        for (let from = 1; from <= 300; from += 10) {
          const batch = Array.from({ length: 10 }, (_, at) =>
            event(topics[(from + at) % 3] ?? 'a', from + at, 'scope'),
          );
          await publish(batch);
        }
        await bus.settled();
        expect(heard).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
      });

      it('published by a listener comes after those under way, for every listener', async () => {
        const heard: string[] = [];
        let published: Promise<void> | undefined;
        await here.subscribe('a', announced => {
          heard.push(`first ${announced.revision}`);
          if (announced.revision === 1) published = publish([event('a', 3)]);
        });
        await here.subscribe('a', announced => heard.push(`second ${announced.revision}`));
        await publish([event('a', 1), event('a', 2)]);
        await bus.settled();
        await published;
        await bus.settled();
        const of = (who: string) => heard.filter(line => line.startsWith(who)).map(line => Number(line.split(' ')[1]));
        expect(of('first')).toEqual([1, 2, 3]);
        expect(of('second')).toEqual([1, 2, 3]);
      });

      it('is not withheld from the others when a listener throws', async () => {
        await there.subscribe('a', () => {
          throw new Error('listener');
        });
        const { heard } = await hear(there, 'a');
        await publish([event('a', 1), event('a', 2)]);
        await bus.settled();
        expect(heard.map(announced => announced.revision)).toEqual([1, 2]);
      });
    });

    describe('a subscription', () => {
      it('receives nothing that was published before it', async () => {
        await publish([event('a', 1)]);
        await bus.settled();
        const { heard } = await hear(here, 'a');
        await publish([event('a', 2)]);
        await bus.settled();
        expect(heard.map(announced => announced.revision)).toEqual([2]);
      });

      it('made by a listener does not receive the event in delivery, and receives later ones', async () => {
        const heard: number[] = [];
        let made: unknown;
        await here.subscribe('a', announced => {
          if (announced.revision === 1) made = here.subscribe('a', ({ revision }) => heard.push(revision));
        });
        await publish([event('a', 1), event('a', 2)]);
        const isMadeAtOnce = !(made instanceof Promise);
        await made;
        await bus.settled();
        await publish([event('a', 3)]);
        await bus.settled();
        expect(heard).not.toContain(1);
        if (isMadeAtOnce) expect(heard).toContain(2);
        expect(heard).toContain(3);
      });

      it('receives nothing after it is cancelled, also when another listener of the event cancels it', async () => {
        let cancelSecond = () => {};
        await here.subscribe('a', () => cancelSecond());
        const second = await hear(here, 'a');
        cancelSecond = second.stop;
        const third = await hear(here, 'a');
        await publish([event('a', 1)]);
        await bus.settled();
        expect(second.heard).toEqual([]);
        expect(third.heard).toHaveLength(1);
        third.stop();
        third.stop();
        await publish([event('a', 2)]);
        await bus.settled();
        expect(third.heard).toHaveLength(1);
      });

      it('of a listener that subscribes twice receives events twice, and each is cancelled alone', async () => {
        let calls = 0;
        const listener = () => void calls++;
        const cancel = await here.subscribe('a', listener);
        await here.subscribe('a', listener);
        await publish([event('a', 1)]);
        await bus.settled();
        expect(calls).toBe(2);
        cancel();
        await publish([event('a', 2)]);
        await bus.settled();
        expect(calls).toBe(3);
      });
    });

    describe('a limit', () => {
      const limit: RateLimit = { requests: 3, windowMs: 1000 };

      it('allows as many calls as it says in one window, on all nodes together, and not one more', async () => {
        const states = [];
        for (const node of [here, there, here, there, here]) states.push(await node.count('x', limit));
        const resetAtMs = clock.now() + 1000;
        expect(states).toEqual([
          { allowed: true, remaining: 2, resetAtMs },
          { allowed: true, remaining: 1, resetAtMs },
          { allowed: true, remaining: 0, resetAtMs },
          { allowed: false, remaining: 0, resetAtMs },
          { allowed: false, remaining: 0, resetAtMs },
        ]);
      });

      it.each([
        [999, false],
        [1000, true],
        [1001, true],
      ])('used up at the start of its window, is free again %d ms later: %s', async (ms, allowed) => {
        for (let call = 0; call < 3; call++) await here.count('x', limit);
        await clock.advance(ms);
        expect(await there.count('x', limit)).toMatchObject({ allowed, remaining: allowed ? 2 : 0 });
      });

      it('begins its window with the first call, not with a later or a rejected one', async () => {
        const endMs = clock.now() + 1000;
        for (let call = 0; call < 5; call++) {
          expect(await here.count('x', limit)).toMatchObject({ resetAtMs: endMs });
          await clock.advance(100);
        }
        await clock.advance(700);
        expect(await here.count('x', limit)).toEqual({ allowed: true, remaining: 2, resetAtMs: endMs + 200 + 1000 });
      });

      it('only looked at, counts no call and begins no window', async () => {
        expect(await here.count('x', limit, 0)).toMatchObject({ allowed: true, remaining: 3 });
        await clock.advance(500);
        await here.count('x', limit);
        const resetAtMs = clock.now() + 1000;
        expect(await there.count('x', limit, 0)).toEqual({ allowed: true, remaining: 2, resetAtMs });
        await here.count('x', limit);
        await here.count('x', limit);
        expect(await there.count('x', limit, 0)).toEqual({ allowed: false, remaining: 0, resetAtMs });
      });

      it('counts every name apart', async () => {
        for (let call = 0; call < 4; call++) await here.count('x', limit);
        expect(await here.count('y', limit)).toMatchObject({ allowed: true, remaining: 2 });
      });

      it('holds when all nodes count concurrently', async () => {
        const calls = Array.from({ length: 50 }, async (_, at) => (at % 2 === 0 ? here : there).count('x', limit));
        const states = await Promise.all(calls);
        expect(states.filter(state => state.allowed)).toHaveLength(3);
      });
    });

    describe('presence', () => {
      it('counts the sessions of all nodes, each once, until they leave', async () => {
        expect(await here.present('user/1')).toBe(0);
        const leaveA = await here.enter('user/1', 'a');
        const leaveB = await there.enter('user/1', 'b');
        await here.enter('user/2', 'c');
        expect(await here.present('user/1')).toBe(2);
        expect(await there.present('user/1')).toBe(2);
        await leaveA();
        await leaveA();
        expect(await there.present('user/1')).toBe(1);
        await leaveB();
        expect(await here.present('user/1')).toBe(0);
        expect(await here.present('user/2')).toBe(1);
      });

      it('counts a session that enters again once, and its former entry cannot take it out', async () => {
        const leaveFirst = await here.enter('user/1', 'a');
        const leaveSecond = await there.enter('user/1', 'a');
        expect(await here.present('user/1')).toBe(1);
        await leaveFirst();
        expect(await here.present('user/1')).toBe(1);
        await leaveSecond();
        expect(await here.present('user/1')).toBe(0);
      });
    });

    describe('a lease', () => {
      it('is held by one at a time, on all nodes', async () => {
        const lease = await here.lease('sweep', 1000);
        expect(lease?.name).toBe('sweep');
        expect(await here.lease('sweep', 1000)).toBeUndefined();
        expect(await there.lease('sweep', 1000)).toBeUndefined();
        expect(await there.lease('other', 1000)).toBeDefined();
      });

      it.each([
        [999, false],
        [1000, true],
      ])('can be taken by another %d ms into its term of 1,000: %s', async (ms, free) => {
        const lease = await here.lease('sweep', 1000);
        await clock.advance(ms);
        expect((await there.lease('sweep', 1000)) !== undefined).toBe(free);
        expect(await lease?.renew()).toBe(!free);
      });

      it('lasts another full term from each renewal', async () => {
        const lease = await here.lease('sweep', 1000);
        await clock.advance(900);
        expect(await lease?.renew()).toBe(true);
        await clock.advance(999);
        expect(await there.lease('sweep', 1000)).toBeUndefined();
        await clock.advance(1);
        expect(await there.lease('sweep', 1000)).toBeDefined();
      });

      it('that was lost is neither renewed nor given back for its next holder', async () => {
        const lost = await here.lease('sweep', 1000);
        await clock.advance(1000);
        expect(await lost?.renew()).toBe(false);
        const held = await there.lease('sweep', 1000);
        expect(await lost?.renew()).toBe(false);
        await lost?.release();
        expect(await here.lease('sweep', 1000)).toBeUndefined();
        expect(await held?.renew()).toBe(true);
      });

      it('that is released is free immediately, and stays released', async () => {
        const lease = await here.lease('sweep', 1000);
        await lease?.release();
        await lease?.release();
        expect(await lease?.renew()).toBe(false);
        expect(await there.lease('sweep', 1000)).toBeDefined();
      });
    });

    describe('closing', () => {
      it('may be asked twice, and then nothing is heard any more', async () => {
        const { heard } = await hear(there, 'a');
        await there.close();
        await there.close();
        await bus.settled();
        if (here !== there) await publish([event('a', 1)]);
        expect(heard).toEqual([]);
      });
    });
  });
}
