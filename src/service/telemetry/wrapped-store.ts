import type { KeyPart, ListQuery, Store, StoreContent, TakePiece, Transaction } from '../store/contract.ts';
import type { CollectionName, Records } from '../store/records.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';

/** A store that passes everything to another one. */
export class WrappedStore implements Store {
  readonly engine: string;
  protected readonly store: Store;

  constructor(store: Store) {
    this.engine = store.engine;
    this.store = store;
  }

  transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards?: readonly string[],
  ): Promise<T> {
    return this.store.transact(scope, work, guards);
  }

  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined> {
    return this.store.get(collection, ...key);
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): MaybePromise<readonly Records[Name][]> {
    return this.store.list(collection, query);
  }

  count(collection: CollectionName, atMost: number): MaybePromise<number> {
    return this.store.count(collection, atMost);
  }

  revision(scope: string): MaybePromise<number> {
    return this.store.revision(scope);
  }

  read(take: TakePiece): Promise<void> {
    return this.store.read(take);
  }

  dump(): Promise<StoreContent> {
    return this.store.dump();
  }

  load(content: StoreContent): Promise<void> {
    return this.store.load(content);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
