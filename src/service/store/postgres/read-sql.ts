import type { ListQuery } from '../contract.ts';
import { type AnyQuery, isNumeric, keyFields, type Route, routeOf } from '../keys.ts';
import type { CollectionName } from '../records.ts';
import type { Statement } from './statement.ts';

/** The record with one key: `body`. */
export function getSql(name: CollectionName): string {
  const conditions = keyFields(name).map((field, at) => `${field} = $${at + 1}`);
  return `SELECT body FROM rallypoint.${name} WHERE ${conditions.join(' AND ')}`;
}

/** The records of several keys, one array for each part: `n`, the place of the key, and `body`. */
export function getManySql(name: CollectionName): string {
  const key = keyFields(name);
  const arrays = key.map((field, at) => `$${at + 1}::${isNumeric(field) ? 'bigint' : 'text'}[]`);
  const parts = key.map((_, at) => `part_${at}`);
  const conditions = key.map((field, at) => `t.${field} = k.part_${at}`);
  return `SELECT k.n::int AS n, t.body FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS k(${parts.join(', ')}, n)
    JOIN rallypoint.${name} AS t ON ${conditions.join(' AND ')}`;
}

/**
 * The revisions of scopes, in the order of their names, and what the database's clock shows in milliseconds: all as one row, at
 * one instant.
 */
export const revisionsSql = `
  SELECT array_agg(coalesce(s.revision, b.revision) ORDER BY a.n) AS revisions,
    (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS clock
  FROM unnest($1::text[]) WITH ORDINALITY AS a(name, n)
  CROSS JOIN (SELECT revision FROM rallypoint.scopes WHERE name = '') AS b
  LEFT JOIN rallypoint.scopes AS s ON s.name = a.name`;

/** The records of a list, in order: `body`, and further columns. */
export function listSql(name: CollectionName, query: AnyQuery, columns: readonly string[] = []): string {
  const { fields, order } = routeOf(name, query);
  const equals = query.equals?.length ?? 0;
  const bounds = [...(query.from === undefined ? [] : ['>=']), ...(query.upTo === undefined ? [] : ['<='])];
  const conditions = fields.flatMap((field, at) => {
    if (at < equals) return [`${field} = $${at + 1}`];
    // A key's field is never null; an index leaves out records with null in a field.
    const isThere = keyFields(name).includes(field) ? [] : [`${field} IS NOT NULL`];
    return at > equals ? isThere : [...isThere, ...bounds.map((bound, n) => `${field} ${bound} $${at + n + 1}`)];
  });
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const way = query.descending ? ' DESC' : '';
  const limit = query.limit === undefined ? '' : ` LIMIT $${equals + bounds.length + 1}::int`;
  const by = orderAfter({ fields, order }, equals).map(field => field + way);
  return `SELECT ${[...columns, 'body'].join(', ')} FROM rallypoint.${name}${where}${by.length === 0 ? '' : ` ORDER BY ${by.join(', ')}`}${limit}`;
}

/** What sorts the records that have the first fields in common. */
function orderAfter({ order }: Route, equals: number): readonly string[] {
  return order.slice(equals);
}

/** The texts of lists by the names of their statements, of which there is a bounded number. */
const listSqls = new Map<string, string>();

/** A list as a statement; its name tells its form. @param query a valid one, with storable values @param columns as well as `body` */
export function listStatement<Name extends CollectionName>(
  name: Name,
  query: ListQuery<Name>,
  columns: readonly string[] = [],
): Statement {
  const { index = 'key', equals = [], from, upTo, descending = false, limit } = query;
  const bounds = [from, upTo].filter(bound => bound !== undefined);
  const form = `${from === undefined ? '' : 'from'}${upTo === undefined ? '' : 'upto'}${descending ? 'desc' : ''}${limit === undefined ? '' : 'limit'}`;
  const statement = `list ${name} ${index} ${equals.length}${form}${columns.length === 0 ? '' : ` with ${columns.join()}`}`;
  let text = listSqls.get(statement);
  if (text === undefined) {
    text = listSql(name, query, columns);
    listSqls.set(statement, text);
  }
  return {
    name: statement,
    text,
    values: [...equals, ...bounds, ...(limit === undefined ? [] : [limit])],
  };
}
