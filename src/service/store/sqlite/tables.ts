import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyPart } from '../contract.ts';
import {
  type AnyQuery,
  collectionNames,
  fieldOf,
  indexesOf,
  indexFields,
  isStorable,
  keyFields,
  routeOf,
} from '../keys.ts';
import type { Change } from '../overlay.ts';
import type { CollectionName } from '../records.ts';

/** The prepared statements of one collection's table. Records go in and come out as JSON. */
export interface Table {
  read(key: readonly KeyPart[]): string | undefined;
  list(query: AnyQuery): string[];
  /** As {@link list}, each with its key. */
  rows(query: AnyQuery): { readonly key: readonly KeyPart[]; readonly body: string }[];
  /** The rows behind a key, or the first ones, in the order of the key: up to {@link pageMax}. */
  page(after: readonly KeyPart[] | undefined): Page;
  /** How many rows there are, up to a bound. */
  count(atMost: number): number;
  write(change: Change): void;
  clear(): void;
}

export interface Page {
  readonly rows: readonly { readonly key: readonly KeyPart[]; readonly body: string }[];
  /** Whether no more follow. */
  readonly isEnd: boolean;
}

/** Bounds of one page; a record may be larger. */
const pageMax = { rows: 500, size: 512 * 1024 } as const;

/** One table for every collection. */
export function openTables(database: DatabaseSync): Readonly<Record<CollectionName, Table>> {
  const tables = collectionNames.map(name => [name, openTable(database, name)] as const);
  return Object.fromEntries(tables) as Record<CollectionName, Table>;
}

/** Tables and indexes of the newest layout that the database lacks. */
export function missingParts(database: DatabaseSync): { readonly tables: string[]; readonly indexes: string[] } {
  const found = new Set(
    database
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map(({ name }) => name),
  );
  const indexes = collectionNames.flatMap(name => Object.keys(indexesOf(name)).map(index => `${name}_${index}`));
  return {
    tables: ['counters', 'set_aside', ...collectionNames].filter(name => !found.has(name)),
    indexes: indexes.filter(name => !found.has(name)),
  };
}

function openTable(database: DatabaseSync, name: CollectionName): Table {
  const key = keyFields(name);
  const fields = [...key, ...indexFields(name)];
  const columns = [...fields, 'body'];
  const byKey = key.map(field => `${field} = ?`).join(' AND ');
  const updates = columns.filter(column => !key.includes(column)).map(column => `${column} = excluded.${column}`);

  const read = lazily(() => database.prepare(`SELECT body FROM ${name} WHERE ${byKey}`));
  const remove = lazily(() => database.prepare(`DELETE FROM ${name} WHERE ${byKey}`));
  const insert = lazily(() =>
    database.prepare(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ` +
        `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${updates.join(', ')}`,
    ),
  );
  const all = `SELECT ${[...key, 'body'].join(', ')} FROM ${name}`;
  const behind = `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const first = lazily(() => database.prepare(`${all} ORDER BY ${key.join(', ')}`));
  const following = lazily(() => database.prepare(`${all} ${behind} ORDER BY ${key.join(', ')}`));
  const count = lazily(() => database.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${name} LIMIT ?)`));
  const lists = new Map<string, StatementSync>();
  const bodies = ['body'];
  const rows = [...key, 'body'];

  function select(selected: readonly string[], query: AnyQuery) {
    const { index = '', equals = [], from, upTo, descending = false, limit = -1 } = query;
    routeOf(name, query); // throws for an invalid query
    if (!equals.every(isStorable)) return [];
    const form = `${selected.length} ${index} ${equals.length} ${from !== undefined} ${upTo !== undefined} ${descending}`;
    let statement = lists.get(form);
    if (!statement) {
      statement = database.prepare(listSql(name, query, selected));
      lists.set(form, statement);
    }
    const bounds = [from, upTo].filter(bound => bound !== undefined);
    return statement.all(...equals, ...bounds, limit);
  }

  return {
    read: parts => (parts.every(isStorable) ? (read().get(...parts)?.body as string | undefined) : undefined),

    list: query => select(bodies, query).map(row => row.body as string),

    rows: query =>
      select(rows, query).map(row => ({ key: key.map(field => row[field] as KeyPart), body: row.body as string })),

    page(after) {
      const found: { key: KeyPart[]; body: string }[] = [];
      let size = 0;
      for (const row of after ? following().iterate(...after) : first().iterate()) {
        if (found.length === pageMax.rows || size >= pageMax.size) return { rows: found, isEnd: false };
        const body = row.body as string;
        found.push({ key: key.map(field => row[field] as KeyPart), body });
        size += body.length;
      }
      return { rows: found, isEnd: true };
    },

    count: atMost => Number(count().get(atMost)?.n),

    write({ key: parts, kept }) {
      if (!kept) remove().run(...parts);
      else insert().run(...fields.map(field => (fieldOf(kept.record, field) ?? null) as KeyPart | null), kept.body);
    },

    clear: () => database.exec(`DELETE FROM ${name}`),
  };
}

/** `IS NOT NULL` is what lets SQLite use an index that leaves nulls out. */
export function listSql(name: CollectionName, query: AnyQuery, columns: readonly string[] = ['body']): string {
  const { fields, order } = routeOf(name, query);
  const equals = query.equals?.length ?? 0;
  const bounds = [...(query.from === undefined ? [] : ['>= ?']), ...(query.upTo === undefined ? [] : ['<= ?'])];
  const way = query.descending ? ' DESC' : '';
  const conditions = fields.map((field, at) => {
    if (at < equals) return `${field} = ?`;
    if (at > equals || bounds.length === 0) return `${field} IS NOT NULL`;
    return bounds.map(bound => `${field} ${bound}`).join(' AND ');
  });
  return `SELECT ${columns.join(', ')} FROM ${name} WHERE ${conditions.join(' AND ')} ORDER BY ${order.map(field => field + way).join(', ')} LIMIT ?`;
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
