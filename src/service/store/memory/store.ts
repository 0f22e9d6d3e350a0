import type { KeyPart, ListQuery } from '../contract.ts';
import { EmbeddedStore, type EmbeddedStoreOptions, type Engine, type Reading } from '../embedded.ts';
import { collectionNames } from '../keys.ts';
import type { Overlay } from '../overlay.ts';
import type { CollectionName, Records } from '../records.ts';
import { Table } from './table.ts';

/** Opens a store that lives as long as the process, and costs no more than maps do. */
export function openMemoryStore(options: EmbeddedStoreOptions): EmbeddedStore {
  return new EmbeddedStore(new MemoryEngine(), options);
}

/** Records of one piece. */
const pieceMax = 200;

type Tables = Readonly<Record<CollectionName, Table>>;

class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly location = 'memory';
  readonly firstRevision = 0;
  #tables = emptyTables();

  get(collection: CollectionName, key: readonly KeyPart[]): object | undefined {
    return this.#tables[collection].get(key);
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name>): Records[Name][] {
    return this.#tables[collection].list(query) as unknown[] as Records[Name][];
  }

  /** Records are never changed, so references to them are enough. */
  read(): Reading {
    const lists = collectionNames.map(collection => ({ collection, records: this.#tables[collection].list({}) }));
    let at = 0;
    return {
      next() {
        const [list] = lists;
        if (!list) return undefined;
        const { collection } = list;
        const records = list.records.slice(at, at + pieceMax);
        at += pieceMax;
        if (at >= list.records.length) {
          lists.shift();
          at = 0;
        }
        return { collection, records };
      },
    };
  }

  count(collection: CollectionName, atMost: number): number {
    return Math.min(atMost, this.#tables[collection].size);
  }

  commit(changes: Overlay): boolean {
    write(changes, this.#tables);
    return !changes.isEmpty;
  }

  replace(changes: Overlay): void {
    const tables = emptyTables();
    write(changes, tables);
    this.#tables = tables;
  }

  close(): void {
    this.#tables = emptyTables();
  }
}

function write(overlay: Overlay, tables: Tables): void {
  for (const [name, changes] of overlay.changes()) {
    const table = tables[name];
    for (const change of changes.inOrder()) table.write(change);
  }
}

function emptyTables(): Tables {
  return Object.fromEntries(collectionNames.map(name => [name, new Table(name)])) as Record<CollectionName, Table>;
}
