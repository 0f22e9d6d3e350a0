import { spawnSync } from 'node:child_process';
import { setTimeout as elapse } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { clockSuite } from '../../support/clock/clock-suite.ts';

// A real clock can only be tested by letting a few real milliseconds pass.
clockSuite('system', () => ({ clock: systemClock, pass: ms => elapse(ms + 5) }));

clockSuite('virtual', () => {
  const clock = new VirtualClock(Date.UTC(2026, 10, 20));
  return { clock, pass: ms => clock.advance(ms) };
});

describe('the system clock', () => {
  it('shows the time of the machine', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 40])('does not run a task immediately that is due in %d ms', async delayMs => {
    let runs = 0;
    const cancel = systemClock.schedule(delayMs, () => void runs++);
    await elapse(5);
    cancel();
    expect(runs).toBe(0);
  });

  it('keeps the process alive only for tasks that ask for it', () => {
    const ports = JSON.stringify(new URL('../../../src/wire/clock/ports.ts', import.meta.url).href);
    const code = `
      const { systemClock } = await import(${ports});
      systemClock.schedule(1, () => console.log('kept'), { keepAlive: true });
      systemClock.schedule(3_600_000, () => console.log('never'));
    `;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect(child.stdout).toBe('kept\n');
    expect(child.status).toBe(0);
  });
});
