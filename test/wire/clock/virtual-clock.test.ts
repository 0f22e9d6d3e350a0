import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

const startMs = Date.UTC(2026, 10, 20);

describe('the virtual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = new VirtualClock(startMs);
    await new Promise(resolve => setImmediate(resolve));
    expect(clock.now()).toBe(startMs);
    await expect(clock.advance(0)).resolves.toBe(startMs);
    await expect(clock.advance(250)).resolves.toBe(startMs + 250);
    expect(clock.now()).toBe(startMs + 250);
  });

  it.each([
    [99, 0],
    [100, 1],
    [101, 1],
  ])('after %d ms has run a task due at 100 ms %d times', async (ms, expected) => {
    const clock = new VirtualClock(startMs);
    let runs = 0;
    clock.schedule(100, () => void runs++);
    await clock.advance(ms);
    expect(runs).toBe(expected);
  });

  it('shows each task exactly its own due time', async () => {
    const clock = new VirtualClock(startMs);
    const seen: number[] = [];
    for (const delayMs of [30, 10, 20]) clock.schedule(delayMs, () => void seen.push(clock.now() - startMs));
    await clock.advance(1000);
    expect(seen).toEqual([10, 20, 30]);
  });

  it('shows whole milliseconds only, as the system does: a delay with a fraction ends at the next one', async () => {
    const clock = new VirtualClock(startMs);
    const seen: number[] = [];
    for (const delayMs of [10.25, 0.5, 11, 0]) clock.schedule(delayMs, () => void seen.push(clock.now() - startMs));
    await clock.advance(10);
    expect(seen).toEqual([0, 1]);
    await clock.advance(1);
    expect(seen).toEqual([0, 1, 11, 11]);
  });

  it('runs tasks due at the same instant in the order they were scheduled', async () => {
    const clock = new VirtualClock(startMs);
    const order: string[] = [];
    clock.schedule(50, () => void order.push('a'));
    clock.schedule(10, () => void clock.schedule(40, () => void order.push('c')));
    clock.schedule(50, () => void order.push('b'));
    await clock.advance(50);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('runs within the span what its tasks schedule within the span, and leaves the rest', async () => {
    const clock = new VirtualClock(startMs);
    const ticks: number[] = [];
    const tick = () => {
      ticks.push(clock.now() - startMs);
      clock.schedule(10, tick);
    };
    clock.schedule(10, tick);
    await clock.advance(35);
    expect(ticks).toEqual([10, 20, 30]);
    await clock.advance(5);
    expect(ticks).toEqual([10, 20, 30, 40]);
  });

  it('waits for a task that returns a promise before time moves on', async () => {
    const clock = new VirtualClock(startMs);
    const seen: string[] = [];
    clock.schedule(10, async () => {
      await new Promise(resolve => setImmediate(resolve));
      seen.push(`slow at ${clock.now() - startMs}`);
    });
    clock.schedule(20, () => void seen.push(`next at ${clock.now() - startMs}`));
    await clock.advance(20);
    expect(seen).toEqual(['slow at 10', 'next at 20']);
  });

  it('lets everything settle before the first task and after each', async () => {
    const seen: string[] = [];
    const clock = new VirtualClock(startMs, async () => void seen.push('settled'));
    clock.schedule(1, () => void seen.push('task'));
    clock.schedule(2, () => void seen.push('task'));
    await clock.advance(5);
    expect(seen).toEqual(['settled', 'task', 'settled', 'task', 'settled']);
  });

  it('queues calls of advance behind each other', async () => {
    const clock = new VirtualClock(startMs);
    const seen: number[] = [];
    clock.schedule(15, async () => {
      await new Promise(resolve => setImmediate(resolve));
      seen.push(clock.now() - startMs);
    });
    const ends = await Promise.all([clock.advance(10), clock.advance(10), clock.advance(10)]);
    expect(ends.map(end => end - startMs)).toEqual([10, 20, 30]);
    expect(seen).toEqual([15]);
  });

  it('stands at a task that fails, and continues from there', async () => {
    const clock = new VirtualClock(startMs);
    const seen: string[] = [];
    clock.schedule(10, () => {
      throw new Error('task failed');
    });
    clock.schedule(20, () => void seen.push('later'));
    await expect(clock.advance(30)).rejects.toThrow('task failed');
    expect(clock.now()).toBe(startMs + 10);
    await expect(clock.advance(10)).resolves.toBe(startMs + 20);
    expect(seen).toEqual(['later']);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects an advance by %d', async ms => {
    const clock = new VirtualClock(startMs);
    await expect(clock.advance(ms)).rejects.toMatchObject({ code: 'bad_duration' });
    expect(clock.now()).toBe(startMs);
  });

  it('runs any set of tasks, less the cancelled ones, by due time and then by order of scheduling', async () => {
    const task = fc.record({ delayMs: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 60 }), async tasks => {
        const clock = new VirtualClock(startMs, async () => {});
        const ran: number[] = [];
        const cancels = tasks.map(({ delayMs }, at) => clock.schedule(delayMs, () => void ran.push(at)));
        tasks.forEach(({ cancelled }, at) => {
          if (cancelled) cancels[at]?.();
        });
        await clock.advance(20);
        const expected = tasks
          .map(({ delayMs, cancelled }, at) => ({ delayMs, cancelled, at }))
          .filter(({ cancelled }) => !cancelled)
          .sort((a, b) => a.delayMs - b.delayMs)
          .map(({ at }) => at);
        expect(ran).toEqual(expected);
      }),
    );
  });

  it('holds 100,000 tasks that are scheduled and cancelled again and again', async () => {
    const clock = new VirtualClock(startMs, async () => {});
    let runs = 0;
    for (let round = 0; round < 100_000; round++) {
      const cancel = clock.schedule(1_000_000 - round, () => void runs++);
      if (round % 2 === 0) cancel();
    }
    await clock.advance(1_000_000);
    expect(runs).toBe(50_000);
  });
});
