import type { DatabaseSync } from 'node:sqlite';
import { layoutSql } from './layout.ts';

/** One step from a layout to the next. A step that was ever released is never changed: a later one follows it. */
export interface Migration {
  /** The layout it leads to; the list counts 1, 2, 3 … */
  readonly version: number;
  /** Runs inside a transaction that the runner holds. */
  apply(database: DatabaseSync): void;
}

/**
 * The layout: one table a collection with the fields of its key and indexes as columns, and the record as JSON. Tables
 * are stored in the order of their keys (WITHOUT ROWID), so that the members of a lobby lie side by side and every
 * index ends in the key.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    apply: database =>
      database.exec(`
        CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        ${layoutSql()}
      `),
  },
];
