import type { Announced, Announcement } from '../announcement.ts';
import type { KeyPart, ListQuery, MaybePromise, StoreView, Transaction } from './contract.ts';
import { StoreError } from './errors.ts';
import { Overlay } from './overlay.ts';
import type { CollectionName, Records } from './records.ts';

/** One work's transaction: its changes and announcements, kept apart until they are absorbed or dropped. */
export class UnitOfWork implements Transaction {
  readonly revision: number;
  readonly #scope: string;
  readonly #overlay: Overlay;
  readonly #announced: Announced[] = [];
  #ended = false;

  constructor(base: StoreView, scope: string, revision: number) {
    this.#overlay = new Overlay(base);
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
    this.#announced.push({ ...announcement, scope: this.#scope, revision: this.revision });
  }

  /** Ends the work, well or badly; the transaction refuses every later use. */
  end(): { readonly changes: Overlay; readonly announced: readonly Announced[] } {
    this.#ended = true;
    return { changes: this.#overlay, announced: this.#announced };
  }

  #open(): Overlay {
    if (!this.#ended) return this.#overlay;
    throw new StoreError(
      'transaction_ended',
      'A transaction was used after its work had ended. Await everything the work begins before it returns.',
    );
  }
}
