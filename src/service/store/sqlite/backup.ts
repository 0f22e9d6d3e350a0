import { constants, type Stats } from 'node:fs';
import { access, chmod, link, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { RallypointError } from '../../../model/errors/errors.ts';
import { silentLogger } from '../../../wire/clock/ports.ts';
import { obstacleText, obstacleTo } from '../../../wire/files/obstacle.ts';
import { systemCode } from '../../../wire/http/transport.ts';
import { makeFolder } from '../../../wire/make-folder.ts';
import { databaseIn } from '../data-folder.ts';
import { StoreError } from '../errors.ts';
import { collectionNames } from '../keys.ts';
import { CommitMark, counterWriter, markPath, readCounter, readMark } from './counters.ts';
import { openDatabase } from './database.ts';
import { damagedError, damageOf, isForbidden, isFull, isMissing, openingError, salvageHint } from './failure.ts';
import { copyLive } from './live-copy.ts';
import { checkLayout, layoutOf } from './migrate.ts';
import { migrations } from './migrations.ts';

const copyFolderPrefix = '.rallypoint-';
// The prefix, and what mkdtemp() adds to it.
const copyFolderPattern = /^\.rallypoint-[A-Za-z0-9]{6}$/;
// No copy takes that long.
const abandonedAfterMs = 24 * 3_600_000;

/** What a backup holds. */
export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly layout: number;
  /** How many commits were made in its data folder until then. */
  readonly commits: number;
}

/**
 * Copies the state of a data folder into one file, also while a service is running on it: all that was acknowledged when the
 * copy began is in it. The copy is looked through before it gets its name.
 *
 * @throws StoreError `store_unusable`: there is nothing to copy, it is damaged, or the file already exists;
 *   `store_incomplete`, `store_failed`, `store_full`
 */
export async function backUp(folder: string, file: string): Promise<BackupReport> {
  const location = databaseIn(folder);
  await requireFile(location, ' Check the path of the data folder.');
  await requireNothing(file, 'Choose another name for the backup.');
  return besides(file, async copy => {
    const known = readMark(location) ?? 0;
    await reading(location, copyLive(location, copy, { mayHold: true }));
    return publish(copy, file, look(copy, location, known));
  });
}

/**
 * As {@link backUp}, of a damaged database: what can be read of it.
 *
 * @returns `lost`: collections of which something could not be read
 */
export async function salvage(
  folder: string,
  file: string,
): Promise<BackupReport & { readonly lost: readonly string[] }> {
  const location = databaseIn(folder);
  await requireFile(location, ' Check the path of the data folder.');
  await requireNothing(file, 'Choose another name for the backup.');
  return besides(file, async copy => {
    await reading(location, copyLive(location, copy, { mayHold: true }));
    const target = `${copy}-saved`;
    let lost: readonly string[] = [];
    const report = await filled(target, file, async database => {
      lost = copyReadable(copy, location, database);
    });
    return { ...(await publish(target, file, report)), lost };
  });
}

/** @returns collections of which something could not be read */
function copyReadable(copy: string, source: string, target: DatabaseSync): readonly string[] {
  const database = new DatabaseSync(copy);
  try {
    const layout = layoutOf(database, source);
    checkLayout(layout, migrations.length, source);
    if (layout < migrations.length) {
      const message = `${source} has layout ${layout}, and only layout ${migrations.length} can be salvaged. Use the version that wrote it.`;
      throw new StoreError('store_unusable', message);
    }
    target.exec('BEGIN');
    const lost = ['counters', 'set_aside', ...collectionNames].filter(table => !copyTable(database, table, target));
    target.exec('COMMIT');
    return lost;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw damagedError(source, error);
  } finally {
    database.close();
  }
}

/** Copies a table from both ends up to what is damaged. @returns whether it is whole */
function copyTable(database: DatabaseSync, table: string, target: DatabaseSync): boolean {
  let isWhole = true;
  const columns = target
    .prepare('SELECT name FROM pragma_table_info(?) ORDER BY pk')
    .all(table)
    .map(({ name }) => String(name));
  const key = target
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .all(table)
    .map(({ name }) => String(name));
  const values = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${values})`);
  for (const way of ['', ' DESC']) {
    try {
      const order = key.map(field => field + way).join(', ');
      for (const row of database.prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${order}`).iterate()) {
        insert.run(...columns.map(column => row[column] as SQLInputValue));
      }
      return isWhole;
    } catch (error) {
      if (isFull(error)) throw error;
      isWhole = false;
    }
  }
  return isWhole;
}

