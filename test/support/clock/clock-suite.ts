import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/wire/clock/ports.ts';

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Lets `ms` pass; everything due until then has run when it resolves. */
  pass(ms: number): Promise<unknown>;
}

/** What every clock keeps. Spans are a few milliseconds, so that it can run on the machine's own time. */
export function clockSuite(name: string, create: () => ClockUnderTest): void {
  describe(`${name}: the clock contract`, () => {
    it('counts whole milliseconds and never runs back', () => {
      const { clock } = create();
      const before = clock.now();
      expect(Number.isSafeInteger(before)).toBe(true);
      expect(clock.now()).toBeGreaterThanOrEqual(before);
    });

    it('runs a task once, and never within the call that schedules it', async () => {
      const { clock, pass } = create();
      let runs = 0;
      clock.schedule(0, () => void runs++);
      expect(runs).toBe(0);
      await pass(3);
      await pass(3);
      expect(runs).toBe(1);
    });

    it('takes a negative delay for none', async () => {
      const { clock, pass } = create();
      let runs = 0;
      clock.schedule(-1000, () => void runs++);
      expect(runs).toBe(0);
      await pass(3);
      expect(runs).toBe(1);
    });

    it('shows a task a time that is not before its due time', async () => {
      const { clock, pass } = create();
      const late: number[] = [];
      for (const delayMs of [0, 1, 2, 3, 4, 5]) {
        const dueMs = clock.now() + delayMs;
        clock.schedule(delayMs, () => void late.push(clock.now() - dueMs));
      }
      await pass(10);
      expect(late).toHaveLength(6);
      expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    });

    it('runs what is due earlier first, however it was scheduled', async () => {
      const { clock, pass } = create();
      const order: number[] = [];
      for (const delayMs of [6, 1, 4]) clock.schedule(delayMs, () => void order.push(delayMs));
      await pass(12);
      expect(order).toEqual([1, 4, 6]);
    });

    it('does not run what was cancelled, and cancels as often as asked', async () => {
      const { clock, pass } = create();
      let runs = 0;
      const cancel = clock.schedule(1, () => void runs++);
      cancel();
      cancel();
      await pass(5);
      expect(runs).toBe(0);
    });

    it('takes a cancel after the run for nothing', async () => {
      const { clock, pass } = create();
      let runs = 0;
      const cancel = clock.schedule(0, () => void runs++);
      await pass(3);
      cancel();
      expect(runs).toBe(1);
    });

    it('lets a task schedule and cancel others', async () => {
      const { clock, pass } = create();
      const ran: string[] = [];
      const cancel = clock.schedule(4, () => void ran.push('cancelled'));
      clock.schedule(1, () => {
        ran.push('first');
        cancel();
        clock.schedule(0, () => void ran.push('second'));
      });
      await pass(8);
      // On a busy machine the first runs as late as this span ends, and the second, which is due after it, in the next.
      await pass(3);
      expect(ran).toEqual(['first', 'second']);
    });
  });
}
