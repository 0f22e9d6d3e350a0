import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeAddon } from '../../src/sdk/native/contract.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { builtAddon, compiled } from './built.ts';

const run = promisify(execFile);
const script = (name: string) => join(import.meta.dirname, name);

describe.skipIf(compiled.missing)(`the lock of the addon${compiled.note}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let addon: NativeAddon;
  let path: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    addon = await builtAddon();
    path = join(folder.path, 'lock');
  });
  afterAll(() => folder.remove());

  const isFree = () => {
    const lock = addon.tryLock(path);
    lock?.release();
    return lock !== undefined;
  };

  it('is taken once, in a process too, and is free after its release, which may be repeated', () => {
    const lock = addon.tryLock(path);
    expect(lock).toBeDefined();
    expect(addon.tryLock(path)).toBeUndefined();
    lock?.release();
    const next = addon.tryLock(path);
    expect(next).toBeDefined();
    // The first one's release does not free what another holds by now.
    lock?.release();
    expect(addon.tryLock(path)).toBeUndefined();
    next?.release();
  });

  it('is one for all instances of the addon in a process', async () => {
    const lock = addon.tryLock(path);
    expect((await builtAddon()).tryLock(path)).toBeUndefined();
    lock?.release();
  });

  it('leaves its file there, for the user alone', () => {
    expect(isFree()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('has locks of different files apart', () => {
    const first = addon.tryLock(path);
    const second = addon.tryLock(`${path}-other`);
    expect(second).toBeDefined();
    second?.release();
    first?.release();
  });

  it('can be released by a function taken from its object, which cannot be changed', () => {
    const lock = addon.tryLock(path);
    expect(Object.isFrozen(lock)).toBe(true);
    lock?.release.call(undefined);
    expect(isFree()).toBe(true);
  });

  it('is denied while another process holds it, and free as soon as that is killed', async () => {
    const holder = await holding(path);
    expect(isFree()).toBe(false);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(isFree()).toBe(true);
  });

  it('is not kept by a child that outlives the holder', async () => {
    const lines: string[] = [];
    const holder = await holding(path, ['--child'], lines);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(isFree()).toBe(true);
    process.kill(Number(lines[0]));
  });

  it('is free when the worker that held it ends', async () => {
    const worker = new Worker(script('lock-in-worker.ts'), { workerData: path });
    expect((await once(worker, 'message'))[0]).toBe(true);
    expect(isFree()).toBe(false);
    worker.postMessage('end');
    await once(worker, 'exit');
    expect(isFree()).toBe(true);
  });

  it('is freed with its object when garbage is collected', async () => {
    const { stdout } = await run(process.execPath, ['--expose-gc', script('collect-lock.ts'), path]);
    expect(JSON.parse(stdout)).toEqual({ before: true, after: true });
  });

  it('is held by one process at a time: 4 of them add to one number', async () => {
    const counter = join(folder.path, 'counter');
    writeFileSync(counter, '0');
    const add = () => run(process.execPath, [script('count-under-lock.ts'), path, counter, '100']);
    await Promise.all(Array.from({ length: 4 }, add));
    expect(readFileSync(counter, 'utf8')).toBe('400');
  });

  it('leaks no descriptor over 1,000 cycles, taken or rejected', () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let cycle = 0; cycle < 1000; cycle++) {
      const lock = addon.tryLock(path);
      addon.tryLock(path);
      lock?.release();
    }
    expect(() => addon.tryLock(folder.path)).toThrow();
    expect(open()).toBe(before);
  });

  it('can be taken again when its file was deleted', () => {
    const lock = addon.tryLock(path);
    unlinkSync(path);
    const next = addon.tryLock(path);
    expect(next).toBeDefined();
    lock?.release();
    expect(addon.tryLock(path)).toBeUndefined();
    next?.release();
  });

  it('throws the system’s error code', () => {
    symlinkSync(path, join(folder.path, 'link'));
    mkdirSync(join(folder.path, 'folder'));
    const refused: [string, string][] = [
      [join(folder.path, 'nowhere', 'lock'), 'ENOENT'],
      [join(folder.path, 'folder'), 'EISDIR'],
      [join(path, 'below-a-file'), 'ENOTDIR'],
      [join(folder.path, 'link'), 'ELOOP'],
      [join(folder.path, 'x'.repeat(256)), 'ENAMETOOLONG'],
      ['/dev/null', 'EINVAL'],
    ];
    for (const [at, code] of refused) {
      expect(() => addon.tryLock(at), at).toThrow(expect.objectContaining({ name: 'Error', code }));
    }
  });

  it('rejects a path that is relative or has a NUL before anything is done', () => {
    for (const at of ['lock', '', './lock', `${path}\0`, `${path}\0x`]) {
      expect(() => addon.tryLock(at), JSON.stringify(at)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
    }
  });
});

async function holding(path: string, options: readonly string[] = [], lines: string[] = []): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script('hold-lock.ts'), path, ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === 'held') return child;
  }
  throw new Error('The holder could not take the lock.');
}
