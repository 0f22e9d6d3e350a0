import type { DatabaseSync } from 'node:sqlite';
import { systemEntropy } from '../../../wire/clock/ports.ts';
import { createVault, type Vault } from '../../support/vault.ts';
import { decodeRecord } from '../decode-record.ts';
import { StoreError } from '../errors.ts';
import { describeLayout, type LayoutState, migrate } from '../postgres/migrate.ts';
import { openPostgres, type Postgres } from '../postgres/postgres.ts';
import { openedRecord } from '../protected-keys.ts';
import {
  type BackupReport,
  backUp,
  createBackup,
  createDataFolder,
  readBackup,
  readDataFolder,
  restoreBackup,
  salvage,
} from '../sqlite/backup.ts';
import { fillPostgres, formerNode, readPostgres } from './postgres-rows.ts';
import { adapted, type Copied, copyRows, type Progress } from './rows.ts';
import { sqliteRows } from './sqlite-rows.ts';

export type { Copied, LayoutState, Progress };

/** Where a state is kept: a data folder, or a PostgreSQL database. */
export type Place = { readonly data: string } | { readonly store: string };

export interface UpkeepOptions {
  /** Those of the nodes (`RALLYPOINT_SECRET`), for a data folder of a database whose keys are encrypted. */
  readonly secrets: readonly string[];
  readonly progress: Progress;
}

/** What was done. */
export interface UpkeepReport extends Partial<Copied> {
  readonly from: string;
  readonly to: string;
  /** Of the file that was written. */
  readonly bytes?: number;
  readonly layout?: number;
  /** Collections of a damaged database of which something could not be read. */
  readonly lost?: readonly string[];
  readonly commits?: number;
}

/**
 * Copies a state into one file, while its service may be running. The file has the same form for both engines.
 *
 * @throws StoreError
 */
export async function backUpPlace(place: Place, file: string, { progress }: UpkeepOptions): Promise<UpkeepReport> {
  if ('data' in place) return withoutFile(place.data, await backUp(place.data, file));
  return withPostgres(place.store, async postgres => {
    await requireState(postgres);
    const read = (database: DatabaseSync) =>
      readPostgres(postgres, { mayRun: true }, source =>
        copyRows(adapted(source, { sessionNode: null, openKeys: false }), sqliteRows(database, file), progress),
      );
    const { copied, report } = await remember(read, fill => createBackup(file, fill));
    return { ...withoutFile(postgres.location, report), ...copied };
  });
}

/** Copies what can be read of a damaged data folder into one file. @throws StoreError */
export async function salvagePlace(folder: string, file: string): Promise<UpkeepReport> {
  return withoutFile(folder, await salvage(folder, file));
}

/**
 * Fills an empty place with the content of a backup.
 *
 * @throws StoreError; ArgumentError `wrong_secret`
 */
export async function restorePlace(file: string, place: Place, options: UpkeepOptions): Promise<UpkeepReport> {
  const { progress } = options;
  if ('store' in place) {
    return withPostgres(place.store, postgres =>
      readBackup(file, async database => ({
        ...{ from: file, to: postgres.location },
        ...(await intoPostgres(database, file, postgres, progress)),
      })),
    );
  }
  const openKeys = (database: DatabaseSync) => decryptKeys(database, () => openVault(options.secrets));
  return withoutFile(file, await restoreBackup(file, place.data, openKeys));
}

/**
 * Copies a state that no service is running on to an empty place, compares them, and leaves the source as it is.
 *
 * @throws StoreError; ArgumentError `wrong_secret`
 */
