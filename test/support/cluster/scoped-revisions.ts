import type { Announced, Announcement } from '../../../src/service/events/announcement.ts';
import type {
  KeyPart,
  ListQuery,
  Store,
  StoreContent,
  TakePiece,
  Transaction,
} from '../../../src/service/store/contract.ts';
import type { CollectionName, Records } from '../../../src/service/store/records.ts';
import type { MaybePromise } from '../../../src/service/support/maybe-promise.ts';

/**
 * A store whose revisions say nothing about each other, as those of a cluster: each scope counts its own commits, from some number of its
 * own, and a transaction that writes nothing shares its revision with the next. Reads take a turn of the event loop.
 */
export class ScopedRevisions implements Store {
  readonly engine = 'scoped';
  readonly #store: Store;
  readonly #revisions = new Map<string, number>();
  /** Revision of a transaction in the store → its revision here. */
  readonly #ofCommit = new Map<number, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  async get<Name extends CollectionName>(name: Name, ...key: readonly KeyPart[]): Promise<Records[Name] | undefined> {
    await turn();
    return this.#store.get(name, ...key);
  }

  async list<Name extends CollectionName>(name: Name, query?: ListQuery<Name>): Promise<readonly Records[Name][]> {
    await turn();
    return this.#store.list(name, query);
  }

  async count(name: CollectionName, atMost: number): Promise<number> {
    await turn();
    return this.#store.count(name, atMost);
  }

  async transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards: readonly string[] = [],
  ): Promise<T> {
    return this.#store.transact(scope, async transaction => {
      const revision = this.#revisionOf(scope) + 1;
      let hasWritten = false;
      const wrote = <Args extends unknown[]>(call: (...args: Args) => void) => {
        return (...args: Args): void => {
          hasWritten = true;
          call(...args);
        };
      };
      const value = await work({
        revision,
        get: (name, ...key) => transaction.get(name, ...key),
        list: (name, query) => transaction.list(name, query),
        put: wrote((name: CollectionName, record: Records[CollectionName]) => transaction.put(name, record)),
        delete: wrote((name: CollectionName, ...key: KeyPart[]) => transaction.delete(name, ...key)),
        announce: wrote((announcement: Announcement) => transaction.announce(announcement)),
      } as Transaction);
      if (hasWritten) {
        this.#ofCommit.set(transaction.revision, revision);
        for (const name of [scope, ...guards]) this.#revisions.set(name, this.#revisionOf(name) + 1);
      }
      return value;
    });
  }

  async revision(scope: string): Promise<number> {
    await turn();
    return this.#revisionOf(scope);
  }

  /** What the store below announced, with the revision that its transaction had here. */
  translate(announced: Announced): Announced {
    const revision = this.#ofCommit.get(announced.revision);
    if (revision === undefined) throw new Error('Something was announced outside a transaction.');
    return { ...announced, revision };
  }

  read(take: TakePiece): Promise<void> {
    return this.#store.read(take);
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

  #revisionOf(scope: string): number {
    return this.#revisions.get(scope) ?? startOf(scope);
  }
}

/** Far from those of other scopes, in both directions. */
function startOf(scope: string): number {
  let hash = 7;
  for (const character of scope) hash = (hash * 31 + character.charCodeAt(0)) % 1009;
  return hash * 1000;
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
