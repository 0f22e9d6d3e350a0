import type { KeyPart, ListQuery, Store, StoreContent, Transaction } from '../store/contract.ts';
import type { CollectionName, Records } from '../store/records.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';

/** Attributes of a span, with the names of OpenTelemetry's conventions where they exist. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Runs a function within a span. */
export type InSpan = <T>(name: string, attributes: Attributes, work: () => Promise<T>) => Promise<T>;

/** A store whose transactions have a span, from the queue to the disk. */
export class TracedStore implements Store {
  readonly engine: string;
  readonly #store: Store;
  readonly #inSpan: InSpan;

  constructor(store: Store, inSpan: InSpan) {
    this.engine = store.engine;
    this.#store = store;
    this.#inSpan = inSpan;
  }

  transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T> {
    // An id follows the slash.
    const [kind = ''] = scope.split('/', 1);
    const attributes = { 'db.system.name': this.engine, 'rallypoint.store.scope': kind };
    return this.#inSpan('store.transact', attributes, () => this.#store.transact(scope, work, guards));
  }

  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined> {
    return this.#store.get(collection, ...key);
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): MaybePromise<readonly Records[Name][]> {
    return this.#store.list(collection, query);
  }

  revision(scope: string): MaybePromise<number> {
    return this.#store.revision(scope);
  }

  dump(): Promise<StoreContent> {
    return this.#store.dump();
  }

  load(content: StoreContent): Promise<void> {
    return this.#store.load(content);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
