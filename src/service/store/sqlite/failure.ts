import type { DatabaseSync } from 'node:sqlite';
import { type Obstacle, obstacleBehind, obstacleText } from '../../../wire/files/obstacle.ts';
import { systemCode } from '../../../wire/http/transport.ts';
import { StoreError } from '../errors.ts';
import type { CollectionName } from '../records.ts';

// Primary result codes of SQLite.
const sqliteBusy = 5;
const sqliteCorrupt = 11;
const sqliteFull = 13;
const sqliteNotADatabase = 26;

/** Whether the error says that there is no space left. */
export function isFull(error: unknown): boolean {
  return sqliteCode(error) === sqliteFull || ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');
}

/** Whether the error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
}

/** Whether the error says that this user may not read or write there. */
export function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '');
}

/** What the error of an open database becomes. @param collection that was read */
export function failedError(
  location: string,
  what: 'read' | 'written',
  cause: unknown,
  collection?: CollectionName,
): StoreError {
  if (collection !== undefined && sqliteCode(cause) === sqliteCorrupt) {
    const message = `${location} is damaged: ${damageOf([collection])}. ${salvageHint}`;
    return new StoreError('store_failed', message, { cause, damaged: collection });
  }
  if (isFull(cause)) {
    const message = `${location} could not be ${what}: there is no space left on its disk. Free some; then writes succeed again.`;
    return new StoreError('store_full', message, { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError('store_failed', `${location} could not be ${what}: ${reason}.`, { cause });
}

/** Which collections a damaged database has lost, as a clause. */
export function damageOf(collections: readonly string[]): string {
  return `not all of ${collections.join(', ')} can be read`;
}

export const salvageHint = 'Restore a backup, or save what can be read: rallypoint backup FILE --data DIR --salvage.';

/** What an error becomes that came up while a database was opened. */
export function openingError(location: string, cause: unknown): StoreError {
  const code = sqliteCode(cause);
  if (code === sqliteBusy) {
    const message = `${location} is in use by another process. Stop that one first, or choose another data folder.`;
    return new StoreError('store_in_use', message, { cause });
  }
  if (code === sqliteCorrupt || code === sqliteNotADatabase) return damagedError(location, cause);
  if (isFull(cause)) {
    const message = `${location} cannot be opened: there is no space left on its disk. Free some, and start again.`;
    return new StoreError('store_full', message, { cause });
  }
  const obstacle = obstacleBehind(cause, location);
  if (obstacle) return obstructedError(location, obstacle, cause);
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${location} cannot be opened (${reason}). Check the path, its permissions and the free space.`;
  return new StoreError('store_unusable', message, { cause });
}

export function obstructedError(location: string, obstacle: Obstacle, cause?: unknown): StoreError {
  const reason = obstacle.path === location ? `it is ${obstacle.what}` : obstacleText(obstacle);
  const message = `${location} cannot be opened: ${reason}. Choose another data folder, or remove what is in its place.`;
  return new StoreError('store_unusable', message, { cause });
}

export function damagedError(location: string, cause?: unknown): StoreError {
  const message =
    `${location} is damaged or not an SQLite database. Move the data folder away and restore a backup ` +
    '("rallypoint restore"), or choose another data folder.';
  return new StoreError('store_unusable', message, { cause });
}

/** Ends a transaction in which a statement has failed. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
  }
}

/** SQLite's primary result code, when the error carries one. */
function sqliteCode(error: unknown): number | undefined {
  const extended = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof extended === 'number' ? extended & 0xff : undefined;
}
