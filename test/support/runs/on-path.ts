import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether PATH leads to a program of this name. */
export function isOnPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some(folder => isAccessible(join(folder, name), constants.X_OK));
}

export function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
