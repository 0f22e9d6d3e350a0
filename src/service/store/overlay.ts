import type { MaybePromise } from '../support/maybe-promise.ts';
import { andThen } from '../support/maybe-promise.ts';
import type { Change } from './changes.ts';
import { Changes } from './changes.ts';
import type { KeyPart, ListQuery, StoreView } from './contract.ts';
import { type AnyQuery, checkKey, keyOf, keyText, keyTextOf, matches, orderOf, type Route, routeOf } from './keys.ts';
import type { CollectionName, Records } from './records.ts';
import { shareRecord } from './share-record.ts';

/**
 * Changes laid over a view: who reads here sees the view as if they were made, while the view itself stays as it is.
 * One overlay takes the works of a batch one after another; what a failed one changed is taken back.
 */
export class Overlay implements StoreView {
  readonly #base: StoreView;
  readonly #encode: (record: object) => string;
  readonly #changes = new Map<CollectionName, Changes>();

  /** @param encode how the engine writes a record down; absent: it keeps the record itself */
  constructor(base: StoreView, encode: (record: object) => string = nothing) {
    this.#base = base;
    this.#encode = encode;
  }

  get<Name extends CollectionName>(
    collection: Name,
    ...key: readonly KeyPart[]
  ): MaybePromise<Records[Name] | undefined> {
    const change = this.#changes.get(collection)?.get(keyText(key));
    return change ? (change.kept?.record as Records[Name] | undefined) : this.#base.get(collection, ...key);
  }

  list<Name extends CollectionName>(
    collection: Name,
    query: ListQuery<Name> = {},
  ): MaybePromise<readonly Records[Name][]> {
    const changes = this.#changes.get(collection);
    if (!changes) return this.#base.list(collection, query);
    const route = routeOf(collection, query);
    const changed = [...matching(changes, route, query)] as Records[Name][];
    const compare = orderOf(route, query);
    changed.sort(compare);
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    return andThen(this.#unchanged(collection, query, changes, query.limit), unchanged =>
      merge(unchanged, changed, compare, limit),
    );
  }

  /** The record is shared from here on. @throws ArgumentError `bad_record`; what encoding it throws */
  put<Name extends CollectionName>(collection: Name, record: Records[Name]): void {
    const key = keyOf(collection, record);
    const body = this.#encode(record);
    this.#write(collection, { key, kept: { record: shareRecord(record), body } });
  }

  delete(collection: CollectionName, ...key: readonly KeyPart[]): void {
    checkKey(collection, key);
    this.#write(collection, { key });
  }

  /** What was changed until now stays. */
  savepoint(): void {
    for (const changes of this.#changes.values()) changes.savepoint();
  }

  /** Takes back what was changed since the last savepoint. */
  rollBack(): void {
    for (const changes of this.#changes.values()) changes.rollBack();
  }

  /** All changes, by collection. */
  changes(): Iterable<readonly [CollectionName, Changes]> {
    return this.#changes;
  }

  get isEmpty(): boolean {
    for (const changes of this.#changes.values()) if (!changes.isEmpty) return false;
    return true;
  }

  #write(collection: CollectionName, change: Change): void {
    this.#changesOf(collection).add(change);
  }

  #changesOf(collection: CollectionName): Changes {
    let changes = this.#changes.get(collection);
    if (!changes) {
      changes = new Changes();
      this.#changes.set(collection, changes);
    }
    return changes;
  }

  /** The first `limit` records of the base that no change touches; asks for more when changed ones took their places. */
  #unchanged<Name extends CollectionName>(
    collection: Name,
    query: ListQuery<Name>,
    changes: Changes,
    ask: number | undefined,
  ): MaybePromise<readonly Records[Name][]> {
    const asked = ask === undefined ? query : { ...query, limit: ask };
    return andThen(this.#base.list(collection, asked), records => {
      const unchanged = records.filter(record => !changes.get(keyTextOf(collection, record)));
      const isShort = ask !== undefined && unchanged.length < (query.limit ?? 0) && records.length === ask;
      return isShort ? this.#unchanged(collection, query, changes, 2 * ask) : unchanged;
    });
  }
}

const nothing = () => '';

/** The changed records that the query asks for, in no order. */
function* matching(changes: Changes, route: Route, query: AnyQuery): Iterable<object> {
  const [field] = route.fields;
  const value = query.equals?.[0];
  const candidates = field === undefined || value === undefined ? changes.all() : changes.with(field, value);
  for (const { kept } of candidates) if (kept && matches(kept.record, route, query)) yield kept.record;
}

/** The first `limit` of two lists, each in order, in order. */
function merge<T extends object>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  limit: number,
): T[] {
  const merged: T[] = [];
  let atLeft = 0;
  let atRight = 0;
  while (merged.length < limit) {
    const a = left[atLeft];
    const b = right[atRight];
    if (a !== undefined && (b === undefined || compare(a, b) < 0)) {
      merged.push(a);
      atLeft++;
    } else if (b !== undefined) {
      merged.push(b);
      atRight++;
    } else break;
  }
  return merged;
}
