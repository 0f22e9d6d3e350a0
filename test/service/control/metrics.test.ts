import { afterEach, expect, it, vi } from 'vitest';
import { Sampler } from '../../../src/service/control/metrics.ts';
import type { ControlMetrics } from '../../../src/wire/control/metrics.ts';
import { makeWorld } from '../features/support.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('a sample has the memory of the one before while the memory cannot be read', async () => {
  const { core } = await makeWorld();
  vi.useFakeTimers();
  const memory = vi.spyOn(process.memoryUsage, 'rss').mockReturnValueOnce(5_000_000);
  memory.mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  });
  const samples: ControlMetrics[] = [];
  const sampler = new Sampler(core);
  sampler.listen(sample => samples.push(sample));
  vi.advanceTimersByTime(2000);
  sampler.close();
  expect(samples.map(({ memory_bytes }) => memory_bytes)).toEqual([5_000_000, 5_000_000]);
  expect(samples[0]?.heap_bytes).toBeGreaterThan(1_000_000);
});
