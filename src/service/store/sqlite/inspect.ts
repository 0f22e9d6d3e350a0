import { createPrivateKey } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { counted } from '../../../wire/counted.ts';
import { type Obstacle, obstacleText, obstacleTo } from '../../../wire/files/obstacle.ts';
import { readSigningKey } from '../../../wire/signature.ts';
import type { KeyPart } from '../contract.ts';
import { databaseIn } from '../data-folder.ts';
import { decodeRecord } from '../decode-record.ts';
import { StoreError } from '../errors.ts';
import { collectionNames, fieldOf, indexFields, keyFields } from '../keys.ts';
import type { ApplicationRecord, CollectionName } from '../records.ts';
import { markPath, readCounter, readMark } from './counters.ts';
import { isForbidden, isFull, isMissing } from './failure.ts';
import { copyLive } from './live-copy.ts';
import { checkLayout, layoutOf } from './migrate.ts';
import { migrations } from './migrations.ts';
import { listSetAside, type SetAsideRecord } from './set-aside.ts';
import { missingParts } from './tables.ts';
import { readLog } from './wal.ts';

/** What is looked at, in this order. */
export const storeFindingCodes = [
  /** Whether there is a database, and whether it can be opened. */
  'database',
  'layout',
  /** The write-ahead log. */
  'log',
  /** Whether all commits are there that were acknowledged. */
  'commits',
  /** SQLite's own check of every page and index. */
  'integrity',
  /** Whether every record can be decoded. */
  'records',
  /** Records that a service has set aside. */
  'set_aside',
  /** Whether the keys that sign can be read. */
  'keys',
  'space',
] as const;
/** `nodes`: those on a database that many share. */
export type StoreFindingCode = (typeof storeFindingCodes)[number] | 'nodes';

/** One thing that was looked at. */
export interface StoreFinding {
  readonly code: StoreFindingCode;
  readonly ok: boolean;
  /** What was found: a sentence or two. */
  readonly message: string;
  /** What to do about it; present when it is not ok. */
  readonly remedy?: string;
  /** Those that the finding is about. */
  readonly records?: readonly BadRecord[];
}

/** A record that cannot be used, without its content, which may be secret. */
export interface BadRecord {
  readonly collection: CollectionName;
  readonly id: string;
  readonly reason: string;
}

const restore = 'Stop the service, move the data folder away and restore a backup: rallypoint restore';
const checkPath = 'Check the path of the data folder: --data DIR';
const sqliteFindingsMax = 10;

/** Looks through a data folder, also one that a service is running on: a copy in the system's temporary folder is read. */
export async function inspectDataFolder(folder: string): Promise<readonly StoreFinding[]> {
  const location = databaseIn(folder);
  const missing = await missingDatabase(location);
  if (missing) return [missing];
  let place: string;
  try {
    place = await mkdtemp(join(tmpdir(), 'rallypoint-doctor-'));
  } catch (error) {
    const message = `${location} cannot be copied to the temporary folder: ${(error as Error).message}.`;
    return [{ code: 'database', ok: false, message, remedy: 'Name another temporary folder by TMPDIR' }];
  }
  const copy = join(place, 'copy.sqlite');
  let database: DatabaseSync | undefined;
  try {
    // Read before the copy is made, which has at least as many.
    const known = readMark(location);
    await copyLive(location, copy);
    const log = await logFinding(copy);
    database = new DatabaseSync(copy);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    return [...(await look(database, location, { known, log }))];
  } catch (error) {
    return [unreadable(location, error)];
  } finally {
    database?.close();
    await rm(place, { recursive: true, force: true });
  }
}

async function missingDatabase(location: string): Promise<StoreFinding | undefined> {
  const obstacle = obstacleTo(location);
  if (obstacle) return inTheWay(obstacle, checkPath);
  let found: Stats | undefined;
  let commits: number;
  try {
    found = await stat(location).catch(unlessMissing);
    const ofLog = obstacleTo(`${location}-wal`);
    if (ofLog) return inTheWay(ofLog, restore);
    if (found && found.size > 0) return undefined;
    commits = readMark(location) ?? 0;
  } catch (error) {
    return unreadable(location, error);
  }
  const what = found ? 'is empty' : 'does not exist';
  const message = `${location} ${what}${commits > 0 ? `, although it held ${counted(commits, 'commit')}` : ''}.`;
  // Nothing says that there ever was one.
  const remedy = found || commits > 0 ? restore : checkPath;
  return { code: 'database', ok: false, message, remedy };
}

