import type { DatabaseSync } from 'node:sqlite';
import type { KeyPart } from '../contract.ts';
import { keyFields } from '../keys.ts';
import type { CollectionName } from '../records.ts';

/** A record that could not be decoded, and where it is kept since: the table `set_aside`. */
export interface SetAsideRecord {
  readonly collection: CollectionName;
  readonly key: readonly KeyPart[];
  readonly reason: string;
  readonly foundAtMs: number;
}

/** As it is kept. */
export interface SetAsideRow extends SetAsideRecord {
  readonly body: string;
}

/** Moves a record, as it is, out of the way of all others. To be called within a transaction. */
export function moveAside(database: DatabaseSync, { collection, key, reason, foundAtMs }: SetAsideRecord): void {
  const byKey = keyFields(collection)
    .map(field => `${field} = ?`)
    .join(' AND ');
  const from = `FROM ${collection} WHERE ${byKey}`;
  database
    .prepare(`INSERT INTO set_aside (collection, key, reason, found_at_ms, body) SELECT ?, ?, ?, ?, body ${from}`)
    .run(collection, JSON.stringify(key), reason, foundAtMs, ...key);
  database.prepare(`DELETE ${from}`).run(...key);
}

/** In the order in which they were found. */
export function listSetAside(database: DatabaseSync): SetAsideRow[] {
  const rows = database.prepare('SELECT collection, key, reason, found_at_ms, body FROM set_aside ORDER BY id').all();
  return rows.map(row => ({
    collection: row.collection as CollectionName,
    key: JSON.parse(row.key as string) as KeyPart[],
    reason: row.reason as string,
    foundAtMs: row.found_at_ms as number,
    body: row.body as string,
  }));
}

/** For a copy of a state, which takes along what was set aside. */
export function insertSetAside(database: DatabaseSync, rows: readonly SetAsideRow[]): void {
  const insert = database.prepare(
    'INSERT INTO set_aside (collection, key, reason, found_at_ms, body) VALUES (?, ?, ?, ?, ?)',
  );
  for (const { collection, key, reason, foundAtMs, body } of rows)
    insert.run(collection, JSON.stringify(key), reason, foundAtMs, body);
}
