import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { releaseMemoryWhenIdle } from '../../src/cli/idle-memory.ts';
import { silentLogger, systemClock } from '../../src/wire/clock/ports.ts';
import { needs } from '../support/runs/parts.ts';

const source = join(import.meta.dirname, '../../src/cli/idle-memory.ts');
const [linux, addon] = [await needs('linux'), await needs('addon')];
const missing = linux.missing ?? addon.missing;
const mebibyte = 1024 * 1024;

/** Fills 400 MiB with blocks, lets go of all but one in two hundred, and says what it holds then and once that was given back. */
const program = `
  const { releaseMemoryWhenIdle } = await import(${JSON.stringify(source)});
  const told = Promise.withResolvers();
  const ignore = () => {};
  let rounds = 0;
  const debug = (fields, message) => (fields.afterBytes !== undefined && ++rounds === 3 ? told.resolve() : undefined);
  releaseMemoryWhenIdle({ log: { debug, info: ignore, warn: console.error, error: ignore }, lookMs: 200 });
  let blocks = [];
  for (let n = 0; n < 8000; n++) blocks.push(Buffer.alloc(50 * 1024, n));
  blocks = blocks.filter((_, n) => n % 200 === 0);
  const before = process.memoryUsage.rss();
  const keepAlive = setInterval(() => blocks.length, 1000);
  await told.promise;
  clearInterval(keepAlive);
  console.log(JSON.stringify({ before, after: process.memoryUsage.rss() }));
`;

describe('a process of the service that has nothing to do', () => {
  it.skipIf(missing)(
    `gives memory that is no longer in use back to the system${linux.note || addon.note}`,
    async () => {
      const args = ['--input-type=module', '--eval', program];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
      const { before, after } = JSON.parse(stdout) as { before: number; after: number };
      expect(stderr).toBe('');
      expect(before).toBeGreaterThan(400 * mebibyte);
      expect(after).toBeLessThan(200 * mebibyte);
    },
  );

  it('goes on while its memory cannot be read', async () => {
    const due: (() => unknown)[] = [];
    const schedule = (_: number, run: () => void) => {
      due.push(run);
      return () => {};
    };
    const warn = vi.fn();
    const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    });
    onTestFinished(() => rss.mockRestore());
    releaseMemoryWhenIdle({ log: { ...silentLogger, warn }, clock: { ...systemClock, schedule } });
    for (let look = 0; look < 3; look++) await due.shift()?.();
    expect(due).toHaveLength(1);
    expect(rss).toHaveBeenCalledTimes(4);
    expect(warn).not.toHaveBeenCalled();
  });
});
