import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Logger, silentLogger } from '../../../wire/clock/ports.ts';
import { createFile } from '../../../wire/files/create-file.ts';
import { obstacleTo } from '../../../wire/files/obstacle.ts';
import { makeFolder } from '../../../wire/make-folder.ts';
import { StoreError } from '../errors.ts';
import { markPath, readCounter, readMark } from './counters.ts';
import { damagedError, obstructedError, openingError } from './failure.ts';
import { layoutOf, migrate } from './migrate.ts';
import { type Migration, migrations as ownMigrations } from './migrations.ts';
import { missingParts } from './tables.ts';
import { KeptLog, sizeOf, walPages } from './wal.ts';

/** The location of a database that lives in memory alone. */
export const inMemory = ':memory:';

const cacheKiB = 64 * 1024;
/** What the log's file keeps of its size when a large transaction has made it grow. */
const walBytesKept = 64 * 1024 * 1024;

/**
 * Opens the database at `location` for this process alone, creates it (and its folder, for the owner's eyes only) when
 * there is none, and brings it to the newest layout. The system drops the lock with the process, however that ends.
 *
 * A database that is rejected is left as it was, including its write-ahead log.
 *
 * @param location path of a file, or {@link inMemory}
 * @throws StoreError `store_in_use`, `store_too_new`, `store_unusable`, `store_incomplete`, `store_full`
 */
export async function openDatabase(
  location: string,
  migrations: readonly Migration[] = ownMigrations,
  log: Logger = silentLogger,
): Promise<DatabaseSync> {
  if (location === inMemory) return prepare(new DatabaseSync(location), location, migrations, log);
  let database: DatabaseSync | undefined;
  let kept: KeptLog | undefined;
  try {
    // Only the first write would fail.
    const obstacle = obstacleTo(`${location}-wal`);
    if (obstacle) throw obstructedError(location, obstacle);
    const known = readMark(location);
    checkNotEmptied(location, known);
    await createPrivately(location);
    kept = new KeptLog(location);
    database = new DatabaseSync(location);
    prepare(database, location, migrations, log, known);
    kept.drop();
    return database;
  } catch (error) {
    database?.close();
    const refusal = error instanceof StoreError ? error : openingError(location, error);
    // Its log belongs to the process that has it open.
    if (refusal.code === 'store_in_use') kept?.drop();
    else kept?.putBack();
    throw refusal;
  }
}

/** @param known how many commits it must have */
function prepare(
  database: DatabaseSync,
  location: string,
  migrations: readonly Migration[],
  log: Logger,
  known?: number,
): DatabaseSync {
  // Order matters: with the lock held before WAL begins SQLite needs no shared memory.
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  // It can be chosen before there is a page; later it is a write, which a damaged database must be spared.
  if (database.prepare('PRAGMA page_count').get()?.page_count === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = ${walPages};
    PRAGMA journal_size_limit = ${walBytesKept};
    PRAGMA cache_size = -${cacheKiB};
    PRAGMA temp_store = MEMORY;
    BEGIN EXCLUSIVE; COMMIT;
  `);
  if (location !== inMemory) checkWhole(database, location, known);
  migrate(database, migrations, location, log);
  if (migrations === ownMigrations) checkTables(database, location);
  return database;
}

/** SQLite itself does not know what belongs to a layout: each statement on a missing table would fail by itself. */
function checkTables(database: DatabaseSync, location: string): void {
  const { tables } = missingParts(database);
  if (tables.length === 0) return;
  throw new StoreError('store_unusable', `${location} is damaged: it lacks ${tables.join(', ')}. ${restoreHint}`);
}

/** The last sentence of the error. */
const restoreHint =
  'Move the data folder away and restore a backup ("rallypoint restore"), or choose another data folder.';

/** SQLite takes an empty file for a new database, and deletes the write-ahead log of one that is not there. */
function checkNotEmptied(location: string, known: number | undefined): void {
  if (sizeOf(location) > 0 || statSync(location, { throwIfNoEntry: false })?.isFile() === false) return;
  if ((known ?? 0) === 0 && sizeOf(`${location}-wal`) === 0) return;
  const isThere = statSync(location, { throwIfNoEntry: false }) !== undefined;
  const what = `${location} is ${isThere ? 'empty' : 'missing'}, although this data folder has held a service's state`;
  throw new StoreError('store_incomplete', `${what}. ${restoreHint}`);
}

/**
 * Checks that no acknowledged commit is missing. Without a mark (an older version had none, or an operator deleted it to continue with
 * what is left) the pages are checked, once.
 */
function checkWhole(database: DatabaseSync, location: string, known: number | undefined): void {
  if (known === undefined) {
    if (layoutOf(database, location) === 0) return;
    if (database.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok') throw damagedError(location);
    return;
  }
  const commits = readCounter(database, 'commits');
  if (commits >= known) return;
  throw new StoreError(
    'store_incomplete',
    `${location} lacks ${known - commits} of ${known} commits that were acknowledged: its write-ahead log (-wal) was ` +
      'damaged or deleted, or an older copy was put in its place. "rallypoint doctor --data" with the data folder says what is left. ' +
      `Restore a backup or, to continue without them, delete ${markPath(location)} and start again.`,
  );
}

/** What is there is not opened: closing it again would drop the lock of a store that this process has on it. */
async function createPrivately(path: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  createFile(path, 0o600);
}
