import type { DatabaseSync } from 'node:sqlite';
import type { KeyPart } from '../contract.ts';
import { keyFields } from '../keys.ts';
import { columnsOf } from '../postgres/layout.ts';
import type { CollectionName } from '../records.ts';
import { insertSetAside, listSetAside } from '../sqlite/set-aside.ts';
import { type RecordRow, type RowTarget, rowsMax } from './rows.ts';

/** The rows of a database of the newest layout that is this process's alone. */
export function sqliteRows(database: DatabaseSync, location: string): RowTarget {
  return {
    location,
    readSetAside: async () => listSetAside(database),
    writeSetAside: async rows => insertSetAside(database, rows),
    async *read(name) {
      const columns = columnsOf(name);
      const text = `SELECT ${[...columns, 'body'].join(', ')} FROM ${name} ORDER BY ${keyFields(name).join(', ')}`;
      let rows: RecordRow[] = [];
      for (const row of database.prepare(text).iterate()) {
        rows.push({ columns: columns.map(field => row[field] as KeyPart | null), body: String(row.body) });
        if (rows.length < rowsMax) continue;
        yield rows;
        rows = [];
      }
      if (rows.length > 0) yield rows;
    },
    async write(name, rows) {
      database.exec('BEGIN');
      const insert = database.prepare(insertSql(name));
      for (const { columns, body } of rows) insert.run(...columns, body);
      database.exec('COMMIT');
    },
  };
}

function insertSql(name: CollectionName): string {
  const columns = [...columnsOf(name), 'body'];
  return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}
