import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/service/store/contract.ts';
import { type Migration, migrations } from '../../../../src/service/store/postgres/layout.ts';
import { describeLayout, migrate } from '../../../../src/service/store/postgres/migrate.ts';
import { openPostgres, type Postgres } from '../../../../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { needs } from '../../../support/runs/parts.ts';

const engine = await needs('postgres');
const next = migrations.length + 1;
const sql = `ALTER TABLE rallypoint.settings ADD COLUMN note text; CREATE INDEX settings_note ON rallypoint.settings (note);`;
/** The layouts of the next version: only tests have them. */
const withNext: readonly Migration[] = [...migrations, { version: next, sql, isCompatible: true }];
const withBreak: readonly Migration[] = [...migrations, { version: next, sql }];
const withTwo: readonly Migration[] = [
  ...withNext,
  { version: next + 1, sql: 'ALTER TABLE rallypoint.settings DROP COLUMN note', isCompatible: true },
];

describe.skipIf(engine.missing)(`layouts of PostgreSQL${engine.note}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  async function withDatabase(work: (postgres: Postgres, url: string) => Promise<void>): Promise<void> {
    const url = await server.createDatabase();
    const postgres = await openPostgres(url);
    try {
      await work(postgres, url);
    } finally {
      await postgres.close();
    }
  }

  const addNode = (postgres: Postgres) =>
    postgres.query(
      `INSERT INTO rallypoint.nodes (id, worker, started_at, seen_at, position) VALUES ('a', 0, now(), now(), 0)`,
    );
  const layouts = async (postgres: Postgres) =>
    (await postgres.query('SELECT version FROM rallypoint.layout ORDER BY version')).map(({ version }) => version);
  const put = (store: Store, name: string) =>
    store.transact(`setting/${name}`, transaction => transaction.put('settings', { name, value: name }));

  it('are created once, however many start at once', () =>
    withDatabase(async (postgres, url) => {
      const others = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)));
      await Promise.all(others.map(other => migrate(other)));
      expect(await layouts(postgres)).toEqual(migrations.map(({ version }) => version));
      await Promise.all(others.map(other => other.close()));
    }));

  it('are created once on a database with another isolation level', () =>
    withDatabase(async (postgres, url) => {
      const name = new URL(url).pathname.slice(1);
      await server.command(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
      const others = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)));
      await Promise.all(others.map(other => migrate(other)));
      expect(await layouts(postgres)).toEqual(migrations.map(({ version }) => version));
      await Promise.all(others.map(other => other.close()));
    }));

  it('are not created by a user without the right to, or in a database that accepts no writes: the error says which', () =>
    withDatabase(async (postgres, url) => {
      const name = new URL(url).pathname.slice(1);
      await server.command('CREATE ROLE guest LOGIN');
      await server.command(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const failure = async (place: string) => {
        const other = await openPostgres(place);
        const error = await migrate(other).catch((reason: unknown) => reason);
        await other.close();
        return error;
      };
      expect(await failure(url)).toMatchObject({
        code: 'store_unusable',
        message: expect.stringMatching(
          /: cannot execute CREATE SCHEMA in a read-only transaction\. Turn default_transaction_read_only off,/,
        ),
      });
      await server.command(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
      expect(await failure(url.replace('postgres@', 'guest@'))).toMatchObject({
        code: 'store_unusable',
        message: expect.stringMatching(/: permission denied for database .*\. The user must own the database\.$/),
      });
      await migrate(postgres);
    }));

  it('are not used when a row, a table or a function is missing: the error names it and says what to do', () =>
    withDatabase(async postgres => {
      await migrate(postgres);
      const lacks = (parts: string, remedy: string) =>
        expect(migrate(postgres)).rejects.toMatchObject({
          code: 'store_unusable',
          message: expect.stringContaining(`is damaged: it lacks ${parts}. Stop all nodes, ${remedy}`),
        });
      await postgres.query("DELETE FROM rallypoint.scopes WHERE name = ''");
      await lacks("the row '' of rallypoint.scopes", 'and write the rows again');
      await postgres.query('DELETE FROM rallypoint.events_deleted');
      await lacks("the row '' of rallypoint.scopes, the row of rallypoint.events_deleted", 'and write the rows again');
      // As docs/operations.md says.
      await postgres.query(
        "INSERT INTO rallypoint.scopes VALUES ('', (extract(epoch FROM now()) * 1000)::bigint, now())",
      );
      await postgres.query(
        'INSERT INTO rallypoint.events_deleted (up_to) VALUES (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)',
      );
      await migrate(postgres);
      await postgres.query('DROP TABLE rallypoint.lobbies');
      await postgres.query('DROP FUNCTION rallypoint.resolve_batch');
      await lacks(
        'the table rallypoint.lobbies, the function rallypoint.resolve_batch',
        'drop the schema "rallypoint" and restore a backup',
      );
    }));

  it('can be one compatible step apart while nodes of both versions run', () =>
    withDatabase(async (postgres, url) => {
      await migrate(postgres);
      await addNode(postgres);
      const older = openPostgresStore({ postgres: await openPostgres(url) });
      await put(older, 'before');
      await older.list('settings');
      const writes = Array.from({ length: 50 }, (_, n) => put(older, `under way ${n}`));
      const newer = await openPostgres(url);
      await migrate(newer, { migrations: withNext });
      await Promise.all(writes);
      // What had been prepared by the older version works with the new layout.
      await put(older, 'after');
      expect(await older.get('settings', 'after')).toEqual({ name: 'after', value: 'after' });
      expect(await older.list('settings')).toHaveLength(52);
      expect(await newer.query('SELECT note FROM rallypoint.settings')).toHaveLength(52);
      // The older version can still be started, and leaves the layout as it is.
      await migrate(postgres);
      expect(await layouts(postgres)).toEqual(withNext.map(({ version }) => version));
      expect(await describeLayout(postgres)).toMatchObject({ found: next, pending: [], isUsable: true });
      await Promise.all([older.close(), newer.close()]);
    }));

  it.each([
    ['an incompatible step', withBreak],
    ['two compatible steps', withTwo],
  ])('cannot be %s apart', (_, newer) =>
    withDatabase(async postgres => {
      await migrate(postgres);
      await addNode(postgres);
      const tooNew = { code: 'store_too_new', message: expect.stringContaining('Start the newer version') };
      await expect(migrate(postgres, { migrations: newer })).rejects.toMatchObject({
        code: 'store_in_use',
        message: expect.stringMatching(/nodes that are running on it \(1\) cannot work/),
      });
      expect(await layouts(postgres)).toEqual(migrations.map(({ version }) => version));
      await postgres.query('UPDATE rallypoint.nodes SET departed_at = now()');
      await migrate(postgres, { migrations: newer });
      await expect(migrate(postgres)).rejects.toMatchObject(tooNew);
      expect(await describeLayout(postgres)).toMatchObject({ isUsable: false });
    }),
  );

  it('stay as they are when a step fails', () =>
    withDatabase(async postgres => {
      await migrate(postgres);
      const broken: Migration = { version: next, sql: `${sql} SELECT 1 / 0`, isCompatible: true };
      await expect(migrate(postgres, { migrations: [...migrations, broken] })).rejects.toMatchObject({
        code: 'store_unusable',
        message: expect.stringContaining('was left as it was: division by zero'),
      });
      await expect(postgres.query('SELECT note FROM rallypoint.settings')).rejects.toThrow(/does not exist/);
    }));
});
