import type { KeyPart } from '../contract.ts';
import { type AnyQuery, fieldOf, indexesOf, keyFields, routeOf } from '../keys.ts';
import type { Change } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import { Way } from './way.ts';

/** The records of one collection, found by key and by its indexes. */
export class Table {
  readonly #name: CollectionName;
  readonly #keys: Keys;
  readonly #indexes: ReadonlyMap<string, Way>;
  readonly #ways: readonly Way[];
  #size = 0;

  constructor(name: CollectionName) {
    this.#name = name;
    this.#keys = keyFields(name).length === 1 ? new SingleKeys(name) : new CompositeKeys(name);
    const indexes = Object.keys(indexesOf(name));
    this.#indexes = new Map(indexes.map(index => [index, new Way(routeOf(name, { index }), Number.POSITIVE_INFINITY)]));
    this.#ways = [...this.#indexes.values()];
  }

  get(key: readonly KeyPart[]): object | undefined {
    return this.#keys.find(key);
  }

  /** How many records there are. */
  get size(): number {
    return this.#size;
  }

  list(query: AnyQuery): object[] {
    routeOf(this.#name, query); // throws for an invalid query
    if (query.index === undefined) return this.#keys.list(query);
    return this.#indexes.get(query.index)?.list(query) ?? [];
  }

  write({ key, kept }: Change): void {
    const before = this.#keys.find(key);
    this.#size += (kept ? 1 : 0) - (before ? 1 : 0);
    if (kept) this.#keys.add(kept.record);
    else if (before) this.#keys.delete(before);
    for (const way of this.#ways) {
      if (before && !(kept && way.isSamePlace(before, kept.record))) way.delete(before);
      if (kept) way.add(kept.record);
    }
  }
}

/** Records by their key. */
interface Keys {
  find(key: readonly KeyPart[]): object | undefined;
  list(query: AnyQuery): object[];
  /** In place of the one with the same key. */
  add(record: object): void;
  delete(record: object): void;
}

/** A key of one field: a map, put in order when a list first asks for that; few do. */
class SingleKeys implements Keys {
  readonly #name: CollectionName;
  readonly #field: string;
  readonly #records = new Map<unknown, object>();
  #inOrder: Way | undefined;

  constructor(name: CollectionName) {
    this.#name = name;
    this.#field = keyFields(name)[0] ?? '';
  }

  find([value]: readonly KeyPart[]): object | undefined {
    return this.#records.get(value);
  }

  list(query: AnyQuery): object[] {
    this.#inOrder ??= this.#order();
    return this.#inOrder.list(query);
  }

  add(record: object): void {
    this.#records.set(fieldOf(record, this.#field), record);
    this.#inOrder?.add(record);
  }

  delete(record: object): void {
    this.#records.delete(fieldOf(record, this.#field));
    this.#inOrder?.delete(record);
  }

  #order(): Way {
    const way = new Way(routeOf(this.#name, {}), 0);
    for (const record of this.#records.values()) way.add(record);
    return way;
  }
}

/** A key of several fields: the records of a group differ in the last one. */
class CompositeKeys extends Way implements Keys {
  constructor(name: CollectionName) {
    const route = routeOf(name, {});
    super(route, route.fields.length - 1);
  }
}
