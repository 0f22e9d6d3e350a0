import { type Logger, silentLogger } from '../../../wire/clock/ports.ts';
import { storeLimits } from '../../support/service-limits.ts';
import { StoreError } from '../errors.ts';
import { collectionNames } from '../keys.ts';
import { countAliveNodes } from './alive-nodes.ts';
import { textArray } from './arrays.ts';
import { failedError, reasonOf, remedyOf, sqlState } from './failure.ts';
import { migrations as all, type Migration } from './layout.ts';
import type { Postgres, Session } from './postgres.ts';

/** The holder of this advisory lock migrates; any number that no other lock of ours has. */
const migrationLock = 0x52_41_4c_59;

interface MigrateOptions {
  readonly log?: Logger;
  readonly migrations?: readonly Migration[];
}

/** The layout of a database, compared with what this version knows. */
export interface LayoutState {
  readonly location: string;
  /** 0 for a database without one. */
  readonly found: number;
  readonly newest: number;
  /** Layouts that a migration would bring, in order. */
  readonly pending: readonly number[];
  /** Whether nodes of this version can work with it, after the migration if one is pending. */
  readonly isUsable: boolean;
}

const insufficientPrivilege = '42501';

/**
 * Brings the database to the newest layout, in one transaction. Of several nodes that start together one does it while the others
 * wait. A database that has the newest layout is only read, and so is one that is a single compatible step ahead of this version.
 *
 * @throws StoreError `store_too_new`, `store_in_use`, `store_unusable`, `store_unavailable`; then nothing was changed
 */
export async function migrate(
  postgres: Postgres,
  { log = silentLogger, migrations = all }: MigrateOptions = {},
): Promise<void> {
  const { location } = postgres;
  const query = (text: string) => postgres.query(text);
  if (!isCurrent(await layoutOf({ query }), migrations, location)) {
    try {
      await postgres.session('BEGIN', session => apply(session, migrations, location, log), storeLimits.wholeStoreMs);
    } catch (cause) {
      if (sqlState(cause) === undefined) throw failedError(location, cause);
      const remedy = sqlState(cause) === insufficientPrivilege ? ' The user must own the database.' : remedyOf(cause);
      const message = `${location} could not be migrated and was left as it was: ${reasonOf(cause)}.${remedy}`;
      throw new StoreError('store_unusable', message, { cause });
    }
  }
  const missing = await missingParts(postgres);
  if (missing.length === 0) return;
  throw new StoreError(
    'store_unusable',
    `${location} is damaged: it lacks ${missing.join(', ')}. ${remedyForMissing(missing)}.`,
  );
}

/** What a database of the newest layout lacks, in words: its tables, its functions, and the rows that are always there. */
export async function missingParts(postgres: Postgres): Promise<readonly string[]> {
  const parts = await postgres.query(
    `SELECT 'the table rallypoint.' || t AS part FROM unnest($1::text[]) AS t WHERE to_regclass('rallypoint.' || t) IS NULL
     UNION ALL
     SELECT 'the function rallypoint.' || f FROM unnest($2::text[]) AS f WHERE to_regproc('rallypoint.' || f) IS NULL`,
    [textArray(tables), textArray(functions)],
  );
  if (parts.length > 0) return parts.map(({ part }) => String(part));
  const [rows] = await postgres.query(
    `SELECT EXISTS (SELECT FROM rallypoint.scopes WHERE name = '') AS has_scope,
       EXISTS (SELECT FROM rallypoint.events_deleted) AS has_events_deleted`,
  );
  return [
    ...(rows?.has_scope === true ? [] : ["the row '' of rallypoint.scopes"]),
    ...(rows?.has_events_deleted === true ? [] : ['the row of rallypoint.events_deleted']),
  ];
}

const tables = [
  ...collectionNames,
  ...['set_aside', 'scopes', 'commits', 'events', 'events_deleted', 'nodes', 'connections', 'files'],
];
const functions = ['commit_batch', 'resolve_batch', 'clean_scopes', 'change_presence'];

/** The rows can be written again by a statement; what a table has held is in a backup alone. */
export function remedyForMissing(missing: readonly string[]): string {
  return missing.every(part => part.startsWith('the row'))
    ? 'Stop all nodes, and write the rows again as docs/operations.md says'
    : 'Stop all nodes, drop the schema "rallypoint" and restore a backup: rallypoint restore FILE --store URL';
}

/** Reads the layout and changes nothing. @throws StoreError */
export async function describeLayout(postgres: Postgres, migrations: readonly Migration[] = all): Promise<LayoutState> {
  const layout = await layoutOf({ query: text => postgres.query(text) });
  return {
    location: postgres.location,
    found: layout.version,
    newest: migrations.length,
    pending: migrations.slice(layout.version).map(({ version }) => version),
    isUsable: isKnown(layout, migrations),
  };
}

async function apply(session: Session, migrations: readonly Migration[], location: string, log: Logger): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const found = await layoutOf(session);
  if (isCurrent(found, migrations, location)) return;
  const pending = migrations.slice(found.version);
  if (found.version === 0) {
    await session.query('CREATE SCHEMA rallypoint');
    await session.query('CREATE TABLE rallypoint.layout (version int PRIMARY KEY, is_compatible boolean NOT NULL)');
  } else {
    await rejectOlderNodes(session, pending, location);
    log.warn({ from: found.version, to: migrations.length }, 'The database is being migrated to a new layout.');
  }
  for (const { version, sql, isCompatible = false } of pending) {
    await session.query(sql);
    await session.query('INSERT INTO rallypoint.layout VALUES ($1, $2)', [version, isCompatible]);
  }
}

/** Running nodes work with a layout that is one compatible step ahead of theirs, and with no other. */
async function rejectOlderNodes(session: Session, pending: readonly Migration[], location: string): Promise<void> {
  const [first, ...others] = pending;
  if (first?.isCompatible && others.length === 0) return;
  const count = await countAliveNodes(session);
  if (count === 0) return;
  throw new StoreError(
    'store_in_use',
    `${location} must be migrated to layout ${pending.at(-1)?.version}, with which the nodes that are running on it (${count}) cannot work. ` +
      'Stop them first, or update them to the version in between.',
  );
}

interface Layout {
  /** 0 for a database without one. */
  readonly version: number;
  readonly isCompatible: boolean;
}

async function layoutOf(session: Pick<Session, 'query'>): Promise<Layout> {
  const [found] = await session.query(`SELECT to_regclass('rallypoint.layout') IS NOT NULL AS is_there`);
  const [newest] = found?.is_there
    ? await session.query('SELECT to_jsonb(l) AS layout FROM rallypoint.layout AS l ORDER BY version DESC LIMIT 1')
    : [];
  // As a document, because a newer version may have other columns.
  const { version = 0, is_compatible = false } = (newest?.layout ?? {}) as {
    version?: number;
    is_compatible?: boolean;
  };
  return { version, isCompatible: is_compatible };
}

function isKnown({ version, isCompatible }: Layout, migrations: readonly Migration[]): boolean {
  return version <= migrations.length || (isCompatible && version === migrations.length + 1);
}

/** @throws StoreError `store_too_new` */
function isCurrent(found: Layout, migrations: readonly Migration[], location: string): boolean {
  if (isKnown(found, migrations)) return found.version >= migrations.length;
  throw new StoreError(
    'store_too_new',
    `${location} has layout ${found.version}, written by a newer version of Rallypoint; this version knows layouts up to ` +
      `${migrations.length}. Start the newer version.`,
  );
}
