import { ArgumentError } from '../../model/errors/errors.ts';
import type { KeyPart } from './contract.ts';
import { type CollectionName, collections, numericFields } from './records.ts';

/**
 * How records are found and ordered, for every engine alike: a record's key, what a query asks for, and the order of
 * key parts.
 */

const shapes: Readonly<
  Record<
    CollectionName,
    { readonly key: readonly string[]; readonly indexes: Readonly<Record<string, readonly string[]>> }
  >
> = collections;

export const collectionNames = Object.keys(collections) as readonly CollectionName[];

/** Fields that name a record of the collection, in order. */
export function keyFields(collection: CollectionName): readonly string[] {
  return shapes[collection].key;
}

/** The collection's indexes: name → fields. */
export function indexesOf(collection: CollectionName): Readonly<Record<string, readonly string[]>> {
  return shapes[collection].indexes;
}

/** Fields of the collection's indexes that are not in its key, each once. */
export function indexFields(collection: CollectionName): readonly string[] {
  const { key, indexes } = shapes[collection];
  return [...new Set(Object.values(indexes).flat())].filter(field => !key.includes(field));
}

/** What a list goes by: `fields` select, `order` sorts (the fields, then the rest of the key). */
export interface Route {
  readonly fields: readonly string[];
  readonly order: readonly string[];
}

const routes = new Map<CollectionName, ReadonlyMap<string | undefined, Route>>(
  collectionNames.map(name => {
    const { key, indexes } = shapes[name];
    const byIndex = Object.entries(indexes).map(([index, fields]): [string, Route] => [
      index,
      { fields, order: [...fields, ...key.filter(field => !fields.includes(field))] },
    ]);
    return [name, new Map<string | undefined, Route>([[undefined, { fields: key, order: key }], ...byIndex])];
  }),
);

/** A list query of whichever collection. */
export interface AnyQuery {
  readonly index?: string;
  readonly equals?: readonly KeyPart[];
  readonly from?: KeyPart;
  readonly upTo?: KeyPart;
  readonly descending?: boolean;
  readonly limit?: number;
}

/** @throws ArgumentError `bad_query` when the collection has no such index, or the query does not fit it */
export function routeOf(collection: CollectionName, query: AnyQuery): Route {
  const route = routes.get(collection)?.get(query.index);
  if (!route) throw new ArgumentError('bad_query', `${collection} has no index ${query.index}.`);
  const { equals = [], limit } = query;
  for (const bound of [query.from, query.upTo]) checkBound(collection, route, equals, bound);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
    throw new ArgumentError('bad_query', `limit must be a whole number, 0 or more (got ${limit}).`);
  }
  return route;
}

function checkBound(
  collection: CollectionName,
  { fields }: Route,
  equals: readonly KeyPart[],
  bound: KeyPart | undefined,
): void {
  const values = bound === undefined ? equals : [...equals, bound];
  if (values.length > fields.length) {
    throw new ArgumentError(
      'bad_query',
      `equals and the bound may have ${fields.length} values, for ${fields.join(', ')} of ${collection} (got ${values.length}).`,
    );
  }
  values.forEach((value, at) => {
    const field = fields[at] ?? '';
    if (!fits(field, value))
      throw new ArgumentError('bad_query', `${collection}.${field} cannot be a ${typeof value}.`);
  });
  if (bound !== undefined && !isStorable(bound)) {
    throw new ArgumentError('bad_query', 'A bound must be well-formed text without NUL.');
  }
}

/** @throws ArgumentError `bad_key` when the parts cannot be a key of the collection */
export function checkKey(collection: CollectionName, key: readonly KeyPart[]): void {
  const fields = shapes[collection].key;
  if (key.length !== fields.length) {
    throw new ArgumentError(
      'bad_key',
      `A key of ${collection} must have the parts ${fields.join(', ')} (got ${key.length} parts).`,
    );
  }
  for (let at = 0; at < key.length; at++) {
    const part = key[at];
    if (part === undefined || !fits(fields[at] ?? '', part)) {
      throw new ArgumentError('bad_key', `${collection}.${fields[at]} cannot be a ${typeof part}.`);
    }
  }
}

