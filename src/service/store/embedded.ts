import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancel, type Logger, silentLogger, systemClock } from '../../wire/clock/ports.ts';
import type { Announced } from '../events/announcement.ts';
import { LruCache } from '../support/lru-cache.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type {
  AnnouncementSink,
  KeyPart,
  ListQuery,
  Store,
  StoreContent,
  StoreView,
  TakePiece,
  Transaction,
} from './contract.ts';
import { StoreError } from './errors.ts';
import { type Batch, GroupCommit } from './group-commit.ts';
import { checkKey } from './keys.ts';
import { Overlay } from './overlay.ts';
import { putContent } from './put-content.ts';
import type { CollectionName, GatewayEventRecord, Records } from './records.ts';
import { contentFrom } from './whole-content.ts';

/** Where an embedded store keeps its records. This process is the only one that writes them; nothing here waits. */
export interface Engine {
  readonly name: string;
  /** Where the records are, for messages. */
  readonly location: string;
  /** The last commit number when the engine was opened, or one above it. */
  readonly firstRevision: number;
  /** Encodes a record. Called when a transaction puts it, so that a record that cannot be encoded fails only that transaction. */
  readonly encode?: (record: object) => string;
  /** @param key checked before */
  get(collection: CollectionName, key: readonly KeyPart[]): object | undefined;
  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Records[Name][];
  /** Begins to read everything, as it is now. */
  read(): Reading;
  /** @see Store.count */
  count(collection: CollectionName, atMost: number): number;
  /**
   * Keeps all of the changes or, if it throws, none.
   *
   * @param revision the last commit number with them
   * @returns whether there was anything to be written
   * @throws StoreError `store_failed`, `store_full`
   */
  commit(changes: Overlay, revision: number): boolean;
  /** Replaces all records by those that `changes` put; or, if it throws, none. @throws as {@link commit} */
  replace(changes: Overlay, revision: number): void;
  /** Does a little of what keeps it in order, for some milliseconds at most. @returns whether there is more to do */
  tidy?(): boolean;
  close(): void;
}

/** All records of an engine at one instant. */
export interface Reading {
  /** A bounded number of records of one collection, one collection after the other; undefined at the end. @throws StoreError */
  next(): { readonly collection: CollectionName; readonly records: readonly object[] } | undefined;
  /** Called before a commit. */
  before?(changes: Overlay): void;
  /** Called before everything is replaced. */
  beforeReplace?(): void;
}

/** How long after a commit the engine frees pages, and the pause between two steps, in which requests are served. */
const tidyAfterMs = 1000;
const tidyPauseMs = 20;

export interface EmbeddedStoreOptions {
  /** Called after every commit, in commit order; it must not throw. */
  readonly sink: AnnouncementSink;
  /**
   * Called before every commit that announces something: what of it is to be kept, in the same commit. Nothing when
   * absent.
   */
  readonly keep?: (announced: readonly Announced[]) => readonly GatewayEventRecord[];
  readonly log?: Logger;
  /** Called after every commit; it must not throw. */
  readonly onCommit?: (commit: CommitReport) => void;
}

/** What became of a commit. */
export interface CommitReport {
  /** How many transactions shared it. */
  readonly transactions: number;
  readonly ms: number;
  /** Unchanged: there was nothing to be written. */
  readonly outcome: 'written' | 'unchanged' | 'failed';
}

