import type { Announced, Announcement } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { KeyPart, ListQuery, Transaction } from './contract.ts';
import { StoreError } from './errors.ts';
import type { Overlay } from './overlay.ts';
import type { CollectionName, Records } from './records.ts';

/** One transaction over the changes of its batch, with the announcements that are sent if it succeeds. */
export class UnitOfWork implements Transaction {
  readonly revision: number;
  readonly #scope: string;
  readonly #overlay: Overlay;
  readonly #announced: Announced[] = [];
  #ended = false;

  /** @param overlay receives the changes of this transaction on top of those it has */
  constructor(overlay: Overlay, scope: string, revision: number) {
    overlay.savepoint();
    this.#overlay = overlay;
    this.#scope = scope;
    this.revision = revision;
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
    const { revision } = this;
    this.#announced.push({ ...announcement, scope: this.#scope, revision, position: revision });
  }

  /** Whether it has changed or announced nothing until now. */
  get isEmpty(): boolean {
    return this.#announced.length === 0 && this.#overlay.isAtSavepoint;
  }

  /** Ends the transaction; later use throws. @returns what is to be announced after the commit */
  finish(): readonly Announced[] {
    this.#ended = true;
    return this.#announced;
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
