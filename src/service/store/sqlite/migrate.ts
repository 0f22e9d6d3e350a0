import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../../wire/clock/ports.ts';
import { systemCode } from '../../../wire/http/transport.ts';
import { StoreError } from '../errors.ts';
import { correctEarlyLayout, fillFromEarlyTables } from './early-layouts.ts';
import { isFull, rollBack } from './failure.ts';
import type { Migration } from './migrations.ts';

/** Marks a database file as ours (`PRAGMA application_id`): "RALY". */
const applicationId = 0x52_41_4c_59;

/**
 * Brings the database to the newest layout, in one transaction. One that has records is copied before: `<location>.layout-<version>`.
 *
 * @throws StoreError `store_too_new`; `store_full`, or `store_unusable` if the file belongs to another program; then nothing was changed
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], location: string, log: Logger): void {
  const found = layoutOf(database, location);
  checkLayout(found, migrations.length, location);
  if (found === migrations.length) return;
  if (found > 0) {
    const copy = copyBefore(database, location, found);
    log.warn(
      { copy, from: found, to: migrations.length },
      'The database is being migrated to a new layout; a copy of the old one was made.',
    );
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    const corrected = correctEarlyLayout(database, found);
    for (const { sql } of migrations.slice(found)) database.exec(sql);
    fillFromEarlyTables(database);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
    if (corrected.length > 0) {
      log.warn(
        { tables: corrected },
        'Tables differed from the layout, as an early build made them; they were corrected.',
      );
    }
  } catch (cause) {
    rollBack(database);
    throw new StoreError(
      isFull(cause) ? 'store_full' : 'store_unusable',
      `${location} could not be migrated from layout ${found} to ${migrations.length} and was left as it was: ` +
        `${isFull(cause) ? 'there is no space left on its disk' : (cause as Error).message}.`,
      { cause },
    );
  }
  letShrink(database, log);
}

/** @throws StoreError `store_too_new` */
export function checkLayout(found: number, newest: number, location: string): void {
  if (found <= newest) return;
  throw new StoreError(
    'store_too_new',
    `${location} has layout ${found}, written by a newer version of Rallypoint; this version knows layouts up to ` +
      `${newest}. Start the newer version, or choose another data folder.`,
  );
}

/** The layout's version; 0 for a new database. @throws StoreError `store_unusable`: it belongs to another program */
export function layoutOf(database: DatabaseSync, location: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const owner = Number(database.prepare('PRAGMA application_id').get()?.application_id);
  const tables = Number(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n);
  if (owner === applicationId || (owner === 0 && version === 0 && tables === 0)) return version;
  throw new StoreError(
    'store_unusable',
    `${location} is an SQLite database, but not one of Rallypoint's. Choose another file or data folder.`,
  );
}

/** @returns the path of the copy */
function copyBefore(database: DatabaseSync, location: string, layout: number): string {
  const copy = createBeside(`${location}.layout-${layout}`);
  try {
    // Through SQLite: reading the file without it would release this process's lock.
    database.prepare('VACUUM INTO ?').run(copy);
    const file = openSync(copy, 'r+');
    fsyncSync(file);
    closeSync(file);
    return copy;
  } catch (cause) {
    rmSync(copy, { force: true });
    const reason = isFull(cause) ? 'there is no space left on the disk' : (cause as Error).message;
    throw new StoreError(
      isFull(cause) ? 'store_full' : 'store_unusable',
      `${location} must be migrated to a new layout, and the copy before that could not be made: ${reason}. Nothing was changed.`,
      { cause },
    );
  }
}

/** Creates an empty file for the owner's eyes only, under the first name that is free: `base`, `base.2` … */
function createBeside(base: string): string {
  for (let n = 1; ; n++) {
    const path = n === 1 ? base : `${base}.${n}`;
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return path;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Older versions created databases that never shrink; such a database is rewritten once. */
function letShrink(database: DatabaseSync, log: Logger): void {
  if (Number(database.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum) !== 0) return;
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
  } catch (error) {
    log.warn({ error }, 'The database could not be compacted; it works as before.');
  }
}
