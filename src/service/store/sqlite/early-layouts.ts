import { DatabaseSync } from 'node:sqlite';
import { migrations } from './migrations.ts';

/**
 * Steps up to this one were changed after some builds had applied them: a database of such a build has tables and indexes that
 * differ from those of its layout. A test pins all steps since.
 */
const lastChangedStep = 9;
const prefix = 'early_';

/**
 * Gives every table and index the form that today's steps give it, so that the steps after `found` can follow. To be called within
 * the transaction of a migration; {@link fillFromEarlyTables} completes it after the last step.
 *
 * @param found the layout that the database says it has
 * @returns the tables that differed
 */
export function correctEarlyLayout(database: DatabaseSync, found: number): string[] {
  if (found === 0 || found > lastChangedStep) return [];
  const actual = statementsOf(database);
  const expected = expectedStatements(found);
  const differing = [...expectedStatements(lastChangedStep).keys()].filter(
    table => actual.get(table)?.join() !== expected.get(table)?.join(),
  );
  for (const table of differing) {
    if (actual.has(table)) setTableAside(database, table);
    for (const sql of expected.get(table) ?? []) database.exec(sql);
  }
  fillFromEarlyTables(database);
  return differing;
}

/** Moves the rows of tables that were set aside to the tables that replace them, where there are such already. */
export function fillFromEarlyTables(database: DatabaseSync): void {
  for (const early of statementsOf(database).keys()) {
    const table = early.slice(prefix.length);
    const columns = columnsOf(database, table);
    if (!early.startsWith(prefix) || columns.length === 0) continue;
    // Every column of a collection's table is a field of its records.
    const known = new Set(columnsOf(database, early));
    const values = columns.map(column =>
      known.has(column) ? column : `CASE WHEN json_valid(body) THEN json_extract(body, '$.${column}') END`,
    );
    database.exec(`
      INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${early};
      DROP TABLE ${early};
    `);
  }
}

function setTableAside(database: DatabaseSync, table: string): void {
  const indexes = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(table);
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  database.exec(`ALTER TABLE ${table} RENAME TO ${prefix}${table}`);
}

function expectedStatements(layout: number): Map<string, string[]> {
  const database = new DatabaseSync(':memory:');
  for (const { sql } of migrations.slice(0, layout)) database.exec(sql);
  const statements = statementsOf(database);
  database.close();
  return statements;
}

/** What makes each table and then its indexes, however it was wrapped into lines. */
function statementsOf(database: DatabaseSync): Map<string, string[]> {
  const statements = new Map<string, string[]>();
  const rows = database
    .prepare('SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name')
    .all();
  for (const { tbl_name, sql } of rows) {
    const table = String(tbl_name);
    statements.set(table, [...(statements.get(table) ?? []), String(sql).replace(/\s+/g, ' ')]);
  }
  return statements;
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}
