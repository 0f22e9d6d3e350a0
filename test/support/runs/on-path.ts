import { spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether PATH leads to a program of this name. */
export function isOnPath(name: string): boolean {
  return findOnPath(name) !== undefined;
}

/** The program of this name, behind all links: another user may not be allowed to follow those of this one's PATH. */
export function findOnPath(name: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name));
  const found = paths.find(path => isAccessible(path, constants.X_OK));
  return found === undefined ? undefined : realpathSync(found);
}

/** Whether the program runs with these arguments, and exits with 0. */
export function doesRun(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 60_000 }).status === 0;
}

export function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
