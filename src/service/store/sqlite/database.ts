import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createFile } from '../../../wire/files/create-file.ts';
import { makeFolder } from '../../../wire/make-folder.ts';
import { StoreError } from '../errors.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrations as ownMigrations } from './migrations.ts';

/** The location of a database that lives in memory alone. */
export const inMemory = ':memory:';

const cacheKiB = 64 * 1024;
/** Pages of 4 KiB that the write-ahead log may reach before it is folded into the file: 16 MiB. */
const walPages = 4096;

/**
 * Opens the database at `location` for this process alone, creates it (and its folder, for the owner's eyes only) when
 * there is none, and brings it to the newest layout. The system drops the lock with the process, however that ends.
 *
 * @param location path of a file, or {@link inMemory}
 * @throws StoreError `store_in_use`, `store_too_new`, `store_unusable`
 */
export async function openDatabase(
  location: string,
  migrations: readonly Migration[] = ownMigrations,
): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    if (location !== inMemory) await createPrivately(location);
    database = new DatabaseSync(location);
    // Order matters: with the lock held before WAL begins, SQLite needs no shared memory.
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${walPages};
      PRAGMA cache_size = -${cacheKiB};
      PRAGMA temp_store = MEMORY;
      BEGIN EXCLUSIVE; COMMIT;
    `);
    migrate(database, migrations, location);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StoreError ? error : openingError(location, error);
  }
}

async function createPrivately(path: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  createFile(path, 0o600);
}

// Primary result codes of SQLite.
const sqliteBusy = 5;
const sqliteCorrupt = 11;
const sqliteNotADatabase = 26;

function openingError(location: string, cause: unknown): StoreError {
  const code = sqliteCode(cause);
  if (code === sqliteBusy) {
    const message = `${location} is in use by another process. Stop that one first, or choose another data folder.`;
    return new StoreError('store_in_use', message, { cause });
  }
  if (code === sqliteCorrupt || code === sqliteNotADatabase) {
    const message =
      `${location} is damaged or not an SQLite database. Move it away together with the files named after it ` +
      '(-wal, -shm) and put a backup in its place, or choose another data folder.';
    return new StoreError('store_unusable', message, { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${location} cannot be opened (${reason}). Check the path, its permissions and the free space.`;
  return new StoreError('store_unusable', message, { cause });
}

/** SQLite's primary result code, when the error carries one. */
function sqliteCode(error: unknown): number | undefined {
  const extended = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof extended === 'number' ? extended & 0xff : undefined;
}
