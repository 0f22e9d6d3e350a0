import type { KeyPart, ListQuery, StoreView, Transaction } from '../../../src/service/store/contract.ts';
import {
  type CollectionName,
  type CollectionShape,
  collections,
  type Records,
} from '../../../src/service/store/records.ts';

type Row = Readonly<Record<string, unknown>>;

/** The Store contract's reads and writes in the plainest way there is, arrays filtered and sorted: engines must agree. */
export class PlainStore implements StoreView, Pick<Transaction, 'put' | 'delete'> {
  readonly #rows: Map<CollectionName, readonly Row[]>;

  constructor(from?: PlainStore) {
    this.#rows = new Map(from ? from.#rows : []);
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Records[Name] | undefined {
    return this.#all(collection).find(row => isKeyOf(collection, row, key)) as Records[Name] | undefined;
  }

  list<Name extends CollectionName>(collection: Name, query: ListQuery<Name> = {}): Records[Name][] {
    const { key, indexes }: CollectionShape = collections[collection];
    const fields = query.index === undefined ? key : (indexes[query.index] ?? []);
    const { equals = [], from, upTo, descending = false, limit = Number.POSITIVE_INFINITY } = query;
    const found = this.#all(collection)
      .filter(row => fields.every(field => row[field] !== null))
      .filter(row => equals.every((value, at) => row[fields[at] ?? ''] === value))
      .filter(row => from === undefined || compare(row[fields[equals.length] ?? ''], from) >= 0)
      .filter(row => upTo === undefined || compare(row[fields[equals.length] ?? ''], upTo) <= 0)
      .sort((a, b) => [...fields, ...key].map(field => compare(a[field], b[field])).find(order => order !== 0) ?? 0);
    const inOrder = descending ? found.reverse() : found;
    return inOrder.slice(0, limit) as unknown as Records[Name][];
  }

  put<Name extends CollectionName>(collection: Name, record: Records[Name]): void {
    const row = record as unknown as Row;
    const { key }: CollectionShape = collections[collection];
    this.delete(collection, ...key.map(field => row[field] as KeyPart));
    this.#rows.set(collection, [...this.#all(collection), row]);
  }

  delete(collection: CollectionName, ...key: readonly KeyPart[]): void {
    this.#rows.set(
      collection,
      this.#all(collection).filter(row => !isKeyOf(collection, row, key)),
    );
  }

  #all(collection: CollectionName): readonly Row[] {
    return this.#rows.get(collection) ?? [];
  }
}

function isKeyOf(collection: CollectionName, row: Row, key: readonly KeyPart[]): boolean {
  const { key: fields }: CollectionShape = collections[collection];
  return fields.every((field, at) => row[field] === key[at]);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = [...String(a)].map(character => character.codePointAt(0) ?? 0);
  const right = [...String(b)].map(character => character.codePointAt(0) ?? 0);
  const at = left.findIndex((point, place) => point !== right[place]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
