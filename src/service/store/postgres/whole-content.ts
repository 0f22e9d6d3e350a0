import { randomUUID } from 'node:crypto';
import { storeLimits } from '../../support/service-limits.ts';
import type { KeyPart, TakePiece } from '../contract.ts';
import { decodeRecord } from '../decode-record.ts';
import { collectionNames, isNumeric, keyFields } from '../keys.ts';
import type { Change, Overlay } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import { textArray } from './arrays.ts';
import { wholeStoreLock } from './commit-sql.ts';
import { ConnectionLost, failedError, sqlState } from './failure.ts';
import { columnsOf, columnValue } from './layout.ts';
import type { Postgres, Session } from './postgres.ts';
import type { Row } from './statement.ts';

/** Rows of one statement, so that each takes little of its time. */
const rowsMax = 1000;
/** JSON of one piece that is read, in UTF-16 units; records may be larger than those before them. */
const pieceSize = 512 * 1024;
const deletedMax = 20_000;
/** Statements that insert rows and are under way together, so that what is encoded stays little. */
const insertsMax = 16;

/** Passes on everything at one instant. @throws StoreError; what `take` throws */
export async function readContent(postgres: Postgres, take: TakePiece): Promise<void> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  try {
    await postgres.session(begin, session => readWithin(session, take), storeLimits.wholeStatementMs, { each: true });
  } catch (error) {
    if (error instanceof ConnectionLost || sqlState(error) !== undefined) throw failedError(postgres.location, error);
    throw error;
  }
}

/** The first rows of all collections travel together, so that many collections take little time also where the server is far away. */
async function readWithin(session: Session, take: TakePiece): Promise<void> {
  const begun = collectionNames.map(async name => {
    const select = `SELECT body FROM rallypoint.${name} ORDER BY ${keyFields(name).join(', ')}`;
    const declared = session.query(`DECLARE all_of_${name} NO SCROLL CURSOR FOR ${select}`);
    const [, rows] = await Promise.all([declared, fetch(session, name, firstRows)]);
    return rows;
  });
  // `take` may have to wait for a reader.
  const patience = `SET LOCAL idle_in_transaction_session_timeout = ${storeLimits.wholeStoreMs}`;
  const [first] = await Promise.all([Promise.all(begun), session.query(patience)]);
  for (const [at, name] of collectionNames.entries()) {
    let rows = first[at] ?? [];
    for (let count = firstRows; ; rows = await fetch(session, name, count)) {
      const records: object[] = [];
      let size = 0;
      for (const { body } of rows) {
        size += String(body).length;
        const record = decodeRecord(name, body as string);
        if (typeof record === 'object') records.push(record);
      }
      await take(name, records);
      if (rows.length < count) break;
      count = Math.max(1, Math.min(rowsMax, Math.floor((count * pieceSize) / Math.max(size, 1))));
    }
  }
}

function fetch(session: Session, name: CollectionName, rows: number): Promise<readonly Row[]> {
  return session.query(`FETCH ${rows} FROM all_of_${name}`);
}

/** Of a collection whose records are of unknown size. */
const firstRows = 20;

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
