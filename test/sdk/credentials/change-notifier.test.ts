import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChangeNotifier } from '../../../src/sdk/credentials/change-notifier.ts';
import { silentLogger, systemEntropy } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { passTime } from '../../support/clock/pass-time.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const posix = await needs('posix');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let clock: VirtualClock;
let open: ChangeNotifier[];
let warnings: string[];

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new VirtualClock(0);
  open = [];
  warnings = [];
});
afterEach(async () => {
  for (const signal of open) signal.close();
  await folder.remove();
});

/** A process, and what it has heard. */
async function listen() {
  const heard = { count: 0, first: Promise.withResolvers<void>() };
  const signal = await ChangeNotifier.open({
    path: join(folder.path, 'x.changed'),
    clock,
    entropy: systemEntropy,
    logger: { ...silentLogger, warn: (_, message) => warnings.push(message) },
    onChange: () => {
      heard.count++;
      heard.first.resolve();
    },
  });
  open.push(signal);
  return { signal, heard };
}

describe('a change', () => {
  it('is reported to the other processes, and not to the one that made it', async () => {
    const [one, other] = [await listen(), await listen()];
    for (let i = 0; i < 10; i++) await one.signal.notify();
    await passTime(clock, other.heard.first.promise);
    await clock.advance(120_000);
    expect(one.heard.count).toBe(0);
    expect(other.heard.count).toBeGreaterThan(0);
  });

  it('is not reported to a process that opens later', async () => {
    await (await listen()).signal.notify();
    const later = await listen();
    await clock.advance(120_000);
    expect(later.heard.count).toBe(0);
  });

  it.skipIf(posix.missing)(
    `is not written through a link that was planted in a shared folder${posix.note}`,
    async () => {
      const victim = join(folder.path, 'victim');
      await writeFile(victim, 'precious');
      await symlink(victim, join(folder.path, 'x.changed'));
      const { signal } = await listen();
      await signal.notify();
      expect(await readFile(victim, 'utf8')).toBe('precious');
      expect(warnings).toEqual(['other processes could not be notified of the new credential']);
    },
  );

  it('is not reported after the close', async () => {
    const [one, other] = [await listen(), await listen()];
    other.signal.close();
    other.signal.close();
    await one.signal.notify();
    await clock.advance(120_000);
    expect(other.heard.count).toBe(0);
  });

  it('that cannot be written is only logged as a warning', async () => {
    const { signal } = await listen();
    await rm(folder.path, { recursive: true });
    await signal.notify();
    expect(warnings).toContain('other processes could not be notified of the new credential');
  });
});
