import { storeLimits } from '../../support/service-limits.ts';
import type { KeyPart } from '../contract.ts';
import { StoreError } from '../errors.ts';
import { collectionNames, keyFields } from '../keys.ts';
import { countAliveNodes } from '../postgres/alive-nodes.ts';
import { wholeStoreLock } from '../postgres/commit-sql.ts';
import { ConnectionLost, failedError } from '../postgres/failure.ts';
import { columnsOf } from '../postgres/layout.ts';
import { migrate } from '../postgres/migrate.ts';
import type { Postgres, Session } from '../postgres/postgres.ts';
import { insertSetAside, listSetAside } from '../postgres/set-aside.ts';
import { insertRows } from '../postgres/whole-content.ts';
import { type RowSource, type RowTarget, rowsMax } from './rows.ts';

/** The node that sessions of another store are listed under; it has departed long ago. */
export const formerNode = 'moved';

/**
 * Reads everything at one instant, while nodes may be running: they do not wait, and what they write meanwhile is not seen.
 *
 * @param options `mayRun`: whether nodes may be running
 * @throws StoreError `store_in_use`: nodes are running
 */
export async function readPostgres<T>(
  postgres: Postgres,
  { mayRun }: { readonly mayRun: boolean },
  work: (source: RowSource) => Promise<T>,
): Promise<T> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const read = async (session: Session) => {
    if (!mayRun) await rejectRunning(postgres, session);
    const result = await work({
      location: postgres.location,
      read: name => readRows(session, name),
      readSetAside: () => listSetAside(session),
    });
    // On a connection of its own, because this one sees what was there at the beginning.
    if (!mayRun) await rejectRunning(postgres, postgres);
    return result;
  };
  return inSession(postgres, begin, read);
}

/**
 * Fills an empty database in one transaction: it holds everything afterwards, or nothing.
 *
 * @throws StoreError `store_in_use`: nodes are running; `store_unusable`: it is not empty
 */
export async function fillPostgres<T>(postgres: Postgres, work: (target: RowTarget) => Promise<T>): Promise<T> {
  await migrate(postgres);
  return inSession(postgres, 'BEGIN', async session => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [wholeStoreLock]);
    await rejectRunning(postgres, session);
    await rejectContent(postgres, session);
    await session.query(
      `INSERT INTO rallypoint.nodes (id, worker, started_at, seen_at, departed_at, position)
       SELECT $1, min(worker), now(), now(), now() - interval '1 day', 0
       FROM generate_series(0, 1023) AS worker WHERE worker NOT IN (SELECT n.worker FROM rallypoint.nodes AS n)
       ON CONFLICT (id) DO NOTHING`,
      [formerNode],
    );
    return work({
      location: postgres.location,
      read: name => readRows(session, name),
      readSetAside: () => listSetAside(session),
      writeSetAside: rows => insertSetAside(session, rows),
      write: (name, rows) => insertRows(session, name, rows),
    });
  });
}

async function inSession<T>(postgres: Postgres, begin: string, work: (session: Session) => Promise<T>): Promise<T> {
  let isDone = false;
  const andNote = async (session: Session) => {
    const result = await work(session);
    isDone = true;
    return result;
  };
  try {
    return await postgres.session(begin, andNote, storeLimits.wholeStoreMs, { each: true });
  } catch (error) {
    if (!(error instanceof ConnectionLost && isDone)) throw failedError(postgres.location, error);
    const message = `The connection to ${postgres.location} was lost while everything was being committed. Try again: if it was committed, the database is no longer empty.`;
    throw new StoreError('store_unavailable', message, { cause: error });
  }
}

async function* readRows(session: Session, name: Parameters<RowSource['read']>[0]): ReturnType<RowTarget['read']> {
  const columns = columnsOf(name);
  const cursor = `rows_of_${name}`;
  await session.query(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR
     SELECT ${[...columns, 'body'].join(', ')} FROM rallypoint.${name} ORDER BY ${keyFields(name).join(', ')}`,
  );
  try {
    for (;;) {
      const rows = await session.query(`FETCH ${rowsMax} FROM ${cursor}`);
      if (rows.length === 0) break;
      yield rows.map(row => ({
        columns: columns.map(field => row[field] as KeyPart | null),
        body: String(row.body),
      }));
    }
  } finally {
    // After a failure there is nothing to close.
    await session.query(`CLOSE ${cursor}`).catch(() => {});
  }
}

async function rejectRunning(postgres: Postgres, session: Parameters<typeof countAliveNodes>[0]): Promise<void> {
  const count = await countAliveNodes(session);
  if (count === 0) return;
  const nodes = count === 1 ? '1 node is' : `${count} nodes are`;
  throw new StoreError(
    'store_in_use',
    `${nodes} running on ${postgres.location}. Stop all nodes first; one that was killed counts as running for 5 seconds.`,
  );
}

async function rejectContent(postgres: Postgres, session: Session): Promise<void> {
  for (const name of collectionNames) {
    const [row] = await session.query(`SELECT EXISTS (SELECT FROM rallypoint.${name}) AS has_some`);
    if (!row?.has_some) continue;
    throw new StoreError(
      'store_unusable',
      `${postgres.location} is not empty: it has ${name}. Give an empty database, or drop the schema "rallypoint" of this one.`,
    );
  }
}
