import type { KeyPart } from '../contract.ts';
import { decodeRecord } from '../decode-record.ts';
import type { Reading } from '../embedded.ts';
import { StoreError } from '../errors.ts';
import { collectionNames, comparePart, recordName } from '../keys.ts';
import type { Overlay } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import type { Table } from './tables.ts';

/** What a reading needs of its engine. */
export interface ReadingSource {
  readonly location: string;
  readonly tables: Readonly<Record<CollectionName, Table>>;
  /** Runs what reads a collection. @throws StoreError that names it */
  reading<T>(collection: CollectionName, read: () => T): T;
  /** Called with records that cannot be decoded. */
  unreadable(collection: CollectionName, found: readonly { key: readonly KeyPart[]; reason: string }[]): void;
}

interface Before {
  readonly collection: CollectionName;
  /** Undefined for a record that was not there. */
  readonly body: string | undefined;
}

/** Most JSON, in UTF-16 units, of records that are kept because they were changed before they were read. */
const keptSizeMax = 64 * 1024 * 1024;

/**
 * Reads all tables in the order of their keys, a piece at a time. What a commit changes before it was read is kept as it was until then: so
 * everything is as of the beginning, and commits do not wait.
 */
export class SqliteReading implements Reading {
  readonly #source: ReadingSource;
  readonly #before = new Map<string, Before>();
  #at = 0;
  /** The key that was read last in the collection at `#at`. */
  #last: readonly KeyPart[] | undefined;
  #keptSize = 0;
  #failure: StoreError | undefined;

  constructor(source: ReadingSource) {
    this.#source = source;
  }

  next(): ReturnType<Reading['next']> {
    if (this.#failure) throw this.#failure;
    const collection = collectionNames[this.#at];
    if (collection === undefined) return undefined;
    const { rows, isEnd } = this.#source.reading(collection, () => this.#source.tables[collection].page(this.#last));
    const records: object[] = [];
    const unreadable: { key: readonly KeyPart[]; reason: string }[] = [];
    for (const { key, body: newest } of rows) {
      const before = this.#take(recordName(collection, key));
      const body = before ? before.body : newest;
      if (body === undefined) continue;
      const record = decodeRecord(collection, body, key);
      if (typeof record === 'object') records.push(record);
      else if (!before) unreadable.push({ key, reason: record });
    }
    this.#last = rows.at(-1)?.key;
    if (isEnd) {
      records.push(...this.#deleted(collection));
      this.#at++;
      this.#last = undefined;
    }
    if (unreadable.length > 0) this.#source.unreadable(collection, unreadable);
    return { collection, records };
  }

  before(changes: Overlay): void {
    for (const [collection, changed] of changes.changes()) {
      const at = collectionNames.indexOf(collection);
      if (at < this.#at || this.#failure) continue;
      for (const { key } of changed.all()) {
        const name = recordName(collection, key);
        const wasRead = at === this.#at && this.#last !== undefined && compareKeys(key, this.#last) <= 0;
        if (wasRead || this.#before.has(name)) continue;
        const body = this.#source.reading(collection, () => this.#source.tables[collection].read(key));
        this.#before.set(name, { collection, body });
        this.#keptSize += name.length + (body?.length ?? 0);
      }
    }
    if (this.#keptSize > keptSizeMax) this.#fail('more was written meanwhile than can be kept. Try again later');
  }

  beforeReplace(): void {
    this.#fail('the whole state was replaced meanwhile. Try again');
  }

  /** Records that were there at the beginning and are not any more. */
  *#deleted(collection: CollectionName): Iterable<object> {
    for (const [name, before] of this.#before) {
      if (before.collection !== collection) continue;
      this.#take(name);
      const record = before.body === undefined ? '' : decodeRecord(collection, before.body);
      if (typeof record === 'object') yield record;
    }
  }

  #take(name: string): Before | undefined {
    const before = this.#before.get(name);
    if (!before) return undefined;
    this.#before.delete(name);
    this.#keptSize -= name.length + (before.body?.length ?? 0);
    return before;
  }

  #fail(why: string): void {
    this.#failure = new StoreError('store_failed', `${this.#source.location} could not be read as a whole: ${why}.`);
    this.#before.clear();
  }
}

function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let at = 0; at < a.length; at++) {
    const difference = comparePart(a[at] as KeyPart, b[at] as KeyPart);
    if (difference !== 0) return difference;
  }
  return 0;
}
