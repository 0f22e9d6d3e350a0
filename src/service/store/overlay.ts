import type { MaybePromise } from '../support/maybe-promise.ts';
import type { KeyPart, ListQuery, StoreView } from './contract.ts';
import {
  type AnyQuery,
  checkKey,
  fieldOf,
  keyOf,
  keyText,
  keyTextOf,
  matches,
  orderOf,
  type Route,
  routeOf,
} from './keys.ts';
import type { CollectionName, Records } from './records.ts';

/**
 * Changes laid over a view: who reads here sees the view as if they were made, while the view itself stays as it is.
 * The transactions of a batch share one overlay, one after another; the changes of a failed one are rolled back.
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

  async list<Name extends CollectionName>(
    collection: Name,
    query: ListQuery<Name> = {},
  ): Promise<readonly Records[Name][]> {
    const changes = this.#changes.get(collection);
    if (!changes) return this.#base.list(collection, query);
    const route = routeOf(collection, query);
    const changed = [...matching(changes, route, query)] as Records[Name][];
    const compare = orderOf(route, query);
    changed.sort(compare);
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    return merge(await this.#unchanged(collection, query, changes, query.limit), changed, compare, limit);
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

  /** Whether nothing was changed since the last savepoint. */
  get isAtSavepoint(): boolean {
    for (const changes of this.#changes.values()) if (!changes.isAtSavepoint) return false;
    return true;
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
  async #unchanged<Name extends CollectionName>(
    collection: Name,
    query: ListQuery<Name>,
    changes: Changes,
    ask: number | undefined,
  ): Promise<readonly Records[Name][]> {
    const asked = ask === undefined ? query : { ...query, limit: ask };
    const records = await this.#base.list(collection, asked);
    const unchanged = records.filter(record => !changes.get(keyTextOf(collection, record)));
    const isShort = ask !== undefined && unchanged.length < (query.limit ?? 0) && records.length === ask;
    return isShort ? this.#unchanged(collection, query, changes, 2 * ask) : unchanged;
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

/** A change of one record. */
export interface Change {
  readonly key: readonly KeyPart[];
  /** The record as it will be; absent when it is deleted. */
  readonly kept?: {
    readonly record: object;
    /** The record as the engine writes it down. */
    readonly body: string;
  };
}

/**
 * The changes to one collection, in the order they were made. They are found by key, and by the value of one field,
 * without going through them all: a shared batch may hold thousands while a list asks for the few of one lobby. Both
 * ways are laid out when first asked for: who only adds, and that is most, pays for neither.
 */
export class Changes {
  #made: Change[] = [];
  #saved = 0;
  /** The last change of each key. */
  #byKey: Map<string, Change> | undefined;
  /** Field → value → changes that put a record with that value; a field is added when it is first asked for. */
  #byField: Map<string, Map<unknown, Set<Change>>> | undefined;

  get(key: string): Change | undefined {
    return this.#keyed().get(key);
  }

  get isEmpty(): boolean {
    return this.#made.length === 0;
  }

  add(change: Change): void {
    this.#made.push(change);
    if (this.#byKey) this.#key(this.#byKey, change);
  }

  /** What was added until now stays. */
  savepoint(): void {
    this.#saved = this.#made.length;
  }

  get isAtSavepoint(): boolean {
    return this.#made.length === this.#saved;
  }

  /** Forgets what was added since the last savepoint. */
  rollBack(): void {
    if (this.isAtSavepoint) return;
    this.#made = this.#made.slice(0, this.#saved);
    this.#byKey = undefined;
    this.#byField = undefined;
  }

  /** Every change, in the order they were made; of several to one record the last counts. */
  inOrder(): readonly Change[] {
    return this.#made;
  }

  /** The last change of each record. */
  all(): Iterable<Change> {
    return this.#keyed().values();
  }

  /** Changes that put a record whose `field` is `value`. */
  with(field: string, value: KeyPart): Iterable<Change> {
    return this.#groupsOf(field).get(value) ?? [];
  }

  #keyed(): ReadonlyMap<string, Change> {
    if (this.#byKey) return this.#byKey;
    const byKey = new Map<string, Change>();
    for (const change of this.#made) this.#key(byKey, change);
    this.#byKey = byKey;
    return byKey;
  }

  #key(byKey: Map<string, Change>, change: Change): void {
    const key = keyText(change.key);
    if (this.#byField) this.#regroup(this.#byField, byKey.get(key), change);
    byKey.set(key, change);
  }

  #regroup(byField: ReadonlyMap<string, Map<unknown, Set<Change>>>, out: Change | undefined, into: Change): void {
    for (const [field, groups] of byField) {
      if (out?.kept) groups.get(fieldOf(out.kept.record, field))?.delete(out);
      addTo(groups, field, into);
    }
  }

  #groupsOf(field: string): ReadonlyMap<unknown, Set<Change>> {
    const known = this.#byField?.get(field);
    if (known) return known;
    const groups = new Map<unknown, Set<Change>>();
    for (const change of this.#keyed().values()) addTo(groups, field, change);
    this.#byField ??= new Map();
    this.#byField.set(field, groups);
    return groups;
  }
}

function addTo(groups: Map<unknown, Set<Change>>, field: string, change: Change): void {
  if (!change.kept) return;
  const value = fieldOf(change.kept.record, field);
  const group = groups.get(value);
  if (group) group.add(change);
  else groups.set(value, new Set([change]));
}

/**
 * Whether records are frozen and checked. Tests do so: changing a shared record, or putting a value that is not JSON, then throws. In a
 * running service it would cost a write more than its rules do.
 */
const freezes = process.env.RALLYPOINT_FREEZE_RECORDS === '1';

/** A record that is shared from here on and must not be changed any more; see {@link freezes}. */
export const shareRecord: <T>(record: T) => T = freezes ? deepFreeze : record => record;

const plain: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'object', 'undefined']);

/**
 * Freezes a plain value and all in it. What is frozen already is taken to be frozen all the way down.
 *
 * @throws TypeError when something in it is not plain
 */
function deepFreeze<T>(value: T): T {
  if (!plain.has(typeof value)) throw new TypeError(`A record cannot hold a ${typeof value}.`);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