export async function movePlace(from: Place, to: Place, { secrets, progress }: UpkeepOptions): Promise<UpkeepReport> {
  if ('data' in from && 'store' in to) {
    return withPostgres(to.store, postgres =>
      readDataFolder(from.data, async database => ({
        ...{ from: from.data, to: postgres.location },
        ...(await intoPostgres(database, from.data, postgres, progress)),
      })),
    );
  }
  if (!('store' in from && 'data' in to))
    throw new StoreError('store_unusable', 'A state is moved from a data folder to PostgreSQL, or back.');
  const vault = openVault(secrets);
  return withPostgres(from.store, async postgres => {
    await requireState(postgres);
    const read = (database: DatabaseSync) =>
      readPostgres(postgres, { mayRun: false }, source =>
        copyRows(
          adapted(source, { sessionNode: null, openKeys: true, vault }),
          sqliteRows(database, to.data),
          progress,
        ),
      );
    const { copied, report } = await remember(read, fill => createDataFolder(to.data, fill));
    return { ...withoutFile(postgres.location, report), ...copied };
  });
}

/**
 * Brings a database to the newest layout.
 *
 * @param options `dryRun`: only says what would be done
 * @returns what it was before
 * @throws StoreError
 */
export function migrateStore(url: string, { dryRun }: { readonly dryRun: boolean }): Promise<LayoutState> {
  return withPostgres(url, async postgres => {
    const before = await describeLayout(postgres);
    if (!dryRun) await migrate(postgres);
    return before;
  });
}

function intoPostgres(
  database: DatabaseSync,
  location: string,
  postgres: Postgres,
  progress: Progress,
): Promise<Copied> {
  const source = adapted(sqliteRows(database, location), { sessionNode: formerNode, openKeys: false });
  return fillPostgres(postgres, target => copyRows(source, target, progress));
}

/** Runs `make` with a function that fills what it makes; gives what both answer. */
async function remember(
  read: (database: DatabaseSync) => Promise<Copied>,
  make: (fill: (database: DatabaseSync) => Promise<void>) => Promise<BackupReport>,
): Promise<{ readonly copied: Copied | undefined; readonly report: BackupReport }> {
  let copied: Copied | undefined;
  const report = await make(async database => {
    copied = await read(database);
  });
  return { copied, report };
}

async function withPostgres<T>(url: string, work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const postgres = await openPostgres(url, { connections: 1, commitConnections: 1, acceptsStandby: true });
  try {
    return await work(postgres);
  } finally {
    await postgres.close();
  }
}

async function requireState(postgres: Postgres): Promise<void> {
  const { found, pending, isUsable } = await describeLayout(postgres);
  if (found === 0) throw new StoreError('store_unusable', `${postgres.location} holds no state of a service.`);
  if (pending.length === 0 && isUsable) return;
  throw new StoreError(
    pending.length === 0 ? 'store_too_new' : 'store_unusable',
    `${postgres.location} has layout ${found}, which this version does not read. ` +
      (pending.length === 0 ? 'Use the newer version.' : 'Run "rallypoint migrate" first, or use the older version.'),
  );
}

/** Decrypts the keys in a copy of the database of a cluster; other databases stay as they are. @throws ArgumentError `wrong_secret` */
function decryptKeys(database: DatabaseSync, vault: () => Vault | undefined): void {
  const proof = database.prepare("SELECT body FROM settings WHERE name = 'secret'").get();
  if (!proof) return;
  const known = vault();
  for (const [name, key] of [
    ['applications', 'id'],
    ['settings', 'name'],
  ] as const) {
    const update = database.prepare(`UPDATE ${name} SET body = ? WHERE ${key} = ?`);
    const remove = database.prepare(`DELETE FROM ${name} WHERE ${key} = ?`);
    for (const row of database.prepare(`SELECT ${key} AS id, body FROM ${name}`).all()) {
      const record = decodeRecord(name, String(row.body));
      // One that cannot be decoded stays what it is; the service sets it aside.
      if (typeof record === 'string') continue;
      const opened = openedRecord(name, record, known);
      if (opened === undefined) remove.run(String(row.id));
      else if (opened !== record) update.run(JSON.stringify(opened), String(row.id));
    }
  }
}

function openVault([first, ...others]: readonly string[]): Vault | undefined {
  return first === undefined ? undefined : createVault([first, ...others], systemEntropy);
}

function withoutFile(from: string, { file, ...report }: BackupReport): UpkeepReport {
  return { from, to: file, ...report };
}
