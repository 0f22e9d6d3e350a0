import type { Announced, Announcement } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { CollectionName, IndexName, Records } from './records.ts';

/** A part of a key or index: text or a whole number. */
export type KeyPart = string | number;

export interface ListQuery<Name extends CollectionName> {
  /** The key itself when absent. */
  readonly index?: IndexName<Name>;
  /** Values of the first fields of the key or index. */
  readonly equals?: readonly KeyPart[];
  /** Bounds, themselves included, of the field after those in `equals`. */
  readonly from?: KeyPart;
  readonly upTo?: KeyPart;
  /** From the last to the first. */
  readonly descending?: boolean;
  /** Most records to give; all when absent. */
  readonly limit?: number;
}

/** What can be read. Records are shared, and frozen all the way down. */
export interface StoreView {
  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined>;

  /** Records in the order of the key or index (there, ties by key), or in its reverse; text by code point. */
  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): MaybePromise<readonly Records[Name][]>;
}

/** A transaction: it reads its own writes, and is committed as a whole or not at all. */
export interface Transaction extends StoreView {
  /** The revision of the transaction's scope once it is committed. */
  readonly revision: number;
  /**
   * Inserts the record, or replaces the one with the same key. Made of plain JSON values; it is frozen here.
   *
   * @throws ArgumentError `bad_record` when a field of the key or of an index cannot be kept as one
   */
  put<Name extends CollectionName>(collection: Name, record: Records[Name]): void;
  /** Makes sure that there is no such record. */
  delete<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): void;
  /** Sends an event after the commit, in commit order of the scope, and not at all if the transaction fails. */
  announce(announcement: Announcement): void;
}

/** The whole content of a store: collection → records. */
export type StoreContent = { readonly [Name in CollectionName]: readonly Records[Name][] };

/**
 * Where the service keeps its state. Every engine passes the same suite (test/service/store/suite.ts).
 *
 * - When {@link Store.transact} resolves, the transaction is on disk.
 * - Works of one scope run one after another: each sees all that were acknowledged before it began. A work may read
 *   anything but must rely only on what its scope and its guards guard.
 * - A work awaits nothing but its transaction and, to tell what is so at the commit, `Bus.present`. It may be run
 *   more than once: it has no effects beside the transaction.
 */
export interface Store extends StoreView {
  /** For messages and logs: `sqlite`, `postgres`. */
  readonly engine: string;

  /**
   * @param scope transactions of one scope run one after another: `lobby/<id>`, `commands/<scope>`, `application/<id>` …
   * @param guards further scopes that the transaction must not run concurrently with, because it relies on them: two transactions
   *   with a common guard exclude each other. Their revisions may rise
   * @throws whatever the work throws; then nothing is written; StoreError `store_failed` and `store_full` when the engine could not
   *   commit, `store_unavailable` when it could not be reached in time: nothing is changed after that answer; `store_closed`
   */
  transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T>;

  /** How many records a collection has, counted up to `atMost`: more count as that many. */
  count(collection: CollectionName, atMost: number): MaybePromise<number>;

  /**
   * A number that has risen whenever something committed in `scope` since it was last asked. It may rise without
   * cause. What was read after asking is at least as new as the number.
   */
  revision(scope: string): MaybePromise<number>;

  /**
   * Passes on all that is stored at one instant, in pieces of bounded size, collection by collection. What is committed meanwhile is
   * not seen and does not wait.
   *
   * @param take waited for after every piece
   * @throws StoreError `store_failed`, `store_unavailable`; what `take` throws
   */
  read(take: TakePiece): Promise<void>;

  /** All that is stored, at one instant, as a whole. */
  dump(): Promise<StoreContent>;

  /**
   * Replaces all that is stored, atomically; the revision of every scope rises. Freezes the records.
   *
   * @throws ArgumentError `bad_content`, `bad_record`; then nothing was replaced
   */
  load(content: StoreContent): Promise<void>;

  /** Finishes transactions under way, then closes the engine. Later use throws `store_closed`. Idempotent. */
  close(): Promise<void>;
}

/** Receives records of one collection; those of a collection come together, in the order of their keys unless some are deleted meanwhile. */
export type TakePiece = (collection: CollectionName, records: readonly object[]) => MaybePromise<void>;

/** Takes events after their commit; the bus does. */
export type AnnouncementSink = (announced: readonly Announced[]) => MaybePromise<void>;
