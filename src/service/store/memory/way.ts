import type { KeyPart } from '../contract.ts';
import { type AnyQuery, comparePart, fieldOf, isNumeric, keyText, type Route } from '../keys.ts';
import { type Place, Sorted } from './sorted.ts';

/** A record in a table. A record with the same key replaces it here, so that the ways in which its place stays are not changed. */
export interface Entry {
  record: object;
}

/** Entries that have the same values in the fields that a {@link Way} groups by, in order; never empty. */
type Group = Sorted<Entry>;

/**
 * One way to find records: by several fields of their key, or by an index. Records with the same leading texts form a group,
 * which is found by one look-up, because most lists are of one group. The groups are sorted when a list first needs more than
 * one of them, and stay sorted.
 */
export class Way {
  readonly #fields: readonly string[];
  /** Fields that a group has in common. */
  readonly #shared: readonly string[];
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly #compareGroups: (a: Group, b: Group) => number;
  readonly #groups = new Map<string, Group>();
  #inOrder: Sorted<Group> | undefined;

  /** @param sharedMax leading fields that a group may have in common at most */
  constructor({ fields, order }: Route, sharedMax: number) {
    const firstNumber = fields.findIndex(isNumeric);
    const sharedCount = Math.min(sharedMax, firstNumber < 0 ? fields.length : firstNumber);
    const shared = fields.slice(0, sharedCount);
    const rest = order.slice(sharedCount);
    this.#fields = fields;
    this.#shared = shared;
    this.#compare = (a, b) => compareFields(rest, a.record, b.record);
    this.#compareGroups = (a, b) => compareFields(shared, sample(a), sample(b));
  }

  /**
   * Adds the entry; one with null in a field is left out.
   *
   * @param entry one with a key that no other has
   */
  add(entry: Entry): void {
    if (this.#isLeftOut(entry.record)) return;
    const name = this.#nameOf(entry.record);
    const known = this.#groups.get(name);
    const group = known ?? new Sorted(this.#compare);
    group.add(entry);
    if (known) return;
    this.#groups.set(name, group);
    this.#inOrder?.add(group);
  }

  /** @param entry one that is there, or is left out */
  delete(entry: Entry): void {
    if (this.#isLeftOut(entry.record)) return;
    const name = this.#nameOf(entry.record);
    const group = this.#groups.get(name);
    if (group?.isSingle) {
      this.#inOrder?.delete(group);
      this.#groups.delete(name);
    } else {
      group?.delete(entry);
    }
  }

  /** Whether both lie at one place, so that one takes the other's. */
  isSamePlace(a: object, b: object): boolean {
    return this.#fields.every(field => fieldOf(a, field) === fieldOf(b, field));
  }

  /** The entry of a whole key. */
  find(key: readonly KeyPart[]): Entry | undefined {
    const group = this.#groups.get(groupName(key, this.#shared.length));
    return group?.find(this.#placeOf(key, {}));
  }

  /** @param query a valid one */
  list(query: AnyQuery): object[] {
    const { limit = Number.POSITIVE_INFINITY, descending = false, equals = [] } = query;
    const found: object[] = [];
    if (limit === 0) return found;
    const take = ({ record }: Entry) => found.push(record) < limit;
    if (equals.length >= this.#shared.length) {
      const group = this.#groups.get(groupName(equals, this.#shared.length));
      group?.visit(this.#placeOf(equals, query), descending, take);
      return found;
    }
    const takeAll = (group: Group) => {
      group.visit(anywhere, descending, take);
      return found.length < limit;
    };
    const place = placeAt(this.#shared, 0, equals, query);
    this.#sortedGroups().visit(group => place(sample(group)), descending, takeAll);
    return found;
  }

  /** Compares a record with the requested range of its group. */
  #placeOf(equals: readonly KeyPart[], bounds: Bounds): Place<Entry> {
    const isBounded = bounds.from !== undefined || bounds.upTo !== undefined;
    const isWholeGroup = equals.length === this.#shared.length && !isBounded;
    if (isWholeGroup) return anywhere;
    const place = placeAt(this.#fields, this.#shared.length, equals, bounds);
    return ({ record }) => place(record);
  }

  #sortedGroups(): Sorted<Group> {
    if (this.#inOrder) return this.#inOrder;
    const sorted = new Sorted(this.#compareGroups);
    for (const group of [...this.#groups.values()].sort(this.#compareGroups)) sorted.add(group);
    this.#inOrder = sorted;
    return sorted;
  }

  #isLeftOut(record: object): boolean {
    for (const field of this.#fields) if (fieldOf(record, field) === null) return true;
    return false;
  }

  #nameOf(record: object): string {
    const shared = this.#shared;
    if (shared.length === 0) return '';
    if (shared.length === 1) return fieldOf(record, shared[0] ?? '') as string;
    return keyText(shared.map(field => fieldOf(record, field) as string));
  }
}

const anywhere = () => 0;

/** A text that is one for each list of the first values. */
function groupName(values: readonly KeyPart[], count: number): string {
  if (count === 0) return '';
  return count === 1 ? String(values[0]) : keyText(values.slice(0, count));
}

function sample(group: Group): object {
  return group.first?.record ?? {};
}

function compareFields(fields: readonly string[], a: object, b: object): number {
  for (const field of fields) {
    const difference = comparePart(fieldOf(a, field) as KeyPart, fieldOf(b, field) as KeyPart);
    if (difference !== 0) return difference;
  }
  return 0;
}

type Bounds = Pick<AnyQuery, 'from' | 'upTo'>;

/** Compares the fields of a record from `first` on with values, and the field after them with bounds. */
function placeAt(
  fields: readonly string[],
  first: number,
  equals: readonly KeyPart[],
  { from, upTo }: Bounds,
): Place<object> {
  return record => {
    for (let at = first; at < equals.length; at++) {
      const difference = comparePart(fieldOf(record, fields[at] ?? '') as KeyPart, equals[at] as KeyPart);
      if (difference !== 0) return difference;
    }
    if (from === undefined && upTo === undefined) return 0;
    const value = fieldOf(record, fields[equals.length] ?? '') as KeyPart;
    if (from !== undefined && comparePart(value, from) < 0) return -1;
    return upTo !== undefined && comparePart(value, upTo) > 0 ? 1 : 0;
  };
}
