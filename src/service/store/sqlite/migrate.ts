import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../errors.ts';
import type { Migration } from './migrations.ts';

/** Marks a database file as ours (`PRAGMA application_id`): "RALY". */
const applicationId = 0x52_41_4c_59;

/**
 * Brings the database to the newest layout, one transaction a step: a crash between two leaves a whole layout.
 *
 * @throws StoreError `store_too_new`, or `store_unusable` when the file is somebody else's; nothing was changed
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[], location: string): void {
  const found = layoutOf(database, location);
  const newest = migrations.length;
  if (found > newest) {
    throw new StoreError(
      'store_too_new',
      `${location} has layout ${found}, written by a newer version of Rallypoint; this version knows layouts up to ` +
        `${newest}. Start the newer version, or choose another data folder.`,
    );
  }
  for (const step of migrations.slice(found)) {
    database.exec('BEGIN IMMEDIATE');
    try {
      step.apply(database);
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${step.version}; COMMIT`);
    } catch (cause) {
      database.exec('ROLLBACK');
      throw new StoreError(
        'store_unusable',
        `${location} could not be brought from layout ${step.version - 1} to ${step.version} and was left as it was.`,
        { cause },
      );
    }
  }
}

/** The layout's version; 0 for a new database. */
function layoutOf(database: DatabaseSync, location: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  const owner = Number(database.prepare('PRAGMA application_id').get()?.application_id);
  const tables = Number(database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.n);
  if (owner === applicationId || (owner === 0 && version === 0 && tables === 0)) return version;
  throw new StoreError(
    'store_unusable',
    `${location} is an SQLite database, but not one of Rallypoint's. Choose another data folder.`,
  );
}