/** Fields of the collection's indexes, each once. */
const indexed = Object.fromEntries(
  collectionNames.map(name => [name, [...new Set(Object.values(shapes[name].indexes).flat())]] as const),
) as Record<CollectionName, readonly string[]>;

/**
 * The record's key.
 *
 * @throws ArgumentError `bad_record` when a field of the key or of an index holds something it cannot hold
 */
export function keyOf(collection: CollectionName, record: object): KeyPart[] {
  for (const field of indexed[collection]) {
    const value = fieldOf(record, field);
    if (value !== null && !canHold(field, value)) throw badField(collection, field, value);
  }
  const parts: KeyPart[] = [];
  for (const field of shapes[collection].key) {
    const value = fieldOf(record, field);
    if (!canHold(field, value)) throw badField(collection, field, value);
    parts.push(value);
  }
  return parts;
}

/** One text for a whole key: different keys of a collection have different texts. */
export function keyText(key: readonly KeyPart[]): string {
  return key.length === 1 ? String(key[0]) : key.join('\0');
}

/** One text for a record among those of all collections. */
export function recordName(collection: CollectionName, key: readonly KeyPart[]): string {
  return `${collection}\0${keyText(key)}`;
}

/** The key text of a stored record. */
export function keyTextOf(collection: CollectionName, record: object): string {
  const { key } = shapes[collection];
  const first = String(fieldOf(record, key[0] ?? ''));
  return key.length === 1 ? first : key.map(field => fieldOf(record, field)).join('\0');
}

export function fieldOf(record: object, field: string): unknown {
  return (record as Readonly<Record<string, unknown>>)[field];
}

/** Whether the record is among those the query asks for, its limit aside. */
export function matches(record: object, route: Route, { equals = [], from, upTo }: AnyQuery): boolean {
  for (let at = 0; at < route.fields.length; at++) {
    const value = fieldOf(record, route.fields[at] ?? '') as KeyPart | null;
    if (value === null) return false;
    const wanted = equals[at];
    if (wanted !== undefined && value !== wanted) return false;
    if (at !== equals.length) continue;
    if (from !== undefined && comparePart(value, from) < 0) return false;
    if (upTo !== undefined && comparePart(value, upTo) > 0) return false;
  }
  return true;
}

/** The order of the records of one list. */
export function orderOf({ order }: Route, { descending = false }: AnyQuery): (a: object, b: object) => number {
  return descending ? (a, b) => compareBy(order, b, a) : (a, b) => compareBy(order, a, b);
}

function compareBy(order: readonly string[], a: object, b: object): number {
  for (const field of order) {
    const difference = comparePart(fieldOf(a, field) as KeyPart, fieldOf(b, field) as KeyPart);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function comparePart(a: KeyPart, b: KeyPart): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b));
}

/** Order of texts by code point. JavaScript's own `<` goes by code unit, where U+1F600 comes before U+FF01. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates, which stand for code points above U+FFFF, behind all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Whether the field holds whole numbers; all others hold text. */
export function isNumeric(field: string): boolean {
  return numericFields.has(field);
}

function fits(field: string, value: unknown): value is KeyPart {
  return numericFields.has(field) ? Number.isSafeInteger(value) : typeof value === 'string';
}

function canHold(field: string, value: unknown): value is KeyPart {
  return fits(field, value) && isStorable(value);
}

/**
 * Whether every engine can hold the part in a key. Text must have neither NUL (PostgreSQL has none) nor half a
 * surrogate pair (UTF-8 has none): records with such keys are rejected, so nothing is found under one.
 */
export function isStorable(part: KeyPart): boolean {
  return typeof part === 'number' || (!part.includes('\0') && part.isWellFormed());
}

function badField(collection: CollectionName, field: string, value: unknown): ArgumentError {
  const wanted = numericFields.has(field) ? 'a whole number' : 'well-formed text without NUL';
  return new ArgumentError('bad_record', `${collection}.${field} must be ${wanted} (got a ${typeof value}).`);
}
