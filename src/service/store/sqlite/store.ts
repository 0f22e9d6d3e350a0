import type { DatabaseSync } from 'node:sqlite';
import { ArgumentError } from '../../../model/errors.ts';
import { type Logger, silentLogger } from '../../../wire/ports.ts';
import type { Announced } from '../../announcement.ts';
import { Recent } from '../../recent.ts';
import type {
  AnnouncementSink,
  KeyPart,
  ListQuery,
  MaybePromise,
  Store,
  StoreContent,
  StoreView,
  Transaction,
} from '../contract.ts';
import { StoreError } from '../errors.ts';
import { checkKey, collectionNames, keyText } from '../keys.ts';
import { Overlay } from '../overlay.ts';
import type { CollectionName, GatewayEventRecord, Records } from '../records.ts';
import { Revisions } from '../revisions.ts';
import { shareRecord } from '../share-record.ts';
import { openDatabase } from './database.ts';
import { type Batch, GroupCommit } from './group-commit.ts';
import { openTables } from './tables.ts';

export interface SqliteStoreOptions {
  /** Path of the database file, or `:memory:`. */
  readonly location: string;
  /** Called after every commit, in commit order; it must not throw. */
  readonly sink: AnnouncementSink;
  /**
   * Called before every commit that announces something: what of it is to be kept, in the same commit. Nothing when
   * absent.
   */
  readonly keep?: (announced: readonly Announced[]) => readonly GatewayEventRecord[];
  readonly log?: Logger;
  /** Most JSON, in UTF-16 units, of the records kept decoded, for each collection. */
  readonly cacheSizeMax?: number;
}

/**
 * Opens the embedded engine. A file belongs to one process at a time.
 *
 * @throws StoreError `store_in_use`, `store_too_new`, `store_unusable`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  return new SqliteStore(openDatabase(options.location), options);
}

const cacheSizeDefault = 8 * 1024 * 1024;
/** Commit numbers are reserved on disk in blocks, so that not every commit writes its number. */
const revisionBlock = 65_536;

/** The embedded engine over an open database of the newest layout. It is the only writer. */
export class SqliteStore implements Store {
  readonly engine = 'sqlite';
  readonly #options: SqliteStoreOptions;
  readonly #log: Logger;
  readonly #database: DatabaseSync;
  readonly #tables: ReturnType<typeof openTables>;
  /** Decoded records that were read lately: this process is the only writer. */
  readonly #cache: Readonly<Record<CollectionName, Recent<object>>>;
  readonly #queue: GroupCommit;
  readonly #revisions: Revisions;
  #lastRevision: number;
  #reservedRevision: number;
  #commits = 0;
  #delivered: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(database: DatabaseSync, options: SqliteStoreOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    this.#database = database;
    this.#tables = openTables(database);
    this.#cache = openCaches(options.cacheSizeMax ?? cacheSizeDefault);
    this.#reservedRevision = readReserved(database);
    this.#lastRevision = this.#reservedRevision;
    this.#revisions = new Revisions(() => this.#lastRevision);
    this.#queue = new GroupCommit({
      committed: this as StoreView,
      lastRevision: () => this.#lastRevision,
      commit: batch => this.#commit(batch),
    });
  }

  /** How many transactions have been committed since the open; works that were queued together share one. */
  get commits(): number {
    return this.#commits;
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Records[Name] | undefined {
    checkKey(collection, key);
    const text = keyText(key);
    const cached = this.#cache[collection].get(text) as Records[Name] | undefined;
    if (cached) return cached;
    const body = this.#reading(() => this.#tables[collection].read(key));
    if (body === undefined) return undefined;
    const record = decode<Name>(body);
    this.#cache[collection].set(text, record, body.length);
    return record;
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name> = {}): Records[Name][] {
    return this.#reading(() => this.#tables[collection].list(query)).map(body => decode<Name>(body));
  }

  transact<T>(scope: string, work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return this.#closing ? Promise.reject(this.#closedError()) : this.#queue.transact(scope, work);
  }

  revision(scope: string): number {
    return this.#revisions.get(scope);
  }

  async dump(): Promise<StoreContent> {
    return Object.fromEntries(collectionNames.map(name => [name, this.list(name)])) as unknown as StoreContent;
  }

  async load(content: StoreContent): Promise<void> {
    if (this.#closing) throw this.#closedError();
    const records = contentOf(content, this);
    await this.#queue.alone(() => {
      const revision = this.#lastRevision + 1;
      this.#write(revision, () => {
        for (const name of collectionNames) this.#tables[name].clear();
        this.#writeChanges(records);
      });
      this.#forget();
      this.#lastRevision = revision;
      this.#revisions.clear();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drained();
    await this.#delivered;
    this.#closed = true;
    this.#forget();
    this.#database.close();
  }

  #closedError(): StoreError {
    return new StoreError('store_closed', `The store at ${this.#options.location} is closed.`);
  }

  #failedError(what: 'read' | 'written', cause: unknown): StoreError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreError('store_failed', `${this.#options.location} could not be ${what}: ${reason}.`, { cause });
  }

  #reading<T>(read: () => T): T {
    if (this.#closed) throw this.#closedError();
    try {
      return read();
    } catch (cause) {
      if (cause instanceof ArgumentError) throw cause;
      throw this.#failedError('read', cause);
    }
  }

  #commit({ changes, commits, announced }: Batch): void {
    const revision = this.#lastRevision + commits.length;
    if (announced.length > 0) {
      for (const event of this.#options.keep?.(announced) ?? []) changes.put('gateway_events', event);
    }
    if (!changes.isEmpty || revision > this.#reservedRevision) {
      this.#write(revision, () => this.#writeChanges(changes));
    }
    this.#lastRevision = revision;
    this.#remember(changes);
    for (const commit of commits) this.#revisions.set(commit.scope, commit.revision);
    if (announced.length > 0) this.#deliver(announced);
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
    this.#commits++;
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
    for (const name of collectionNames) this.#cache[name].clear();
  }

  #deliver(announced: readonly Announced[]): void {
    const failed = (error: unknown) => this.#log.error({ err: error }, 'Announcing committed events failed');
    try {
      const delivered = this.#options.sink(announced);
      if (delivered instanceof Promise) this.#delivered = Promise.all([this.#delivered, delivered.catch(failed)]);
    } catch (error) {
      failed(error);
    }
  }
}

function openCaches(weightMax: number): Record<CollectionName, Recent<object>> {
  const caches = collectionNames.map(name => [name, new Recent<object>(weightMax)] as const);
  return Object.fromEntries(caches) as Record<CollectionName, Recent<object>>;
}

function decode<Name extends CollectionName>(body: string): Records[Name] {
  return shareRecord(JSON.parse(body)) as Records[Name];
}

/** @throws ArgumentError `bad_content`, `bad_record` */
function contentOf(content: StoreContent, base: StoreView): Overlay {
  const unknown = Object.keys(content).find(name => !(collectionNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new ArgumentError('bad_content', `A store has no collection ${unknown}.`);
  const records = new Overlay(base);
  for (const name of collectionNames) {
    const isList = Array.isArray(content[name]) && content[name].every(record => typeof record === 'object' && record);
    if (!isList) throw new ArgumentError('bad_content', `The content to load has no list of ${name}.`);
    for (const record of content[name]) records.put(name, record);
  }
  return records;
}

function readReserved(database: DatabaseSync): number {
  return Number(database.prepare("SELECT value FROM counters WHERE name = 'revision'").get()?.value ?? 0);
}

function writeReserved(database: DatabaseSync, value: number): void {
  database
    .prepare("INSERT INTO counters VALUES ('revision', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(value);
}
