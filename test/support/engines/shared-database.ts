import pg from 'pg';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { decodePayload } from '../../../src/service/events/payload.ts';
import type { Store } from '../../../src/service/store/contract.ts';
import { collectionNames } from '../../../src/service/store/keys.ts';
import { migrate } from '../../../src/service/store/postgres/migrate.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../../src/service/store/postgres/store.ts';
import type { Logger } from '../../../src/wire/clock/ports.ts';
import type { PostgresServer } from './postgres.ts';

/** A migrated database for the stores of several nodes. */
export interface SharedDatabase {
  readonly url: string;
  /** Opens the store of one node. */
  open(
    options?: Partial<PostgresStoreOptions> & { readonly log?: Logger; readonly slowStatementMs?: number },
  ): Promise<Store>;
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** All events, in order. */
  events(): Promise<Announced[]>;
  /** Deletes everything but the layout. */
  clear(): Promise<void>;
}

export async function createSharedDatabase(server: PostgresServer): Promise<SharedDatabase> {
  const url = await server.createDatabase();
  const postgres = await openPostgres(url);
  await migrate(postgres);
  await postgres.close();
  const query = async (text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const cleared = [...collectionNames, 'commits', 'events'].map(table => `DELETE FROM rallypoint.${table}`);
  return {
    url,
    query,
    async open({ log, slowStatementMs, ...options } = {}) {
      const opened = await openPostgres(url, {
        ...(log && { log }),
        ...(slowStatementMs !== undefined && { slowStatementMs }),
      });
      return openPostgresStore({ postgres: opened, ...(log && { log }), ...options });
    },
    async events() {
      const rows = await query(
        'SELECT topic, position::float8, payload FROM rallypoint.events ORDER BY events.position, number',
      );
      return rows.map(row => decodePayload(row.topic as string, row.position as number, row.payload as string));
    },
    async clear() {
      await query([...cleared, `DELETE FROM rallypoint.scopes WHERE name <> ''`].join(';'));
    },
  };
}
