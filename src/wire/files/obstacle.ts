import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../http/transport.ts';

/** Why no file can be at a path. */
export interface Obstacle {
  /** The path, or that of a folder above it. */
  readonly path: string;
  /** What is there, such as "a pipe, not a file". */
  readonly what: string;
}

/**
 * Finds what is in the place of a file, or of a folder above it, for an error message. Errors of the system only say "No such file" of a
 * link that leads nowhere.
 *
 * @returns undefined if there is a file, or nothing, or if the user may not look
 */
export function obstacleTo(path: string): Obstacle | undefined {
  try {
    return lookAt(path, 'file');
  } catch {
    return undefined;
  }
}

/**
 * As {@link obstacleTo}, for an error that came up at the path.
 *
 * @returns also undefined for errors without a code of the system or of SQLite: ours name what is there
 */
export function obstacleBehind(error: unknown, path: string): Obstacle | undefined {
  return systemCode(error) === 'unknown' ? undefined : obstacleTo(path);
}

/** For example "/srv/data is a file, not a folder". */
export function obstacleText({ path, what }: Obstacle): string {
  return `${path} is ${what}`;
}

function lookAt(path: string, wanted: 'file' | 'folder'): Obstacle | undefined {
  if (!isThere(path)) return dirname(path) === path ? undefined : lookAt(dirname(path), 'folder');
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { path, what: `a symbolic link to ${readlinkSync(path)}, which does not exist` };
  const kind = kindOf(found);
  return kind === wanted ? undefined : { path, what: `a ${kind}, not a ${wanted}` };
}

/** Below a file there is nothing, which the system calls an error of its own. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

function kindOf(found: Stats): string {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  if (found.isFIFO()) return 'pipe';
  return found.isSocket() ? 'socket' : 'device';
}
