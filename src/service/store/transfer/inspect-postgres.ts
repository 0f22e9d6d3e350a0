import { systemEntropy } from '../../../wire/clock/ports.ts';
import { createVault, type Vault } from '../../support/vault.ts';
import { decodeRecord } from '../decode-record.ts';
import { collectionNames, keyFields } from '../keys.ts';
import { countAliveNodes } from '../postgres/alive-nodes.ts';
import { columnsOf } from '../postgres/layout.ts';
import { describeLayout, type LayoutState, missingParts, remedyForMissing } from '../postgres/migrate.ts';
import { openPostgres, type Postgres } from '../postgres/postgres.ts';
import { listSetAside } from '../postgres/set-aside.ts';
import { openedRecord } from '../protected-keys.ts';
import type { CollectionName } from '../records.ts';
import {
  type BadRecord,
  hasReadableKey,
  keysFinding,
  recordsFinding,
  type StoreFinding,
  setAsideFinding,
  wrongColumn,
} from '../sqlite/inspect.ts';
import { readPostgres } from './postgres-rows.ts';
import type { RecordRow } from './rows.ts';

/** Looks through a database, also one that nodes are running on. @param secrets those of the nodes */
export async function inspectPostgres(url: string, secrets: readonly string[]): Promise<readonly StoreFinding[]> {
  let postgres: Postgres | undefined;
  try {
    postgres = await openPostgres(url, { connections: 1, commitConnections: 1, acceptsStandby: true });
    const layout = await describeLayout(postgres);
    const isNewest = layout.found > 0 && layout.isUsable && layout.pending.length === 0;
    const missing = isNewest ? await missingParts(postgres) : [];
    const found = layoutFinding(layout, missing);
    const head: StoreFinding[] = [{ code: 'database', ok: true, message: `${postgres.location} answers.` }, found];
    if (!found.ok || layout.pending.length > 0) return head;
    const { records, keys } = await lookThrough(postgres, openVault(secrets));
    return [
      ...[...head, await nodesFinding(postgres), recordsFinding(records)],
      setAsideFinding(await listSetAside(postgres)),
      keysFinding(keys, keysRemedy(keys)),
    ];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const remedy = 'Check the address and whether the server is running';
    return [{ code: 'database', ok: false, message, remedy }];
  } finally {
    await postgres?.close();
  }
}

function layoutFinding({ found, newest, pending, isUsable }: LayoutState, missing: readonly string[]): StoreFinding {
  const code = 'layout';
  if (!isUsable) {
    const message = `Layout ${found}; this version knows layouts up to ${newest}.`;
    return { code, ok: false, message, remedy: 'Use the newer version' };
  }
  if (found === 0) {
    return {
      code,
      ok: false,
      message: 'The database holds nothing.',
      remedy: 'Run "rallypoint migrate" or start a node',
    };
  }
  if (missing.length > 0) {
    const message = `Layout ${found} without ${missing.join(', ')}.`;
    return { code, ok: false, message, remedy: remedyForMissing(missing) };
  }
  const old = pending.length > 0 ? `; the next start of a node brings it to ${newest}` : '';
  return { code, ok: true, message: `Layout ${found}${old}.` };
}

async function nodesFinding(postgres: Postgres): Promise<StoreFinding> {
  const count = await countAliveNodes(postgres);
  return { code: 'nodes', ok: true, message: `${count} ${count === 1 ? 'node is' : 'nodes are'} running.` };
}

/** Reads every record once. */
async function lookThrough(postgres: Postgres, vault: Vault | undefined) {
  const records: BadRecord[] = [];
  const keys: BadRecord[] = [];
  await readPostgres(postgres, { mayRun: true }, async source => {
    for (const name of collectionNames) {
      for await (const rows of source.read(name)) {
        for (const row of rows) look(name, row, { vault, records, keys });
      }
    }
  });
  return { records, keys };
}

interface Found {
  readonly vault: Vault | undefined;
  readonly records: BadRecord[];
  readonly keys: BadRecord[];
}

function look(collection: CollectionName, { columns, body }: RecordRow, { vault, records, keys }: Found): void {
  const row = Object.fromEntries(columnsOf(collection).map((field, at) => [field, columns[at] ?? null]));
  const key = keyFields(collection).map((_, at) => columns[at] ?? '');
  const about = { collection, id: key.join('/') };
  const record = decodeRecord(collection, body, key);
  const reason = typeof record === 'string' ? record : wrongColumn(collection, row, record);
  if (reason !== undefined) records.push({ ...about, reason });
  else if (collection === 'applications' || collection === 'settings') {
    const problem = keyProblem(collection, record as object, vault);
    if (problem !== undefined) keys.push({ ...about, reason: problem });
  }
}

function keyProblem(
  collection: 'applications' | 'settings',
  record: object,
  vault: Vault | undefined,
): string | undefined {
  try {
    const opened = openedRecord(collection, record, vault);
    return !opened || hasReadableKey(collection, opened) ? undefined : 'its key cannot be read';
  } catch {
    return otherSecret;
  }
}

const otherSecret = 'it is encrypted by a secret that RALLYPOINT_SECRET does not have';

function keysRemedy(keys: readonly BadRecord[]): string {
  return keys.some(({ reason }) => reason === otherSecret)
    ? 'Set RALLYPOINT_SECRET as on the nodes. Where it is being replaced, restart all nodes with "new,old" first'
    : 'Stop all nodes, drop the schema "rallypoint" and restore a backup: rallypoint restore FILE --store URL';
}

function openVault([first, ...others]: readonly string[]): Vault | undefined {
  return first === undefined ? undefined : createVault([first, ...others], systemEntropy);
}
