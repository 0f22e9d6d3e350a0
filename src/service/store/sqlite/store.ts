import type { DatabaseSync } from 'node:sqlite';
import { ArgumentError } from '../../../model/errors/errors.ts';
import { type Logger, silentLogger, systemClock } from '../../../wire/clock/ports.ts';
import { LruCache } from '../../support/lru-cache.ts';
import { storeLimits } from '../../support/service-limits.ts';
import type { KeyPart, ListQuery } from '../contract.ts';
import { decodeRecord } from '../decode-record.ts';
import { EmbeddedStore, type EmbeddedStoreOptions, type Engine, type Reading } from '../embedded.ts';
import { type AnyQuery, collectionNames, keyText } from '../keys.ts';
import type { Overlay } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { SlowStatements, type StatementKind } from '../slow-statements.ts';
import { CommitMark, counterWriter, readCounter } from './counters.ts';
import { inMemory, openDatabase } from './database.ts';
import { failedError, rollBack } from './failure.ts';
import { FreeSpace } from './free-space.ts';
import { SqliteReading } from './reading.ts';
import { listSetAside, moveAside, type SetAsideRecord } from './set-aside.ts';
import { openTables } from './tables.ts';
import { LogHold } from './wal.ts';

export interface SqliteStoreOptions extends EmbeddedStoreOptions {
  /** Path of the database file, or `:memory:`. */
  readonly location: string;
  /** Most JSON, in UTF-16 units, of the records kept decoded, for each collection. */
  readonly cacheSizeMax?: number;
  /** Statements that take this long or longer are logged; `storeLimits.slowStatementMs` when absent. */
  readonly slowStatementMs?: number;
  /** Called with every record that was set aside because it cannot be decoded, those of former processes included. */
  readonly onSetAside?: (record: SetAsideRecord) => unknown;
}

/**
 * Opens the embedded engine on disk. A file belongs to one process at a time.
 *
 * @throws StoreError as {@link openDatabase}
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EmbeddedStore> {
  const database = await openDatabase(options.location, undefined, options.log);
  try {
    return sqliteStoreOver(database, options);
  } catch (error) {
    database.close();
    throw failedError(options.location, 'written', error);
  }
}

/** @param database open, and of the newest layout */
export function sqliteStoreOver(database: DatabaseSync, options: SqliteStoreOptions): EmbeddedStore {
  return new EmbeddedStore(new SqliteEngine(database, options), options);
}

const cacheSizeDefault = 8 * 1024 * 1024;
/** Commit numbers are reserved on disk in blocks, so that a transaction without changes need not write its number. */
const revisionBlock = 65_536;
/** Unreadable records that one turn names in the log: more are counted. */
const namedMax = 1000;

interface Unreadable {
  readonly key: readonly KeyPart[];
  readonly reason: string;
}

class SqliteEngine implements Engine {
  readonly name = 'sqlite';
  readonly location: string;
  readonly firstRevision: number;
  readonly encode: (record: object) => string = JSON.stringify;
  readonly #database: DatabaseSync;
  readonly #tables: ReturnType<typeof openTables>;
  /** Decoded records that were read lately: this process is the only writer. */
  readonly #cache: Readonly<Record<CollectionName, LruCache<object>>>;
  /** As above, all records that have the first part of their key in common: those of one lobby, of one guild. */
  readonly #lists: Readonly<Record<CollectionName, LruCache<readonly object[]>>>;
  readonly #log: Logger;
  readonly #slow: SlowStatements;
  readonly #freeSpace: FreeSpace;
  readonly #mark: CommitMark | undefined;
  readonly #logHold: LogHold | undefined;
  readonly #writeCounter: ReturnType<typeof counterWriter>;
  readonly #onSetAside: (record: SetAsideRecord) => unknown;
  /** Records that were named and could not be set aside. */
  readonly #skipped = new Set<string>();
  #commits: number;
  #reservedRevision: number;
  /** The last write failed. */
  #isFailing = false;

  constructor(database: DatabaseSync, options: SqliteStoreOptions) {
    const { location, cacheSizeMax = cacheSizeDefault, log = silentLogger, onSetAside = () => {} } = options;
    const { slowStatementMs = storeLimits.slowStatementMs } = options;
    this.location = location;
    this.#database = database;
    this.#log = log;
    this.#slow = new SlowStatements(slowStatementMs, log);
    this.#tables = openTables(database);
    this.#cache = openCaches(cacheSizeMax);
    this.#lists = openCaches(cacheSizeMax);
    this.#freeSpace = new FreeSpace(database);
    this.#writeCounter = counterWriter(database);
    this.#reservedRevision = readCounter(database, 'revision');
    this.#commits = readCounter(database, 'commits');
    this.firstRevision = this.#reservedRevision;
    this.#onSetAside = onSetAside;
    this.#logSetAside();
    this.#logHold = location === inMemory ? undefined : new LogHold(database, location);
    this.#mark = location === inMemory ? undefined : new CommitMark(location, this.#commits, log);
  }

