import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockWaitMsDefault, openProcessLock, type ProcessLockKind } from '../../../src/sdk/credentials/process-lock.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { native } from '../../support/keychain/credential-crowd.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { type Needs, needs } from '../../support/runs/parts.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  process.env.RALLYPOINT_NATIVE = native;
});
afterAll(() => folder.remove());

const kinds = [
  ['native', await needs('addon')],
  ['sqlite', await needs()],
] as const satisfies readonly (readonly [ProcessLockKind, Needs])[];
const never = new Promise<never>(() => {});

/** A holder that keeps the lock until it is released. */
async function holder(open: () => ReturnType<typeof openProcessLock>) {
  const lock = await open();
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const held = lock.hold(async () => {
    begun.resolve();
    await done.promise;
  });
  await begun.promise;
  return async () => {
    done.resolve();
    await held;
  };
}

for (const [kind, { missing, note }] of kinds)
  describe.skipIf(missing)(`a lock of kind ${kind}${note}`, () => {
    let number = 0;
    let path: string;
    const open = (options: object = {}) => openProcessLock({ path, kinds: [kind], ...options });
    const fresh = () => {
      path = join(folder.path, kind, `${++number}.lock`);
    };

    it('is held by one process at a time, and by everyone in the end', async () => {
      fresh();
      const locks = await Promise.all([open(), open(), open()]);
      let inside = 0;
      let most = 0;
      let count = 0;
      const work = async () => {
        most = Math.max(most, ++inside);
        await new Promise(resolve => setImmediate(resolve));
        inside--;
        count++;
      };
      await Promise.all(Array.from({ length: 12 }, (_, i) => locks[i % 3]?.hold(work)));
      expect({ most, count }).toEqual({ most: 1, count: 12 });
      expect(locks.map(lock => lock.kind)).toEqual([kind, kind, kind]);
    });

    it('runs the calls of one process in order', async () => {
      fresh();
      const lock = await open();
      const order: number[] = [];
      await Promise.all([1, 2, 3, 4].map(n => lock.hold(async () => void order.push(n))));
      expect(order).toEqual([1, 2, 3, 4]);
    });

    it('settles as the work does, and is free afterwards', async () => {
      fresh();
      const lock = await open();
      expect(await lock.hold(async () => 7)).toBe(7);
      await expect(lock.hold(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await (await open()).hold(async () => 8)).toBe(8);
    });

    it('ends an aborted wait, and lets the next call have its turn', async () => {
      fresh();
      const release = await holder(open);
      const lock = await open();
      const abort = new AbortController();
      const waiting = lock.hold(async () => 1, abort.signal);
      const next = lock.hold(async () => 2);
      abort.abort();
      await expect(waiting).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
      await expect(lock.hold(async () => 3, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
      await release();
      expect(await next).toBe(2);
    });

    it('does not abort work that has begun', async () => {
      fresh();
      const abort = new AbortController();
      const lock = await open();
      const done = lock.hold(async () => {
        abort.abort();
        await new Promise(resolve => setImmediate(resolve));
        return 'done';
      }, abort.signal);
      expect(await done).toBe('done');
    });

    it('waits at most 30 s for a process that does not release it', async () => {
      fresh();
      const clock = new VirtualClock(0);
      const release = await holder(open);
      const waiting = (await open({ clock })).hold(async () => 1);
      await expect(elapse(clock, waiting, 40_000, 200)).rejects.toMatchObject({ code: 'deadline_exceeded' });
      expect(clock.now()).toBeGreaterThanOrEqual(lockWaitMsDefault);
      expect(clock.now()).toBeLessThan(lockWaitMsDefault + 1_000);
      await release();
    });

    it('is released by the system when its process is killed', async () => {
      fresh();
      const program = `
      const { openProcessLock } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/sdk/credentials/process-lock.ts'))});
      const lock = await openProcessLock({ path: ${JSON.stringify(path)}, kinds: ['${kind}'] });
      await lock.hold(async () => { process.send('held'); await new Promise(resolve => setTimeout(resolve, 60_000)); });`;
      const file = join(folder.path, `${kind}.mjs`);
      await writeFile(file, program);
      const child = fork(file, { execArgv: [] });
      await once(child, 'message');
      const lock = await open({ waitMs: 100 });
      await expect(lock.hold(async () => 1)).rejects.toMatchObject({ code: 'deadline_exceeded' });
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await lock.hold(async () => 1)).toBe(1);
    });

    it('rejects with lock_unusable when its file cannot be created', async () => {
      const file = join(folder.path, `${kind}-file`);
      await writeFile(file, '');
      const opened = openProcessLock({ path: join(file, 'x.lock'), kinds: [kind] });
      const message = expect.stringMatching(/a file, not a folder|Something else is in its place/);
      await expect(opened).rejects.toMatchObject({ name: 'KeychainError', code: 'lock_unusable', message });
    });

    it('rejects with lock_unusable when its path is a folder', async () => {
      fresh();
      const other = kind === 'native' ? path : `${path}.sqlite`;
      await (await import('node:fs/promises')).mkdir(other, { recursive: true });
      const lock = await open();
      await expect(lock.hold(() => never)).rejects.toMatchObject({ name: 'KeychainError', code: 'lock_unusable' });
    });
  });

describe('openProcessLock', () => {
  it('uses the first kind that works, and reports it', async () => {
    const path = join(folder.path, 'any.lock');
    expect((await openProcessLock({ path })).kind).toBe(kinds[0][1].missing === undefined ? 'native' : 'sqlite');
    expect((await openProcessLock({ path, kinds: ['sqlite', 'native'] })).kind).toBe('sqlite');
  });

  it('falls back to sqlite where there is no addon', async () => {
    process.env.RALLYPOINT_NATIVE = join(folder.path, 'nothing');
    const { loadNative } = await import('../../../src/sdk/native/addon.ts');
    const isFoundElsewhere = 'addon' in (await loadNative());
    const { kind } = await openProcessLock({ path: join(folder.path, 'fallback.lock') });
    expect(kind).toBe(isFoundElsewhere ? 'native' : 'sqlite');
    process.env.RALLYPOINT_NATIVE = native;
  });

  it('says that the file of the sqlite kind is damaged when it is', async () => {
    const path = join(folder.path, 'damaged.lock');
    await writeFile(`${path}.sqlite`, 'x'.repeat(1_000));
    const lock = await openProcessLock({ path, kinds: ['sqlite'] });
    const message = expect.stringContaining('damaged: delete it');
    await expect(lock.hold(async () => {})).rejects.toMatchObject({ code: 'lock_unusable', message });
  });

  it('lists the places that were searched when no kind works', async () => {
    const none = openProcessLock({ path: join(folder.path, 'none.lock'), kinds: [] });
    await expect(none).rejects.toMatchObject({ code: 'lock_unusable' });
  });
});
