import { type Logger, systemClock } from '../../../wire/clock/ports.ts';
import type { KeyPart } from '../contract.ts';
import { isNumeric, keyFields } from '../keys.ts';
import type { CollectionName } from '../records.ts';
import type { SetAsideRow } from '../sqlite/set-aside.ts';
import { textArray } from './arrays.ts';
import type { Postgres, Session } from './postgres.ts';
import type { Row } from './statement.ts';

/** The table of records that cannot be decoded, a part of layout 2. */
export const setAsideSql = `
  CREATE TABLE rallypoint.set_aside (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, collection text NOT NULL, key text NOT NULL, reason text NOT NULL,
    found_at_ms bigint NOT NULL, body text NOT NULL
  );`;

/** A record that cannot be decoded. */
export interface Unreadable {
  readonly key: readonly KeyPart[];
  readonly body: string;
  readonly reason: string;
}

/** Most records of one statement. */
const recordsMax = 500;
/** Records that could not be set aside and are named in the log, each once: more are not. */
const namedMax = 1000;

/** Moves records that cannot be decoded out of the way of all others. Of several nodes that find one, the one that moves it logs it. */
export class SetAside {
  readonly #postgres: Postgres;
  readonly #log: Logger;
  readonly #skipped = new Set<string>();

  constructor(postgres: Postgres, log: Logger) {
    this.#postgres = postgres;
    this.#log = log;
  }

  /** Never rejects. @returns whether this node has moved one at least */
  async move(collection: CollectionName, unreadable: readonly Unreadable[]): Promise<boolean> {
    let isMoved = false;
    for (let at = 0; at < unreadable.length; at += recordsMax) {
      const piece = unreadable.slice(at, at + recordsMax);
      try {
        const moved = await this.#postgres.query(moveSql(collection), valuesOf(collection, piece));
        isMoved ||= moved.length > 0;
        for (const { key, reason } of moved) {
          this.#log.error(
            { code: 'record_unreadable', collection, id: (JSON.parse(String(key)) as KeyPart[]).join('/'), reason },
            'A record cannot be decoded and was set aside; the service continues as if it did not exist.',
          );
        }
      } catch (error) {
        for (const record of piece) this.#skip(collection, record, error);
      }
    }
    return isMoved;
  }

  #skip(collection: CollectionName, { key, reason }: Unreadable, error: unknown): void {
    const id = key.join('/');
    if (this.#skipped.size >= namedMax || this.#skipped.has(`${collection}/${id}`)) return;
    this.#skipped.add(`${collection}/${id}`);
    this.#log.error(
      { code: 'record_unreadable', collection, id, reason, error },
      'A record cannot be decoded, and could not be set aside; it is skipped.',
    );
  }
}

/** In the order in which they were found. */
export async function listSetAside(source: {
  query(text: string): Promise<readonly Row[]>;
}): Promise<readonly SetAsideRow[]> {
  const rows = await source.query(
    'SELECT collection, key, reason, found_at_ms, body FROM rallypoint.set_aside ORDER BY id',
  );
  return rows.map(row => ({
    collection: row.collection as CollectionName,
    key: JSON.parse(String(row.key)) as KeyPart[],
    reason: String(row.reason),
    foundAtMs: Number(row.found_at_ms),
    body: String(row.body),
  }));
}

/** For a copy of a state, which takes along what was set aside. */
export async function insertSetAside(session: Session, rows: readonly SetAsideRow[]): Promise<void> {
  await session.query(
    `INSERT INTO rallypoint.set_aside (collection, key, reason, found_at_ms, body)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])`,
    [
      textArray(rows.map(({ collection }) => collection)),
      textArray(rows.map(({ key }) => JSON.stringify(key))),
      textArray(rows.map(({ reason }) => reason)),
      textArray(rows.map(({ foundAtMs }) => foundAtMs)),
      textArray(rows.map(({ body }) => body)),
    ],
  );
}

/** A record that was written again meanwhile stays. */
function moveSql(name: CollectionName): string {
  const fields = keyFields(name);
  const arrays = fields.map((field, at) => `$${at + 5}::${isNumeric(field) ? 'bigint' : 'text'}[]`);
  const parts = fields.map((_, at) => `part_${at}`);
  return `
    WITH gone AS (
      DELETE FROM rallypoint.${name} AS t
        USING unnest($2::text[], $3::text[], $4::text[], ${arrays.join(', ')}) AS bad(key, reason, body, ${parts.join(', ')})
        WHERE ${fields.map((field, at) => `t.${field} = bad.part_${at}`).join(' AND ')} AND t.body = bad.body
        RETURNING bad.key, bad.reason, t.body
    )
    INSERT INTO rallypoint.set_aside (collection, key, reason, found_at_ms, body)
      SELECT '${name}', key, reason, $1::bigint, body FROM gone RETURNING key, reason`;
}

function valuesOf(name: CollectionName, records: readonly Unreadable[]): readonly unknown[] {
  return [
    systemClock.now(),
    textArray(records.map(({ key }) => JSON.stringify(key))),
    textArray(records.map(({ reason }) => reason)),
    textArray(records.map(({ body }) => body)),
    ...keyFields(name).map((_, part) => textArray(records.map(({ key }) => key[part] as KeyPart))),
  ];
}
