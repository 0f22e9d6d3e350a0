import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtAddon } from '../../built.ts';
import { kill, runToEnd, startUntil } from './processes.ts';

const script = (name: string) => join(import.meta.dirname, '..', '..', name);

/** Which of the attempts got it, one after another. */
export async function takeInTurn(path: string): Promise<Readonly<Record<string, boolean>>> {
  const addon = await builtAddon();
  const lock = addon.tryLock(path);
  const other = addon.tryLock(`${path}-other`);
  const taken = { first: lock !== undefined, second: addon.tryLock(path) !== undefined, other: other !== undefined };
  other?.release();
  lock?.release();
  lock?.release();
  const next = addon.tryLock(path);
  lock?.release();
  const afterwards = { afterRelease: next !== undefined, whileHeld: addon.tryLock(path) !== undefined };
  next?.release();
  return { ...taken, ...afterwards };
}

/** Whether it is free while another process has it, and after that was killed. */
export async function killHolder(path: string): Promise<readonly boolean[]> {
  const addon = await builtAddon();
  const isFree = () => {
    const lock = addon.tryLock(path);
    lock?.release();
    return lock !== undefined;
  };
  const holder = await startUntil(script('hold-lock.ts'), [path], line => line === 'held');
  const whileHeld = isFree();
  await kill(holder);
  return [whileHeld, isFree()];
}

/** What a number is after several processes have each added to it under the lock. */
export async function count(path: string, processes: number, times: number): Promise<string> {
  const counter = `${path}-counter`;
  writeFileSync(counter, '0');
  const add = () => runToEnd(script('count-under-lock.ts'), [path, counter, String(times)]);
  await Promise.all(Array.from({ length: processes }, add));
  return readFileSync(counter, 'utf8');
}

/** The codes of what cannot be locked, and of deleting what is. */
export async function refusals(folder: string): Promise<Readonly<Record<string, string>>> {
  const addon = await builtAddon();
  const codeOf = (work: () => unknown): string => {
    try {
      work();
      return 'none';
    } catch (error) {
      return Object(error).code;
    }
  };
  mkdirSync(join(folder, 'folder'));
  const held = join(folder, 'held');
  const lock = addon.tryLock(held);
  const codes = {
    nowhere: codeOf(() => addon.tryLock(join(folder, 'nowhere', 'lock'))),
    folder: codeOf(() => addon.tryLock(join(folder, 'folder'))),
    relative: codeOf(() => addon.tryLock('lock')),
    deleted: codeOf(() => unlinkSync(held)),
  };
  lock?.release();
  return codes;
}
