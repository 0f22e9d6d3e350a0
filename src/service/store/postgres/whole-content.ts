import { randomUUID } from 'node:crypto';
import { storeLimits } from '../../support/service-limits.ts';
import type { KeyPart, StoreContent } from '../contract.ts';
import { decodeRecord } from '../decode-record.ts';
import { collectionNames, isNumeric, keyFields } from '../keys.ts';
import type { Change, Overlay } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import { textArray } from './arrays.ts';
import { wholeStoreLock } from './commit-sql.ts';
import { ConnectionLost, failedError } from './failure.ts';
import { columnsOf, columnValue } from './layout.ts';
import type { Postgres, Session } from './postgres.ts';

/** Rows of one statement, so that each takes little of its time. */
const rowsMax = 1000;
const deletedMax = 20_000;
/** Statements that insert rows and are under way together, so that what is encoded stays little. */
const insertsMax = 16;

/** Everything at one instant. @throws StoreError */
export async function dumpContent(postgres: Postgres): Promise<StoreContent> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  try {
    return await postgres.session(begin, dumpWithin, storeLimits.wholeStatementMs, { each: true });
  } catch (error) {
    throw failedError(postgres.location, error);
  }
}

/** The first rows of all collections travel together, so that many collections take little time also where the server is far away. */
async function dumpWithin(session: Session): Promise<StoreContent> {
  const dumps = collectionNames.map(async name => [name, await dumpRows(session, name)] as const);
  return Object.fromEntries(await Promise.all(dumps)) as unknown as StoreContent;
}

async function dumpRows(session: Session, name: CollectionName): Promise<readonly object[]> {
  const records: object[] = [];
  const select = `SELECT body FROM rallypoint.${name} ORDER BY ${keyFields(name).join(', ')}`;
  const fetch = () => session.query(`FETCH ${rowsMax} FROM all_of_${name}`);
  const declared = session.query(`DECLARE all_of_${name} NO SCROLL CURSOR FOR ${select}`);
  for (let [, rows] = await Promise.all([declared, fetch()]); ; rows = await fetch()) {
    for (const { body } of rows) {
      const record = decodeRecord(name, body as string);
      if (typeof record === 'object') records.push(record);
    }
    if (rows.length < rowsMax) return records;
  }
}

/**
 * Replaces everything, in one transaction that holds the lock of the whole store: commits of all nodes wait meanwhile, reads find
 * what was there before. Every scope gets a new revision.
 *
 * @param waitedMs how long the caller has waited for its turn
 * @throws StoreError; then nothing was replaced
 */
export async function loadContent(postgres: Postgres, records: Overlay, waitedMs: number): Promise<void> {
  const id = randomUUID();
  try {
    const load = (session: Session) => loadWithin(session, records, id);
    await postgres.session('BEGIN', load, storeLimits.wholeStatementMs, { each: true, waitedMs });
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw failedError(postgres.location, error);
    // The connection may have broken after the commit.
    const [row] = await postgres.query('SELECT rallypoint.resolve_batch($1) AS failed_units', [id]);
    if (row?.failed_units === null) throw failedError(postgres.location, error);
  }
}

async function loadWithin(session: Session, records: Overlay, id: string): Promise<void> {
  await Promise.all([
    session.query('SELECT pg_advisory_xact_lock($1)', [wholeStoreLock]),
    session.query(`INSERT INTO rallypoint.commits VALUES ($1, '{}', clock_timestamp())`, [id]),
    session.query(`
      UPDATE rallypoint.scopes SET revision = 1 + (SELECT max(revision) FROM rallypoint.scopes) WHERE name = ''`),
    session.query(`DELETE FROM rallypoint.scopes WHERE name <> ''`),
    ...collectionNames.map(name => deleteRows(session, name)),
  ]);
  let sent: Promise<void>[] = [];
  for (const [name, changes] of records.changes()) {
    const rows = [...changes.all()];
    for (let at = 0; at < rows.length; at += rowsMax) {
      sent.push(insertRows(session, name, rows.slice(at, at + rowsMax).map(rowOf(name))));
      if (sent.length < insertsMax) continue;
      await Promise.all(sent);
      sent = [];
    }
  }
  await Promise.all(sent);
}

async function deleteRows(session: Session, name: CollectionName): Promise<void> {
  const text = `WITH gone AS (
      DELETE FROM rallypoint.${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM rallypoint.${name} LIMIT ${deletedMax})) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`;
  for (;;) {
    const [row] = await session.query(text);
    if (Number(row?.gone) < deletedMax) return;
  }
}

/** A record as it is stored: its columns, in the order of {@link columnsOf}, and its text. */
export interface RecordRow {
  readonly columns: readonly (KeyPart | null)[];
  readonly body: string;
}

function rowOf(name: CollectionName): (change: Change) => RecordRow {
  const columns = columnsOf(name);
  return ({ kept }) => ({
    columns: columns.map(field => columnValue(kept?.record ?? {}, field)),
    body: kept?.body ?? '',
  });
}

/** Inserts rows that are not there yet, by one statement. */
export async function insertRows(session: Session, name: CollectionName, rows: readonly RecordRow[]): Promise<void> {
  const columns = columnsOf(name);
  const arrays = columns.map((field, at) => `$${at + 1}::${isNumeric(field) ? 'bigint' : 'text'}[]`);
  const values = columns.map((_, at) => textArray(rows.map(row => row.columns[at] ?? null)));
  const text = `INSERT INTO rallypoint.${name} (${columns.join(', ')}, body)
    SELECT * FROM unnest(${arrays.join(', ')}, $${columns.length + 1}::text[])`;
  await session.query(text, [...values, textArray(rows.map(({ body }) => body))]);
}