/** A store within this process: serial transactions, group commits, revisions and announcements over an engine. */
export class EmbeddedStore implements Store {
  readonly engine: string;
  readonly #engine: Engine;
  readonly #options: EmbeddedStoreOptions;
  readonly #log: Logger;
  readonly #queue: GroupCommit;
  readonly #revisions: Revisions;
  readonly #readings = new Set<Reading>();
  #lastRevision: number;
  #commits = 0;
  #delivered: Promise<unknown> = Promise.resolve();
  #tidying: Cancel | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(engine: Engine, options: EmbeddedStoreOptions) {
    this.engine = engine.name;
    this.#engine = engine;
    this.#options = options;
    this.#log = options.log ?? silentLogger;
    this.#lastRevision = engine.firstRevision;
    this.#revisions = new Revisions(() => this.#lastRevision);
    this.#queue = new GroupCommit({
      changes: () => new Overlay(this as StoreView, engine.encode),
      lastRevision: () => this.#lastRevision,
      commit: batch => this.#commit(batch),
    });
  }

  /** How many batches were written since the store was opened; transactions that were queued together share one. */
  get commits(): number {
    return this.#commits;
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Records[Name] | undefined {
    checkKey(collection, key);
    if (this.#closed) throw this.#closedError();
    return this.#engine.get(collection, key) as Records[Name] | undefined;
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name> = {}): Records[Name][] {
    if (this.#closed) throw this.#closedError();
    return this.#engine.list(collection, query);
  }

  count(collection: CollectionName, atMost: number): number {
    if (this.#closed) throw this.#closedError();
    return this.#engine.count(collection, atMost);
  }

  transact<T>(scope: string, work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return this.#closing ? Promise.reject(this.#closedError()) : this.#queue.transact(scope, work);
  }

  revision(scope: string): number {
    return this.#revisions.get(scope);
  }

  async read(take: TakePiece): Promise<void> {
    if (this.#closed) throw this.#closedError();
    const reading = this.#engine.read();
    this.#readings.add(reading);
    try {
      for (let piece = reading.next(); piece; piece = reading.next()) {
        await take(piece.collection, piece.records);
        // Others have their turn after every piece.
        await nextTurn();
        if (this.#closed) throw this.#closedError();
      }
    } finally {
      this.#readings.delete(reading);
    }
  }

  dump(): Promise<StoreContent> {
    return contentFrom(take => this.read(take));
  }

  async load(content: StoreContent): Promise<void> {
    if (this.#closing) throw this.#closedError();
    const records = new Overlay(this, this.#engine.encode);
    putContent(content, records);
    await this.#queue.alone(() => {
      const revision = this.#lastRevision + 1;
      for (const reading of this.#readings) reading.beforeReplace?.();
      this.#engine.replace(records, revision);
      this.#commits++;
      this.#tidyIn(tidyAfterMs);
      this.#lastRevision = revision;
      this.#revisions.clear();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#tidying?.();
    await this.#queue.drained();
    await this.#delivered;
    this.#closed = true;
    this.#engine.close();
  }

  #closedError(): StoreError {
    return new StoreError('store_closed', `The store at ${this.#engine.location} is closed.`);
  }

  #commit({ changes, commits, announced }: Batch): void {
    const revision = this.#lastRevision + commits.length;
    if (announced.length > 0) {
      for (const event of this.#options.keep?.(announced) ?? []) changes.put('gateway_events', event);
    }
    for (const reading of this.#readings) reading.before?.(changes);
    if (this.#commitChanges(changes, revision, commits.length)) {
      this.#commits++;
      this.#tidyIn(tidyAfterMs);
    }
    this.#lastRevision = revision;
    for (const commit of commits) this.#revisions.set(commit.scope, commit.revision);
    if (announced.length > 0) this.#deliver(announced);
  }

  #commitChanges(changes: Overlay, revision: number, transactions: number): boolean {
    const startMs = performance.now();
    let outcome: CommitReport['outcome'] = 'failed';
    try {
      const hasWritten = this.#engine.commit(changes, revision);
      outcome = hasWritten ? 'written' : 'unchanged';
      return hasWritten;
    } finally {
      this.#options.onCommit?.({ transactions, ms: performance.now() - startMs, outcome });
    }
  }

  /** On the machine's own time: a virtual clock may stand still. */
  #tidyIn(delayMs: number): void {
    if (this.#tidying || !this.#engine.tidy || this.#closing) return;
    this.#tidying = systemClock.schedule(delayMs, () => this.#tidy());
  }

  async #tidy(): Promise<void> {
    let hasMore = false;
    try {
      await this.#queue.alone(() => {
        hasMore = this.#closing === undefined && this.#engine.tidy?.() === true;
      });
    } catch (error) {
      this.#log.warn({ error }, 'The store could not be cleaned up; it is tried again after the next commit.');
    }
    this.#tidying = undefined;
    if (hasMore) this.#tidyIn(tidyPauseMs);
  }

  #deliver(announced: readonly Announced[]): void {
    const failed = (error: unknown) => this.#log.error({ error }, 'Committed events could not be published.');
    try {
      const delivered = this.#options.sink(announced);
      if (delivered instanceof Promise) this.#delivered = Promise.all([this.#delivered, delivered.catch(failed)]);
    } catch (error) {
      failed(error);
    }
  }
}

/**
 * The last commit numbers of requested scopes, in bounded memory. A scope is added when it is first requested, with the last number of
 * all scopes; so scopes that are never requested cost nothing at a commit, and an evicted one counts as changed.
 */
export class Revisions {
  readonly #numbers: LruCache<number>;
  readonly #last: () => number;

  /** @param last the last commit number of all */
  constructor(last: () => number, capacity = 65_536) {
    this.#last = last;
    this.#numbers = new LruCache(capacity);
  }

  get(scope: string): number {
    const known = this.#numbers.get(scope);
    if (known !== undefined) return known;
    const number = this.#last();
    this.#numbers.set(scope, number, 1);
    return number;
  }

  /** @param number above all numbers before */
  set(scope: string, number: number): void {
    if (this.#numbers.has(scope)) this.#numbers.set(scope, number, 1);
  }

  /** Every scope counts as changed. */
  clear(): void {
    this.#numbers.clear();
  }
}
