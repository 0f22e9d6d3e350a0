import { describe, expect, it } from 'vitest';
import { ConcurrencyGate } from '../../../src/service/auth/concurrency-gate.ts';

describe('a gate', () => {
  it('lets so many works run at a time, and all in the end', async () => {
    const gate = new ConcurrencyGate({ running: 2, all: 10, perCaller: 10 });
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise(resolve => setImmediate(resolve));
      running--;
    };
    await Promise.all(Array.from({ length: 9 }, () => gate.run(work)));
    expect([most, running]).toEqual([2, 0]);
  });

  it('continues after an operation that failed', async () => {
    const gate = new ConcurrencyGate({ running: 1, all: 10, perCaller: 10 });
    const failed = gate.run(() => Promise.reject(new Error('no')));
    const next = gate.run(async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
    expect(await gate.run(async () => 'again')).toBe('again');
  });

  it('rejects immediately what is too much of one caller, or of all', () => {
    const gate = new ConcurrencyGate({ running: 1, all: 3, perCaller: 2 });
    const first = gate.enter('a');
    expect([first, gate.enter('a'), gate.enter('a'), gate.enter('b'), gate.enter('c')].map(Boolean)).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    first?.leave();
    expect(gate.enter('a')).toBeDefined();
  });
});