  get(collection: CollectionName, key: readonly KeyPart[]): object | undefined {
    const text = keyText(key);
    const cached = this.#cache[collection].get(text);
    if (cached) return cached;
    const kind = () => ({ statement: 'get', collection });
    const body = this.#reading(kind, () => this.#tables[collection].read(key));
    if (body === undefined) return undefined;
    const record = decodeRecord(collection, body, key);
    if (typeof record === 'string') {
      this.#setAside(collection, [{ key, reason: record }]);
      return undefined;
    }
    this.#cache[collection].set(text, record, body.length);
    return record;
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Records[Name][] {
    const name = listName(query);
    const cached = name === undefined ? undefined : this.#lists[collection].get(name);
    if (cached) return cached as Records[Name][];
    const kind = () => listKind(collection, query);
    const bodies = this.#reading(kind, () => this.#tables[collection].list(query));
    const records: object[] = [];
    for (const body of bodies) {
      const record = decodeRecord(collection, body);
      if (typeof record === 'string') return this.#listReadable(collection, query);
      records.push(record);
    }
    if (name !== undefined && records.length > 1) {
      const weight = bodies.reduce((sum, body) => sum + body.length, 0);
      this.#lists[collection].set(name, records, weight);
    }
    return records as unknown[] as Records[Name][];
  }

  read(): Reading {
    return new SqliteReading({
      location: this.location,
      tables: this.#tables,
      reading: (collection, read) => this.#reading(() => ({ statement: 'page', collection }), read),
      unreadable: (collection, found) => this.#setAside(collection, found),
    });
  }

  count(collection: CollectionName, atMost: number): number {
    return this.#reading(
      () => ({ statement: 'count', collection }),
      () => this.#tables[collection].count(atMost),
    );
  }

  commit(changes: Overlay, revision: number): boolean {
    if (changes.isEmpty && revision <= this.#reservedRevision) return false;
    this.#write(
      () => commitKind(changes),
      revision,
      () => this.#writeChanges(changes),
    );
    this.#remember(changes);
    return true;
  }

