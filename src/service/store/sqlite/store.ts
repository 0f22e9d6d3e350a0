import type { DatabaseSync } from 'node:sqlite';
import { ArgumentError } from '../../../model/errors/errors.ts';
import { Recent } from '../../support/lru-cache.ts';
import type { KeyPart, ListQuery } from '../contract.ts';
import { EmbeddedStore, type EmbeddedStoreOptions, type Engine } from '../embedded.ts';
import { StoreError } from '../errors.ts';
import { type AnyQuery, collectionNames, keyText } from '../keys.ts';
import type { Overlay } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { shareRecord } from '../share-record.ts';
import { openDatabase } from './database.ts';
import { openTables } from './tables.ts';

export interface SqliteStoreOptions extends EmbeddedStoreOptions {
  /** Path of the database file, or `:memory:`. */
  readonly location: string;
  /** Most JSON, in UTF-16 units, of the records kept decoded, for each collection. */
  readonly cacheSizeMax?: number;
}

/**
 * Opens the embedded engine on disk. A file belongs to one process at a time.
 *
 * @throws StoreError `store_in_use`, `store_too_new`, `store_unusable`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<EmbeddedStore> {
  return sqliteStoreOver(await openDatabase(options.location), options);
}

/** @param database open, and of the newest layout */
export function sqliteStoreOver(database: DatabaseSync, options: SqliteStoreOptions): EmbeddedStore {
  return new EmbeddedStore(new SqliteEngine(database, options), options);
}

const cacheSizeDefault = 8 * 1024 * 1024;
/** Commit numbers are reserved on disk in blocks, so that not every commit writes its number. */
const revisionBlock = 65_536;

class SqliteEngine implements Engine {
  readonly name = 'sqlite';
  readonly location: string;
  readonly firstRevision: number;
  readonly encode: (record: object) => string = JSON.stringify;
  readonly #database: DatabaseSync;
  readonly #tables: ReturnType<typeof openTables>;
  /** Decoded records that were read lately: this process is the only writer. */
  readonly #cache: Readonly<Record<CollectionName, Recent<object>>>;
  /** As above, all records that have the first part of their key in common: those of one lobby, of one guild. */
  readonly #lists: Readonly<Record<CollectionName, Recent<readonly object[]>>>;
  #reservedRevision: number;

  constructor(database: DatabaseSync, { location, cacheSizeMax = cacheSizeDefault }: SqliteStoreOptions) {
    this.location = location;
    this.#database = database;
    this.#tables = openTables(database);
    this.#cache = openCaches(cacheSizeMax);
    this.#lists = openCaches(cacheSizeMax);
    this.#reservedRevision = readReserved(database);
    this.firstRevision = this.#reservedRevision;
  }

  get(collection: CollectionName, key: readonly KeyPart[]): object | undefined {
    const text = keyText(key);
    const cached = this.#cache[collection].get(text);
    if (cached) return cached;
    const body = this.#reading(() => this.#tables[collection].read(key));
    if (body === undefined) return undefined;
    const record = decode(body);
    this.#cache[collection].set(text, record, body.length);
    return record;
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Records[Name][] {
    const name = listName(query);
    const cached = name === undefined ? undefined : this.#lists[collection].get(name);
    if (cached) return cached as Records[Name][];
    const bodies = this.#reading(() => this.#tables[collection].list(query));
    const records = bodies.map(decode);
    if (name !== undefined && records.length > 1) {
      const weight = bodies.reduce((sum, body) => sum + body.length, 0);
      this.#lists[collection].set(name, records, weight);
    }
    return records as unknown[] as Records[Name][];
  }

  commit(changes: Overlay, revision: number): boolean {
    if (changes.isEmpty && revision <= this.#reservedRevision) return false;
    this.#write(revision, () => this.#writeChanges(changes));
    this.#remember(changes);
    return true;
  }

  replace(changes: Overlay, revision: number): void {
    this.#write(revision, () => {
      for (const name of collectionNames) this.#tables[name].clear();
      this.#writeChanges(changes);
    });
    this.#forget();
  }

  close(): void {
    this.#forget();
    this.#database.close();
  }

  #failedError(what: 'read' | 'written', cause: unknown): StoreError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreError('store_failed', `${this.location} could not be ${what}: ${reason}.`, { cause });
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof ArgumentError) throw cause;
      throw this.#failedError('read', cause);
    }
  }

  /** One SQL transaction from begin to commit, in which nothing else of this process can run. */
  #write(revision: number, write: () => void): void {
    const reserve = revision > this.#reservedRevision ? revision + revisionBlock : undefined;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      write();
      if (reserve !== undefined) writeReserved(this.#database, reserve);
      this.#database.exec('COMMIT');
    } catch (cause) {
      this.#rollBack();
      throw this.#failedError('written', cause);
    }
    if (reserve !== undefined) this.#reservedRevision = reserve;
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }

  #writeChanges(overlay: Overlay): void {
    for (const [name, changes] of overlay.changes()) {
      const table = this.#tables[name];
      for (const change of changes.inOrder()) table.write(change);
    }
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

function openCaches<Value>(weightMax: number): Record<CollectionName, Recent<Value>> {
  const caches = collectionNames.map(name => [name, new Recent<Value>(weightMax)] as const);
  return Object.fromEntries(caches) as Record<CollectionName, Recent<Value>>;
}

function decode(body: string): object {
  return shareRecord(JSON.parse(body));
}

function readReserved(database: DatabaseSync): number {
  return Number(database.prepare("SELECT value FROM counters WHERE name = 'revision'").get()?.value ?? 0);
}

function writeReserved(database: DatabaseSync, value: number): void {
  database
    .prepare("INSERT INTO counters VALUES ('revision', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(value);
}