function inTheWay(obstacle: Obstacle, remedy: string): StoreFinding {
  return { code: 'database', ok: false, message: `${obstacleText(obstacle)}.`, remedy };
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

const asItsUser = 'Run this as the user of the service, or check the permissions of the folder';

/** Restoring a backup is no help to those who may not read the folder, or have no room for the copy. */
function unreadable(location: string, error: unknown): StoreFinding {
  const reason = error instanceof Error ? error.message : String(error);
  // The mark, which its error names, or a database that changes too much to be copied.
  if (error instanceof StoreError) {
    const mark = isForbidden(error.cause) ? asItsUser : 'Remove what has this name: the next start makes another mark';
    const remedy = error.code === 'store_unusable' ? mark : 'Stop the service, or look when it writes less';
    return { code: 'database', ok: false, message: reason, remedy };
  }
  const remedy = isForbidden(error)
    ? asItsUser
    : isFull(error)
      ? 'Free some space in the temporary folder, or name another one by TMPDIR'
      : restore;
  const { path } = error as { readonly path?: unknown };
  const what = path === `${location}-wal` ? path : location;
  return { code: 'database', ok: false, message: `${what} cannot be read: ${reason}.`, remedy };
}

async function look(
  database: DatabaseSync,
  location: string,
  { known, log }: { readonly known: number | undefined; readonly log: StoreFinding },
): Promise<readonly StoreFinding[]> {
  const { size } = await stat(location);
  const tables = attempt('database', () => tablesOf(database));
  if ('code' in tables) return [tables];
  const through = attempt('records', () => lookThrough(database, tables));
  return [
    { code: 'database', ok: true, message: `${location} has ${mebibytes(size)}.` },
    attempt('layout', () => layoutFinding(database, location)),
    log,
    attempt('commits', () => commitsFinding(database, location, known)),
    attempt('integrity', () => integrityFinding(database)),
    ...('code' in through ? [through] : [recordsFinding(through.records)]),
    attempt('set_aside', () => setAsideFinding(tables.has('set_aside') ? listSetAside(database) : [])),
    ...('code' in through ? [] : [keysFinding(through.keys)]),
    attempt('space', () => spaceFinding(database)),
  ];
}

/** What is damaged in one place does not hide the others. */
function attempt<T>(code: StoreFindingCode, work: () => T): T | StoreFinding {
  try {
    return work();
  } catch (error) {
    return { code, ok: false, message: `This cannot be looked at: ${(error as Error).message}.`, remedy: restore };
  }
}

function tablesOf(database: DatabaseSync): Set<unknown> {
  return new Set(
    database
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map(({ name }) => name),
  );
}

function layoutFinding(database: DatabaseSync, location: string): StoreFinding {
  const newest = migrations.length;
  try {
    const layout = layoutOf(database, location);
    checkLayout(layout, newest, location);
    if (layout === 0) return { code: 'layout', ok: false, message: 'The database holds nothing.', remedy: restore };
    if (layout < newest) {
      const message = `Layout ${layout}; the next start brings it to ${newest}, and keeps a copy.`;
      return { code: 'layout', ok: true, message };
    }
    const { tables, indexes } = missingParts(database);
    const missing = [...tables, ...indexes];
    if (missing.length === 0) return { code: 'layout', ok: true, message: `Layout ${layout}, the newest.` };
    return { code: 'layout', ok: false, message: `Layout ${layout} without ${missing.join(', ')}.`, remedy: restore };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const remedy = error.code === 'store_too_new' ? 'Use the newer version' : 'Choose another data folder';
    return { code: 'layout', ok: false, message: error.message, remedy };
  }
}

/** To be read before SQLite opens the copy. */
async function logFinding(copy: string): Promise<StoreFinding> {
  const bytes = await readFile(`${copy}-wal`).catch(() => undefined);
  if (!bytes || bytes.length === 0) return { code: 'log', ok: true, message: 'The write-ahead log is empty.' };
  const { frames, commits, dropped, hasHead } = readLog(bytes);
  if (!hasHead) {
    const message = `The head of the write-ahead log is damaged: SQLite ignores its ${mebibytes(bytes.length)}.`;
    return { code: 'log', ok: false, message, remedy: restore };
  }
  const message = `The write-ahead log holds ${frames} pages of ${commits} commits.`;
  if (dropped === 0) return { code: 'log', ok: true, message };
  // A machine that lost its power leaves such pages, too: then no commit is missing.
  const behind = `${message} ${dropped} pages behind a broken one are dropped by SQLite: the log was damaged, or the last transaction was broken off.`;
  return { code: 'log', ok: true, message: behind };
}

function commitsFinding(database: DatabaseSync, location: string, known: number | undefined): StoreFinding {
  const commits = readCounter(database, 'commits');
  if (known === undefined) {
    const message = `${commits} commits. No mark says how many there must be; the next start makes one.`;
    return { code: 'commits', ok: true, message };
  }
  if (commits >= known) return { code: 'commits', ok: true, message: `All ${commits} commits are there.` };
  const message = `${known - commits} of ${known} commits that were acknowledged are missing.`;
  const remedy = `${restore}. To continue without them instead, delete ${markPath(location)}`;
  return { code: 'commits', ok: false, message, remedy };
}

function integrityFinding(database: DatabaseSync): StoreFinding {
  const found = database.prepare(`PRAGMA integrity_check(${sqliteFindingsMax})`).all();
  const texts = found.map(row => String(row.integrity_check));
  if (texts[0] === 'ok') return { code: 'integrity', ok: true, message: 'Every page and index is whole.' };
  return { code: 'integrity', ok: false, message: `SQLite found damage: ${texts.join('; ')}.`, remedy: restore };
}

/** Reads every record once. */
function lookThrough(database: DatabaseSync, tables: ReadonlySet<unknown>) {
  const records: BadRecord[] = [];
  const keys: BadRecord[] = [];
  for (const collection of collectionNames) {
    if (!tables.has(collection)) continue;
    try {
      for (const row of database.prepare(`SELECT * FROM ${collection}`).iterate()) {
        const key = keyFields(collection).map(field => row[field] as KeyPart);
        const about = { collection, id: key.join('/') };
        const record = decodeRecord(collection, String(row.body), key);
        const reason = typeof record === 'string' ? record : wrongColumn(collection, row, record);
        if (reason !== undefined) records.push({ ...about, reason });
        else if (!hasReadableKey(collection, record as object)) {
          keys.push({ ...about, reason: 'its key cannot be read' });
        }
      }
    } catch (error) {
      // Also what is damaged below the records; the check of the pages says where.
      records.push({ collection, id: '?', reason: `the others cannot be read: ${(error as Error).message}` });
    }
  }
  return { records, keys };
}

/** A record is found by its columns: those must say what it says itself. */
export function wrongColumn(
  collection: CollectionName,
  row: Readonly<Record<string, unknown>>,
  record: object,
): string | undefined {
  const wrong = indexFields(collection).find(field => field in row && row[field] !== fieldOf(record, field));
  return wrong === undefined ? undefined : `its column ${wrong} says something else`;
}

export function hasReadableKey(collection: CollectionName, record: object): boolean {
  try {
    if (collection === 'applications') readSigningKey((record as ApplicationRecord).signing_key);
    if (collection === 'settings' && fieldOf(record, 'name') === 'oauth_signing_key') {
      createPrivateKey({ key: fieldOf(record, 'value') as JsonWebKey, format: 'jwk' });
    }
    return true;
  } catch {
    return false;
  }
}

export function recordsFinding(records: readonly BadRecord[]): StoreFinding {
  if (records.length === 0) return { code: 'records', ok: true, message: 'Every record can be decoded.' };
  const message = `${counted(records.length, 'record')} cannot be decoded: ${named(records)}.`;
  const remedy =
    'The service sets such a record aside when it reads it, and continues. To have it back, restore a backup';
  return { code: 'records', ok: false, message, remedy, records };
}

export function setAsideFinding(found: readonly SetAsideRecord[]): StoreFinding {
  const records = found.map(({ collection, key, reason }) => ({ collection, id: key.join('/'), reason }));
  if (records.length === 0) return { code: 'set_aside', ok: true, message: 'No record was set aside.' };
  const message = `${counted(records.length, 'record')} ${records.length === 1 ? 'was' : 'were'} set aside: ${named(records)}.`;
  const remedy =
    'They are kept in the table set_aside as they were. Restore a backup, or delete them from there while the service is stopped';
  return { code: 'set_aside', ok: false, message, remedy, records };
}

export function keysFinding(records: readonly BadRecord[], remedy = restore): StoreFinding {
  if (records.length === 0) return { code: 'keys', ok: true, message: 'Every key that signs can be read.' };
  const message = `${counted(records.length, 'record')} ${records.length === 1 ? 'has' : 'have'} a key that cannot be read: ${named(records)}.`;
  return { code: 'keys', ok: false, message, remedy, records };
}

function spaceFinding(database: DatabaseSync): StoreFinding {
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
  const free = Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count);
  return { code: 'space', ok: true, message: `${free} of ${pages} pages are free.` };
}

const namedMax = 20;

function named(records: readonly BadRecord[]): string {
  const names = records.slice(0, namedMax).map(({ collection, id, reason }) => `${collection} ${id} (${reason})`);
  if (records.length > namedMax) names.push(`and ${records.length - namedMax} more`);
  return names.join(', ');
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
