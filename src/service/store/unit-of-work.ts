import type { Announced, Announcement } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { KeyPart, ListQuery, Transaction } from './contract.ts';
import { StoreError } from './errors.ts';
import type { Overlay } from './overlay.ts';
import type { CollectionName, Records } from './records.ts';

/** One transaction over the changes of its batch, with the announcements that are sent if it succeeds. */
export class UnitOfWork implements Transaction {
  readonly #scope: string;
  readonly #overlay: Overlay;
  readonly #revision: () => number;
  readonly #announcements: Announcement[] = [];
  #ended = false;

  /**
   * @param overlay receives the changes of this transaction on top of those it has
   * @param revision asked when the transaction needs it, and at its end
   */
  constructor(overlay: Overlay, scope: string, revision: () => number) {
    overlay.savepoint();
    this.#overlay = overlay;
    this.#scope = scope;
    this.#revision = revision;
  }

  get revision(): number {
    return this.#revision();
  }

  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined> {
    return this.#open().get(collection, ...key);
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): MaybePromise<readonly Records[Name][]> {
    return this.#open().list(collection, query);
  }

  put<Name extends CollectionName>(collection: Name, record: Records[Name]): void {
    this.#open().put(collection, record);
  }

  delete(collection: CollectionName, ...key: readonly KeyPart[]): void {
    this.#open().delete(collection, ...key);
  }

  announce(announcement: Announcement): void {
    this.#open();
    this.#announcements.push(announcement);
  }

  /** Whether it has changed or announced nothing until now. */
  get isEmpty(): boolean {
    return this.#announcements.length === 0 && this.#overlay.isAtSavepoint;
  }

  /** Ends the transaction; later use throws. @returns what is to be announced after the commit */
  finish(): readonly Announced[] {
    this.#ended = true;
    if (this.#announcements.length === 0) return [];
    const revision = this.#revision();
    const place = { scope: this.#scope, revision, position: revision };
    return this.#announcements.map(announcement => ({ ...announcement, ...place }));
  }

  /** Ends the transaction and rolls its changes back. */
  abandon(): void {
    this.#ended = true;
    this.#overlay.rollBack();
  }

  #open(): Overlay {
    if (!this.#ended) return this.#overlay;
    throw new StoreError(
      'transaction_ended',
      'A transaction was used after its function had returned. Await everything that the function begins.',
    );
  }
}
