import type { DatabaseSync } from 'node:sqlite';

/**
 * Numbers that are kept beside the records: `commits` counts every commit that changed something, `revision` is the last
 * commit number that was reserved.
 */
export type Counter = 'commits' | 'revision';

const writeSql = 'INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/** @returns 0 for one that was never written, also where a database has no counters yet */
export function readCounter(database: DatabaseSync, name: Counter): number {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'counters'").get();
  return table ? Number(database.prepare('SELECT value FROM counters WHERE name = ?').get(name)?.value ?? 0) : 0;
}

/** Writes counters within a transaction of the caller's. */
export function counterWriter(database: DatabaseSync): (name: Counter, value: number) => void {
  const statement = database.prepare(writeSql);
  return (name, value) => void statement.run(name, value);
}
