import { type Logger, silentLogger } from '../../../wire/clock/ports.ts';
import { storeLimits } from '../../support/service-limits.ts';
import { StoreError } from '../errors.ts';
import { failedError, reasonOf, sqlState } from './failure.ts';
import { migrations as all, type Migration } from './layout.ts';
import type { Postgres, Session } from './postgres.ts';

/** Whoever holds this advisory lock migrates; any number that no other lock of ours has. */
const migrationLock = 0x52_41_4c_59;

/**
 * Brings the database to the newest layout, in one transaction. Of several nodes that start together one does it while the others
 * wait. A database that has the newest layout is only read.
 *
 * @throws StoreError `store_too_new`, `store_unusable`, `store_unavailable`; then nothing was changed
 */
export async function migrate(
  postgres: Postgres,
  { log = silentLogger, migrations = all }: { readonly log?: Logger; readonly migrations?: readonly Migration[] } = {},
): Promise<void> {
  const { location } = postgres;
  const query = (text: string) => postgres.query(text);
  if (isNewest(await layoutOf({ query }), migrations, location)) return;
  try {
    await postgres.session('BEGIN', session => apply(session, migrations, location, log), storeLimits.wholeStoreMs);
  } catch (cause) {
    if (sqlState(cause) === undefined) throw failedError(location, cause);
    const message = `${location} could not be migrated and was left as it was: ${reasonOf(cause)}. The user must own the database.`;
    throw new StoreError('store_unusable', message, { cause });
  }
}

async function apply(session: Session, migrations: readonly Migration[], location: string, log: Logger): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const found = await layoutOf(session);
  if (isNewest(found, migrations, location)) return;
  if (found === 0)
    await session.query('CREATE SCHEMA rallypoint; CREATE TABLE rallypoint.layout (version int PRIMARY KEY)');
  else log.warn({ from: found, to: migrations.length }, 'The database is being migrated to a new layout.');
  for (const { version, sql } of migrations.slice(found)) {
    await session.query(sql);
    await session.query('INSERT INTO rallypoint.layout VALUES ($1)', [version]);
  }
}

/** The version of the layout; 0 for a database without one. */
async function layoutOf(session: Pick<Session, 'query'>): Promise<number> {
  const [found] = await session.query(`SELECT to_regclass('rallypoint.layout') IS NOT NULL AS is_there`);
  if (!found?.is_there) return 0;
  const [newest] = await session.query('SELECT max(version) AS version FROM rallypoint.layout');
  return Number(newest?.version ?? 0);
}

function isNewest(found: number, migrations: readonly Migration[], location: string): boolean {
  if (found <= migrations.length) return found === migrations.length;
  throw new StoreError(
    'store_too_new',
    `${location} has layout ${found}, written by a newer version of Rallypoint; this version knows layouts up to ` +
      `${migrations.length}. Start the newer version.`,
  );
}
