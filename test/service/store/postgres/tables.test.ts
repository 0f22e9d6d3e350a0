import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ListQuery, Store } from '../../../../src/service/store/contract.ts';
import { indexesOf, isNumeric, keyFields, routeOf } from '../../../../src/service/store/keys.ts';
import { type CleaningBounds, storeCleaner } from '../../../../src/service/store/postgres/cleaning.ts';
import { openPostgres, type Postgres } from '../../../../src/service/store/postgres/postgres.ts';
import { getManySql, getSql, listStatement } from '../../../../src/service/store/postgres/read-sql.ts';
import { type CollectionName, collections } from '../../../../src/service/store/records.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { needs } from '../../../support/runs/parts.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

const part = await needs('postgres');

describe.skipIf(part.missing)(`the tables of PostgreSQL${part.note}`, () => {
  let server: PostgresServer;
  let database: SharedDatabase;
  let postgres: Postgres;
  let store: Store;
  beforeAll(async () => {
    server = await startPostgres();
    database = await createSharedDatabase(server);
    postgres = await openPostgres(database.url);
    store = await database.open();
  });
  afterAll(async () => {
    await store?.close();
    await postgres?.close();
    await server?.remove();
  });

  describe('cleaning', () => {
    beforeEach(() => database.clear());

    const announce = (scope: string, size: number) =>
      store.transact(scope, work => {
        for (let n = 0; n < 2; n++) {
          work.announce({
            to: 'x',
            follow: scope,
            event: { name: 'MESSAGE_CREATE', data: randomBytes(size).toString('base64') },
          });
        }
      });
    const clean = (bounds: CleaningBounds) =>
      storeCleaner(postgres, { eventsMs: 1e9, commitsMs: 1e9, scopesMs: 1e9, ...bounds })();
    const count = async (table: string) => {
      const [row] = await database.query(`SELECT count(*)::int AS count FROM rallypoint.${table}`);
      return row?.count;
    };

    it('keeps what is young enough and not too much', async () => {
      for (const scope of ['1', '2', '3']) await announce(scope, 10);
      await clean({});
      expect([await count('events'), await count('commits'), await count('scopes')]).toEqual([6, 3, 4]);
    });

    it('deletes old events with a mark up to where they are gone', async () => {
      for (const scope of ['1', '2', '3']) await announce(scope, 10);
      const last = (await database.events()).at(-1)?.position;
      await clean({ eventsMs: 0 });
      expect(await count('events')).toBe(0);
      expect(await database.query('SELECT up_to::float8 FROM rallypoint.events_deleted')).toEqual([{ up_to: last }]);
    });

    it('deletes the oldest events, by whole commits, when all are too large', async () => {
      for (const scope of ['1', '2', '3', '4']) await announce(scope, 15_000);
      await clean({ eventsBytesMax: 70_000 });
      expect((await database.events()).map(event => event.follow)).toEqual(['4', '4']);
    });

    it('deletes outcomes of batches, and scopes of which the revision does not go back', async () => {
      for (let at = 0; at < 500; at++) await announce(`scope/${at % 300}`, 1);
      const revision = await store.revision('scope/1');
      await clean({ commitsMs: 0, scopesMs: 0 });
      expect([await count('commits'), await count('scopes')]).toEqual([0, 1]);
      expect(await store.revision('scope/1')).toBeGreaterThanOrEqual(revision);
    });
  });

  describe('queries of a database with 20,000 records in each collection', () => {
    beforeAll(async () => {
      await database.clear();
      for (const [name, { key, indexes }] of Object.entries(collections)) await fill(name, key, indexes);
      await database.query(
        `INSERT INTO rallypoint.scopes SELECT 'lobby/' || i, i, now() FROM generate_series(1, 20000) AS i`,
      );
      await database.query(`INSERT INTO rallypoint.events
        SELECT i - 20001, 0, 'lobby/' || i % 500, 'x', 1, now() FROM generate_series(1, 20000) AS i`);
      await database.query(
        `INSERT INTO rallypoint.commits SELECT gen_random_uuid(), '{}', now() FROM generate_series(1, 20000)`,
      );
      await database.query('ANALYZE');
    }, 60_000);

    /** Rows whose fields have 2,000 values each; a third of those that may be null are. */
    async function fill(name: string, key: readonly string[], indexes: Readonly<Record<string, readonly string[]>>) {
      await database.query(`DELETE FROM rallypoint.${name}`);
      const fields = [...new Set([...key, ...Object.values(indexes).flat()])];
      const values = fields.map(field => {
        if (field === key.at(-1)) return 'i';
        return key.includes(field) ? 'i % 2000' : 'CASE WHEN i % 3 > 0 THEN i % 2000 END';
      });
      await database.query(`INSERT INTO rallypoint.${name} (${fields.join(', ')}, body)
        SELECT ${values.join(', ')}, '{}' FROM generate_series(1, 20000) AS i`);
    }

    /** The plan that the server would make by itself, without the settings of our connections. */
    async function plan(text: string, values: readonly unknown[]): Promise<string> {
      const literal = (value: unknown) => (typeof value === 'number' ? String(value) : `'${String(value)}'`);
      const filled = text.replace(/\$(\d+)/g, (_, at: string) => literal(values[Number(at) - 1]));
      const rows = await database.query(`EXPLAIN ${filled}`);
      return rows.map(row => row['QUERY PLAN']).join('\n');
    }

    const names = Object.keys(collections) as CollectionName[];
    const sample = (field: string) => (isNumeric(field) ? 5 : '5');

    it.each(names)('find records of %s by their key through an index', async name => {
      const fields = keyFields(name);
      const one = await plan(getSql(name), fields.map(sample));
      const many = await plan(
        getManySql(name),
        fields.map(() => '{5,6,7}'),
      );
      for (const found of [one, many]) {
        expect(found).toMatch(/Index (Only )?Scan|Bitmap Index Scan/);
        expect(found).not.toContain('Seq Scan');
      }
    });

    it.each(names)('list %s through an index, in its order', async name => {
      const ways = [undefined, ...Object.keys(indexesOf(name))];
      for (const index of ways) {
        const { fields } = routeOf(name, { ...(index !== undefined && { index }) });
        for (let equals = 0; equals <= fields.length; equals++) {
          const query = { index, equals: fields.slice(0, equals).map(sample), limit: 20 };
          const next = fields[equals];
          const bounds =
            next === undefined ? [{}] : [{}, { from: sample(next) }, { upTo: sample(next), descending: true }];
          for (const bound of bounds) {
            const { text, values = [] } = listStatement(name, {
              ...query,
              ...bound,
            } as unknown as ListQuery<CollectionName>);
            const found = await plan(text, values);
            expect(found, text).toMatch(/Index (Only )?Scan/);
            expect(found, text).not.toContain('Seq Scan');
          }
        }
      }
    });

    it('reads no table whole, in whatever a node does', async () => {
      const whole = async () => {
        await database.query('SELECT pg_stat_clear_snapshot()');
        const rows = await database.query(
          `SELECT relname, seq_scan::int FROM pg_stat_user_tables WHERE schemaname = 'rallypoint' ORDER BY relname`,
        );
        return Object.fromEntries(rows.map(row => [row.relname, row.seq_scan]));
      };
      const own = await database.open();
      const before = await whole();
      await own.get('lobby_members', '5', '5');
      await Promise.all(['1', '2', '3'].map(id => own.get('users', id)));
      await own.list('tokens', { index: 'byUser', equals: ['5'] });
      await own.transact('lobby/5', work => {
        work.put('lobbies', lobbyRecord({ id: '5' }));
        work.put('lobby_members', lobbyMemberRecord({ lobby_id: '5', user_id: 'new' }));
        work.delete('lobby_messages', '7', 7, '7');
        work.announce({ to: 'lobby/5' });
      });
      await storeCleaner(postgres, { eventsMs: 0, commitsMs: 0, scopesMs: 0 })();
      // Statistics of a session are there once it has ended.
      await own.close();
      await expect.poll(whole).toEqual({ ...before, events_deleted: expect.any(Number) });
    });
  });
});