/** Collections of which something cannot be read. */
function damagedCollections(database: DatabaseSync): readonly string[] {
  return collectionNames.filter(name => {
    try {
      // Reads every page of the table.
      database.prepare(`SELECT max(length(body)) FROM ${name}`).get();
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * Makes a data folder of a backup, for a service to be started on.
 *
 * @param change changes the copy that becomes the folder's database
 * @throws StoreError `store_unusable`: the file is no backup or damaged, or the folder holds a state already; `store_too_new`,
 *   `store_full`
 */
export async function restoreBackup(
  file: string,
  folder: string,
  change?: (database: DatabaseSync) => void,
): Promise<BackupReport> {
  await requireFile(file);
  const location = await newDatabaseIn(folder);
  return besides(location, async copy => {
    await reading(file, copyLive(file, copy));
    const report = look(copy, file);
    checkLayout(report.layout, migrations.length, file);
    if (change) changeCopy(copy, change);
    return publishDatabase(copy, location, report);
  });
}

function changeCopy(copy: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(copy);
  try {
    change(database);
  } finally {
    database.close();
  }
}

/** Creates the folder. @returns where its database is to be */
async function newDatabaseIn(folder: string): Promise<string> {
  const location = databaseIn(folder);
  for (const path of [location, `${location}-wal`, markPath(location)]) {
    await requireNothing(path, 'Stop the service, move the data folder away, and try again.');
  }
  await makeFolder(folder, 0o700).catch(error => {
    throw openingError(location, error);
  });
  return location;
}

async function publishDatabase(copy: string, location: string, report: Omit<BackupReport, 'file' | 'bytes'>) {
  const published = await publish(copy, location, report);
  new CommitMark(location, report.commits, silentLogger).close();
  return published;
}

/**
 * Makes a backup of what `fill` puts into an empty database.
 *
 * @throws StoreError as {@link backUp}; what `fill` throws
 */
export async function createBackup(
  file: string,
  fill: (database: DatabaseSync) => Promise<void>,
): Promise<BackupReport> {
  await requireNothing(file, 'Choose another name for the backup.');
  return besides(file, async copy => publish(copy, file, await filled(copy, file, fill)));
}

/**
 * Makes a data folder of what `fill` puts into an empty database, for a service to be started on.
 *
 * @throws StoreError as {@link restoreBackup}; what `fill` throws
 */
export async function createDataFolder(
  folder: string,
  fill: (database: DatabaseSync) => Promise<void>,
): Promise<BackupReport> {
  const location = await newDatabaseIn(folder);
  return besides(location, async copy => publishDatabase(copy, location, await filled(copy, location, fill)));
}

async function filled(copy: string, target: string, fill: (database: DatabaseSync) => Promise<void>) {
  const database = await openDatabase(copy);
  try {
    // The file is synced when it gets its name.
    database.exec('PRAGMA synchronous = OFF');
    counterWriter(database)('commits', 1);
    await fill(database);
  } finally {
    database.close();
  }
  return look(copy, target);
}

/**
 * Looks through a backup, and opens a copy of it with the newest layout.
 *
 * @throws StoreError `store_unusable`: the file is no backup or damaged; `store_too_new`
 */
export async function readBackup<T>(file: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  await requireFile(file);
  const folder = await temporarily(file, mkdtemp(join(tmpdir(), 'rallypoint-restore-')));
  try {
    const copy = join(folder, 'copy.sqlite');
    await temporarily(file, reading(file, copyLive(file, copy)));
    checkLayout(look(copy, file).layout, migrations.length, file);
    return await withDatabase(copy, work);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Says what is wrong with the temporary folder. */
async function temporarily<T>(file: string, copied: Promise<T>): Promise<T> {
  try {
    return await copied;
  } catch (error) {
    if (error instanceof RallypointError) throw error;
    const reason = isFull(error) ? 'there is no space left on its disk' : (error as Error).message;
    throw new StoreError(
      isFull(error) ? 'store_full' : 'store_unusable',
      `${file} could not be copied to the temporary folder ${tmpdir()}: ${reason}. Name another one by TMPDIR.`,
      { cause: error },
    );
  }
}

/**
 * Opens the database of a data folder for this process alone; it gets the newest layout.
 *
 * @throws StoreError as {@link openDatabase}; `store_in_use`: a service is running on it
 */
export async function readDataFolder<T>(folder: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  const location = databaseIn(folder);
  await requireFile(location, ' Check the path of the data folder.');
  return withDatabase(location, work);
}

async function withDatabase<T>(location: string, work: (database: DatabaseSync) => Promise<T>): Promise<T> {
  const database = await openDatabase(location);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Says that it is the source of a copy which cannot be read, and not the copy that cannot be written. */
async function reading(source: string, copied: Promise<void>): Promise<void> {
  try {
    await copied;
  } catch (error) {
    const { path } = error as { readonly path?: unknown };
    throw path === source || path === `${source}-wal` ? unreadableError(path, error) : error;
  }
}

/** Runs `work` in a temporary folder next to `target`, on the same disk. */
async function besides<T>(target: string, work: (copy: string) => Promise<T>): Promise<T> {
  const parent = dirname(resolve(target));
  let folder: string | undefined;
  try {
    await removeAbandoned(parent);
    folder = await mkdtemp(join(parent, copyFolderPrefix));
    return await work(join(folder, 'copy.sqlite'));
  } catch (error) {
    if (error instanceof RallypointError) throw error;
    const code = isFull(error) ? 'store_full' : 'store_unusable';
    const reason = isFull(error)
      ? 'there is no space left on its disk'
      : folder === undefined && isMissing(error)
        ? noFolder(parent)
        : (error as Error).message;
    throw new StoreError(code, `${target} could not be written: ${reason}.`, { cause: error });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what copies that were killed have left. What cannot be removed does no harm. */
async function removeAbandoned(parent: string): Promise<void> {
  const before = Date.now() - abandonedAfterMs;
  // A folder that is missing or may not be listed: making the copy says what is wrong, if anything is.
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || !copyFolderPattern.test(entry.name)) continue;
    const folder = join(parent, entry.name);
    try {
      if ((await stat(folder)).mtimeMs < before) await rm(folder, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another backup has removed it.
    }
  }
}

/**
 * Makes the copy one file without a log, and checks it.
 *
 * @param source what it is a copy of
 * @param known how many commits it must have
 */
function look(copy: string, source: string, known = 0): Omit<BackupReport, 'file' | 'bytes'> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(copy);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    const layout = layoutOf(database, source);
    const commits = readCounter(database, 'commits');
    if (commits < known) {
      const message =
        `${source} lacks ${known - commits} of ${known} commits that were acknowledged, so it was not backed up. ` +
        '"rallypoint doctor --data" with the data folder says more.';
      throw new StoreError('store_incomplete', message);
    }
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (layout === 0 || found !== 'ok') {
      if (layout === 0) throw new StoreError('store_unusable', `${source} holds no state of a service.`);
      const damaged = damagedCollections(database);
      const what = damaged.length > 0 ? damageOf(damaged) : String(found);
      throw new StoreError('store_unusable', `${source} is damaged: ${what}. ${salvageHint}`);
    }
    return { layout, commits };
  } catch (error) {
    if (error instanceof StoreError || isFull(error)) throw error;
    throw new StoreError('store_unusable', `${source} is damaged or not an SQLite database.`, { cause: error });
  } finally {
    database?.close();
  }
}

/** Gives a finished copy its name, unless something else has it by now. */
async function publish(
  copy: string,
  file: string,
  report: Omit<BackupReport, 'file' | 'bytes'>,
): Promise<BackupReport> {
  await chmod(copy, 0o600);
  const written = await open(copy, 'r+');
  await written.sync();
  await written.close();
  const { size } = await stat(copy);
  try {
    await link(copy, file);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken(file, 'Choose another name.');
    // A file system without hard links.
    await rename(copy, file);
  }
  return { file, bytes: size, ...report };
}

async function requireFile(path: string, hint = ''): Promise<void> {
  const found = await readableAt(path);
  if (found?.isFile() && found.size > 0) return;
  const obstacle = obstacleTo(path);
  const what = obstacle ? obstacleText(obstacle) : `${path} ${found ? 'is empty' : 'does not exist'}`;
  throw new StoreError('store_unusable', `${what}.${hint}`);
}

/** @throws StoreError `store_unusable`: it is there, perhaps, but not for this user */
async function readableAt(path: string): Promise<Stats | undefined> {
  try {
    await access(path, constants.R_OK);
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unreadableError(path, error);
  }
}

function unreadableError(path: string, error: unknown): StoreError {
  const advice = isForbidden(error) ? ' Check its permissions and the user that runs this.' : '';
  const message = `${path} cannot be read: ${(error as Error).message}.${advice}`;
  return new StoreError('store_unusable', message, { cause: error });
}

function noFolder(path: string): string {
  const obstacle = obstacleTo(join(path, copyFolderPrefix));
  return obstacle ? obstacleText(obstacle) : `${path} is not a folder`;
}

async function requireNothing(path: string, advice: string): Promise<void> {
  if (await stat(path).catch(() => undefined)) throw taken(path, advice);
}

function taken(path: string, advice: string): StoreError {
  return new StoreError('store_unusable', `${path} already exists. ${advice}`);
}