  replace(changes: Overlay, revision: number): void {
    this.#write(
      () => ({ ...commitKind(changes), statement: 'replace' }),
      revision,
      () => {
        for (const name of collectionNames) this.#tables[name].clear();
        this.#writeChanges(changes);
      },
    );
    this.#forget();
  }

  tidy(): boolean {
    if (this.#logHold?.look()) return false;
    const startedMs = this.#slow.begin();
    try {
      return this.#freeSpace.step();
    } finally {
      this.#slow.end(startedMs, () => ({ statement: 'give space back' }));
    }
  }

  close(): void {
    this.#forget();
    this.#database.close();
    this.#mark?.close();
  }

  #reading<T>(kind: () => StatementKind & { readonly collection: CollectionName }, read: () => T): T {
    const startedMs = this.#slow.begin();
    try {
      return read();
    } catch (cause) {
      if (cause instanceof ArgumentError) throw cause;
      throw failedError(this.location, 'read', cause, kind().collection);
    } finally {
      this.#slow.end(startedMs, kind);
    }
  }

  /** One SQL transaction from begin to commit, in which nothing else of this process can run. */
  #write(kind: () => StatementKind, revision: number, write: () => void): void {
    const startedMs = this.#slow.begin();
    const reserve = revision > this.#reservedRevision ? revision + revisionBlock : undefined;
    const commits = this.#commits + 1;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      write();
      if (reserve !== undefined) this.#writeCounter('revision', reserve);
      this.#writeCounter('commits', commits);
      this.#database.exec('COMMIT');
    } catch (cause) {
      rollBack(this.#database);
      throw this.#failed(cause);
    }
    this.#commits = commits;
    if (reserve !== undefined) this.#reservedRevision = reserve;
    this.#mark?.move(commits);
    this.#slow.end(startedMs, kind);
    if (this.#isFailing) this.#log.warn({}, 'The database can be written again.');
    this.#isFailing = false;
  }

  #failed(cause: unknown): Error {
    if (cause instanceof ArgumentError) return cause;
    const error = failedError(this.location, 'written', cause);
    if (this.#isFailing) return error;
    this.#isFailing = true;
    this.#log.error({ error }, 'The database cannot be written: writes are answered 503 until it can.');
    this.#foldLog();
    return error;
  }

  /** A checkpoint may fit without growing the database; the log is then empty and can take the next commits. */
  #foldLog(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint');
    } catch {
      // The database cannot grow, either.
    }
  }

  #writeChanges(overlay: Overlay): void {
    for (const [name, changes] of overlay.changes()) {
      const table = this.#tables[name];
      for (const change of changes.inOrder()) table.write(change);
    }
  }

  /** The list without the records that cannot be decoded, which are set aside. */
  #listReadable<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Records[Name][] {
    const rows = this.#reading(
      () => listKind(collection, query),
      () => this.#tables[collection].rows(query),
    );
    const records: object[] = [];
    const unreadable: Unreadable[] = [];
    for (const { key, body } of rows) {
      const record = decodeRecord(collection, body, key);
      if (typeof record === 'string') unreadable.push({ key, reason: record });
      else records.push(record);
    }
    const isMoved = unreadable.length > 0 && this.#setAside(collection, unreadable);
    // What stands behind a limit moves up.
    return isMoved ? this.list(collection, query) : (records as unknown[] as Records[Name][]);
  }

  /** In one transaction, however many they are. @returns whether they are out of the way now */
  #setAside(collection: CollectionName, unreadable: readonly Unreadable[]): boolean {
    const foundAtMs = systemClock.now();
    const records = unreadable.map(({ key, reason }): SetAsideRecord => ({ collection, key, reason, foundAtMs }));
    try {
      this.#write(
        () => ({ statement: 'set aside', collection, records: records.length }),
        this.#reservedRevision,
        () => {
          for (const record of records) moveAside(this.#database, record);
        },
      );
    } catch (error) {
      this.#logUnreadable(records, 'A record cannot be decoded, and could not be set aside; it is skipped.', error);
      return false;
    }
    this.#logUnreadable(
      records,
      'A record cannot be decoded and was set aside; the service continues as if it did not exist.',
    );
    this.#skipped.clear();
    for (const record of records) {
      this.#cache[collection].delete(keyText(record.key));
      this.#lists[collection].delete(String(record.key[0]));
      this.#onSetAside(record);
    }
    return true;
  }

  /** Names each record; one that is skipped again and again is named once. */
  #logUnreadable(records: readonly SetAsideRecord[], message: string, error?: unknown): void {
    for (const { collection, key, reason } of records.slice(0, namedMax)) {
      const fields = { code: 'record_unreadable', collection, id: key.join('/'), reason };
      if (error === undefined) this.#log.error(fields, message);
      else if (this.#skipped.size < namedMax && !this.#skipped.has(`${collection}/${fields.id}`)) {
        this.#skipped.add(`${collection}/${fields.id}`);
        this.#log.error({ ...fields, error }, message);
      }
    }
    const more = records.length - namedMax;
    if (more > 0)
      this.#log.error(
        { code: 'record_unreadable', more },
        'Further records of the same kind were found and are not listed.',
      );
  }

  #logSetAside(): void {
    const records = listSetAside(this.#database);
    for (const record of records) this.#onSetAside(record);
    if (records.length === 0) return;
    const message =
      'There are records that were set aside because they cannot be decoded; "rallypoint doctor --data" lists them.';
    this.#log.warn({ records: records.length }, message);
  }

  /** What is written and was not read is not kept: most of it is not asked for soon, and keeping it is not free. */
  #remember(overlay: Overlay): void {
    for (const [name, changes] of overlay.changes()) {
      const cache = this.#cache[name];
      const lists = this.#lists[name];
      if (!lists.isEmpty) for (const { key } of changes.inOrder()) lists.delete(String(key[0]));
      if (cache.isEmpty) continue;
      for (const { key: parts, kept } of changes.inOrder()) {
        const key = keyText(parts);
        if (!cache.has(key)) continue;
        if (kept) cache.set(key, kept.record, kept.body.length);
        else cache.delete(key);
      }
    }
  }

  #forget(): void {
    for (const name of collectionNames) {
      this.#cache[name].clear();
      this.#lists[name].clear();
    }
  }
}

/** Undefined for a list that is not kept: only what has the first part of its key in common is, whole and in order. */
function listName({ index, equals, from, upTo, descending, limit }: AnyQuery): string | undefined {
  const isWhole = from === undefined && upTo === undefined && limit === undefined && !descending;
  return index === undefined && isWhole && equals?.length === 1 ? String(equals[0]) : undefined;
}

function openCaches<Value>(weightMax: number): Record<CollectionName, LruCache<Value>> {
  const caches = collectionNames.map(name => [name, new LruCache<Value>(weightMax)] as const);
  return Object.fromEntries(caches) as Record<CollectionName, LruCache<Value>>;
}

function listKind(collection: CollectionName, { index = 'key' }: AnyQuery) {
  return { statement: 'list', collection, by: index };
}

function commitKind(changes: Overlay): StatementKind {
  const counts = [...changes.changes()].map(([name, made]) => [name, made.inOrder().length] as const);
  return { statement: 'commit', changes: Object.fromEntries(counts) };
}
