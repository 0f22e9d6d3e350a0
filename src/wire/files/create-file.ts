import { closeSync, lstatSync, openSync } from 'node:fs';
import { systemCode } from '../http/transport.ts';

const root = 0;

/**
 * Makes an empty file where there is none, for libraries that would make it through a link that somebody has planted, or
 * open to others. One that is there stays as it is.
 *
 * @throws what the system says, with its `code`; an Error when what is there was put there by another user: a link, or, unless
 *   this process may do everything, a file
 */
export function createFile(path: string, mode: number): void {
  try {
    closeSync(openSync(path, 'wx', mode));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    rejectIfPlanted(path);
  }
}

function rejectIfPlanted(path: string): void {
  const uid = process.geteuid?.();
  const found = lstatSync(path);
  if (uid === undefined || found.uid === uid || found.uid === root) return;
  if (found.isSymbolicLink()) throw new Error(`${path} is a symbolic link of another user`);
  if (uid !== root) throw new Error(`${path} belongs to another user`);
}
