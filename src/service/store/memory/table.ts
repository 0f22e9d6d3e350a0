import type { KeyPart } from '../contract.ts';
import { type AnyQuery, fieldOf, indexesOf, keyFields, routeOf } from '../keys.ts';
import type { Change } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import { type Entry, Way } from './way.ts';

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
    return this.#keys.find(key)?.record;
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
    const entry = this.#keys.find(key);
    if (!entry) {
      if (kept) this.#add({ record: kept.record });
    } else if (kept) this.#replace(entry, kept.record);
    else this.#delete(entry);
  }

  #add(entry: Entry): void {
    this.#size++;
    this.#keys.add(entry);
    for (const way of this.#ways) way.add(entry);
  }

  /** The key stays, and mostly the place in every index; nothing is searched then. */
  #replace(entry: Entry, record: object): void {
    const moved = this.#ways.filter(way => !way.isSamePlace(entry.record, record));
    for (const way of moved) way.delete(entry);
    entry.record = record;
    for (const way of moved) way.add(entry);
  }

  #delete(entry: Entry): void {
    this.#size--;
    this.#keys.delete(entry);
    for (const way of this.#ways) way.delete(entry);
  }
}

/** Records by their key. */
interface Keys {
  find(key: readonly KeyPart[]): Entry | undefined;
  list(query: AnyQuery): object[];
  /** @param entry one with a key that no other has */
  add(entry: Entry): void;
  delete(entry: Entry): void;
}

/** A key of one field: a map, put in order when a list first asks for that; few do. */
class SingleKeys implements Keys {
  readonly #name: CollectionName;
  readonly #field: string;
  readonly #entries = new Map<unknown, Entry>();
  #inOrder: Way | undefined;

  constructor(name: CollectionName) {
    this.#name = name;
    this.#field = keyFields(name)[0] ?? '';
  }

  find([value]: readonly KeyPart[]): Entry | undefined {
    return this.#entries.get(value);
  }

  list(query: AnyQuery): object[] {
    this.#inOrder ??= this.#order();
    return this.#inOrder.list(query);
  }

  add(entry: Entry): void {
    this.#entries.set(fieldOf(entry.record, this.#field), entry);
    this.#inOrder?.add(entry);
  }

  delete(entry: Entry): void {
    this.#entries.delete(fieldOf(entry.record, this.#field));
    this.#inOrder?.delete(entry);
  }

  #order(): Way {
    const way = new Way(routeOf(this.#name, {}), 0);
    for (const entry of this.#entries.values()) way.add(entry);
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
