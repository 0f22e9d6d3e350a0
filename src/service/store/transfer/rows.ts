import type { Vault } from '../../support/vault.ts';
import { decodeRecord } from '../decode-record.ts';
import { StoreError } from '../errors.ts';
import { collectionNames } from '../keys.ts';
import { columnsOf, columnValue } from '../postgres/layout.ts';
import type { RecordRow } from '../postgres/whole-content.ts';
import { openedRecord } from '../protected-keys.ts';
import type { CollectionName, GatewaySessionRecord } from '../records.ts';
import type { SetAsideRow } from '../sqlite/set-aside.ts';

/** Both engines keep a record under the same columns, with the same text, in the same order. */
export type { RecordRow };

/** Rows that are read or written together. */
export const rowsMax = 500;

/** The rows of one state at one instant, in pieces, each collection in the order of its key. */
export interface RowSource {
  /** For messages. */
  readonly location: string;
  read(name: CollectionName): AsyncIterable<readonly RecordRow[]>;
  /** Records that were set aside because they cannot be decoded. */
  readSetAside(): Promise<readonly SetAsideRow[]>;
}

/** An empty state that is being filled; what was written can be read again. */
export interface RowTarget extends RowSource {
  write(name: CollectionName, rows: readonly RecordRow[]): Promise<void>;
  writeSetAside(rows: readonly SetAsideRow[]): Promise<void>;
}

/** Told after every piece, with the records of the collection until then. */
export type Progress = (step: 'copied' | 'compared', collection: CollectionName, records: number) => void;

/** What was copied. */
export interface Copied {
  /** How many of each collection; those without any are absent. */
  readonly records: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Copies everything, then reads both again and compares them. @throws StoreError `store_failed` when they differ */
export async function copyRows(source: RowSource, target: RowTarget, progress: Progress): Promise<Copied> {
  const records: Record<string, number> = {};
  let total = 0;
  for (const name of collectionNames) {
    let copied = 0;
    for await (const rows of source.read(name)) {
      await target.write(name, rows);
      copied += rows.length;
      progress('copied', name, copied);
    }
    if (copied > 0) records[name] = copied;
    total += copied;
  }
  await target.writeSetAside(await source.readSetAside());
  for (const name of collectionNames) await compare(source, target, name, progress);
  return { records, total };
}

async function compare(source: RowSource, target: RowTarget, name: CollectionName, progress: Progress): Promise<void> {
  const theirs = singly(target.read(name));
  let compared = 0;
  for await (const rows of source.read(name)) {
    for (const row of rows) {
      const { value } = await theirs.next();
      if (textOf(row) !== (value && textOf(value))) throw different(source, target, name, compared);
      compared++;
    }
    progress('compared', name, compared);
  }
  if (!(await theirs.next()).done) throw different(source, target, name, compared);
}

async function* singly(pieces: AsyncIterable<readonly RecordRow[]>): AsyncGenerator<RecordRow, undefined> {
  for await (const rows of pieces) yield* rows;
  return undefined;
}

function textOf({ columns, body }: RecordRow): string {
  return `${JSON.stringify(columns)}${body}`;
}

function different(source: RowSource, target: RowTarget, name: CollectionName, at: number): StoreError {
  return new StoreError(
    'store_failed',
    `${target.location} differs from ${source.location} at record ${at + 1} of ${name}. Nothing was kept.`,
  );
}

/** Collections of which nothing is taken along: gateway sessions of the source cannot be resumed at the target. */
const leftOut: ReadonlySet<CollectionName> = new Set(['gateway_events', 'presences']);

export interface Adaptation {
  /** The node that the ended sessions are listed under; null for the only process on a data folder. */
  readonly sessionNode: string | null;
  /** Keys become clear text: a service on its own does not encrypt them. With `vault`, those that are encrypted can be read. */
  readonly openKeys: boolean;
  readonly vault?: Vault | undefined;
}

/**
 * What the target is to hold. Gateway sessions are there as sessions that have ended, without what they received: the service
 * ends them at its first start, so that their players leave calls and count as disconnected.
 */
export function adapted(source: RowSource, { sessionNode, openKeys, vault }: Adaptation): RowSource {
  const change = (name: CollectionName, row: RecordRow): RecordRow[] => {
    if (name === 'gateway_sessions') {
      const record = decodeRecord(name, row.body);
      if (typeof record === 'string') return [];
      const ended = { ...(record as GatewaySessionRecord), node: sessionNode, claim: 0, base: null };
      return [rowOf(name, { ...ended, detached_at_ms: ended.detached_at_ms ?? 0 })];
    }
    if (!openKeys || (name !== 'applications' && name !== 'settings')) return [row];
    const record = decodeRecord(name, row.body);
    // One that cannot be decoded stays what it is; the service sets it aside.
    if (typeof record === 'string') return [row];
    const opened = openedRecord(name, record, vault);
    if (opened === record) return [row];
    return opened ? [rowOf(name, opened)] : [];
  };
  return {
    location: source.location,
    readSetAside: () => source.readSetAside(),
    async *read(name) {
      if (leftOut.has(name)) return;
      for await (const rows of source.read(name)) yield rows.flatMap(row => change(name, row));
    },
  };
}

function rowOf(name: CollectionName, record: object): RecordRow {
  return { columns: columnsOf(name).map(field => columnValue(record, field)), body: JSON.stringify(record) };
}
