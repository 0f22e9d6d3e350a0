import { storeLimits } from '../../support/service-limits.ts';
import type { Postgres } from './postgres.ts';

export interface CleaningBounds {
  readonly eventsMs?: number;
  /** Payloads of all events together. */
  readonly eventsBytesMax?: number;
  /** Outcomes of batches; longer than any call may last. */
  readonly commitsMs?: number;
  readonly scopesMs?: number;
}

/** Rows of one statement: it is done in milliseconds. */
const rowsMax = 2000;
/** Scopes of one statement: it takes a lock for each, of which the server has a bounded number. */
const scopesMax = 200;
/** Statements of one call, for each of the three. */
const piecesMax = 25;

/**
 * The newest event that is too much. Its sum is only made when the table is large enough on disk that it can exceed the bound, which
 * is rare.
 */
const tooMuchSql = `
  SELECT CASE WHEN pg_table_size('rallypoint.events') < $1::bigint / 4 THEN 0 ELSE (
    SELECT coalesce(max(position), 0) FROM (
      SELECT position, sum(bytes) OVER (ORDER BY position DESC, number DESC) AS bytes FROM rallypoint.events
    ) AS summed WHERE bytes > $1::bigint
  ) END::bigint AS position`;

/** Whole positions, of which every transaction has ended; a reader sees them all gone, and that they are, at one instant. */
const eventsSql = `
  WITH next AS (
    SELECT position, at FROM rallypoint.events
    WHERE position < pg_snapshot_xmin(pg_current_snapshot())::text::bigint ORDER BY position, number LIMIT ${rowsMax}
  ), last AS (
    SELECT max(position) AS position FROM next WHERE at < now() - $1::float8 * interval '1 ms' OR position <= $2::bigint
  ), gone AS (
    DELETE FROM rallypoint.events WHERE position <= (SELECT position FROM last) RETURNING 1
  ), marked AS (
    UPDATE rallypoint.events_deleted SET up_to = last.position FROM last WHERE last.position > up_to
  )
  SELECT count(*)::int AS deleted FROM gone`;

const commitsSql = `
  WITH gone AS (
    DELETE FROM rallypoint.commits WHERE id IN (
      SELECT id FROM rallypoint.commits WHERE at < now() - $1::float8 * interval '1 ms' ORDER BY at LIMIT ${rowsMax}
    ) RETURNING 1
  )
  SELECT count(*)::int AS deleted FROM gone`;

const scopesSql = `
  SELECT rallypoint.clean_scopes($1, ${scopesMax}, $2::float8 * interval '1 ms') AS last`;

/**
 * Makes the function that deletes what is not needed any more: old events, outcomes of batches and scopes without a commit for
 * long. One call deletes a bounded number of rows in short statements. Several nodes may call it at the same time.
 *
 * @returns a function that rejects with what `Postgres.query` throws
 */
export function storeCleaner(postgres: Postgres, bounds: CleaningBounds = {}): () => Promise<void> {
  const { eventsMs, eventsBytesMax, commitsMs, scopesMs } = { ...storeLimits.kept, ...bounds };
  let lastScope = '';

  const untilDone = async (text: string, values: readonly unknown[]) => {
    for (let piece = 0; piece < piecesMax; piece++) {
      const [row] = await postgres.query(text, values);
      if (row?.deleted === 0) return;
    }
  };
  return async () => {
    const [tooMuch] = await postgres.query(tooMuchSql, [eventsBytesMax]);
    await untilDone(eventsSql, [eventsMs, tooMuch?.position]);
    await untilDone(commitsSql, [commitsMs]);
    for (let piece = 0; piece < piecesMax; piece++) {
      const [row] = await postgres.query(scopesSql, [lastScope, scopesMs]);
      lastScope = (row?.last as string | null) ?? '';
      if (lastScope === '') return;
    }
  };
}
