import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/service/store/contract.ts';
import { migrations } from '../../../../src/service/store/postgres/layout.ts';
import { migrate } from '../../../../src/service/store/postgres/migrate.ts';
import { openPostgres } from '../../../../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { needs } from '../../../support/runs/parts.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

const part = await needs('postgres');

describe.skipIf(part.missing)(`PostgreSQL${part.note}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  describe('stores of several nodes on one database', () => {
    let database: SharedDatabase;
    let nodes: Store[];
    beforeAll(async () => {
      database = await createSharedDatabase(server);
    });
    beforeEach(async () => {
      await database.clear();
      nodes = await Promise.all([1, 2, 3].map(() => database.open()));
    });
    afterEach(() => Promise.all(nodes.map(node => node.close())));

    /** Adds one to the lobby's count. @returns the count before */
    const increment = (store: Store, scope: string, guards: readonly string[] = []) =>
      store.transact(
        scope,
        async transaction => {
          const count = (await transaction.get('lobbies', '1'))?.member_count ?? 0;
          transaction.put('lobbies', lobbyRecord({ id: '1', member_count: count + 1 }));
          return count;
        },
        guards,
      );

    it('lose no update of one scope: 3 nodes with 32 concurrent increments each count to 96', async () => {
      const counts = await Promise.all(
        nodes.flatMap(node => Array.from({ length: 32 }, () => increment(node, 'lobby/1'))),
      );
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 96 }, (_, at) => at));
      expect(await nodes[0]?.get('lobbies', '1')).toMatchObject({ member_count: 96 });
    });

    it('lose no update of transactions that have nothing in common but a guard', async () => {
      const counts = await Promise.all(
        nodes.flatMap((node, n) =>
          Array.from({ length: 32 }, (_, at) => increment(node, `lobby/${n}-${at}`, ['the guard'])),
        ),
      );
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 96 }, (_, at) => at));
    });

    it('run a function again whose scope another node has changed, also one that throws', async () => {
      const [one, other] = nodes as [Store, Store];
      let runs = 0;
      const refused = one.transact('lobby/1', async transaction => {
        const lobby = await transaction.get('lobbies', '1');
        if (runs++ === 0) await increment(other, 'lobby/1');
        if (!lobby) throw new Error('there is no lobby');
        return lobby.member_count;
      });
      expect(await refused).toBe(1);
      expect(runs).toBe(2);
    });

    it('give a read that overlaps a commit of another node one state of the scope', async () => {
      const [one, other] = nodes as [Store, Store];
      let runs = 0;
      const read = await one.transact('lobby/1', async transaction => {
        const before = await transaction.get('lobbies', '1');
        if (runs++ === 0) {
          await other.transact('lobby/1', work => {
            work.put('lobbies', lobbyRecord({ id: '1' }));
            work.put('lobby_members', lobbyMemberRecord({ lobby_id: '1', user_id: 'a' }));
          });
        }
        return [before?.id, (await transaction.list('lobby_members', { equals: ['1'] })).length];
      });
      expect(read).toEqual(['1', 1]);
    });

    it('see what was acknowledged at another node', async () => {
      for (let round = 0; round < 50; round++) {
        const [writer, reader] = [nodes[round % 3], nodes[(round + 1) % 3]] as [Store, Store];
        const before = await reader.revision('lobby/1');
        await increment(writer, 'lobby/1');
        expect(await reader.get('lobbies', '1')).toMatchObject({ member_count: round + 1 });
        expect(await reader.revision('lobby/1')).toBeGreaterThan(before);
        expect(await reader.list('lobbies')).toHaveLength(1);
      }
    });

    it('order the events of each scope by their revisions, whichever node wrote them', async () => {
      const announce = (node: Store, scope: string, mark: string) =>
        node.transact(scope, work => {
          work.put('lobbies', lobbyRecord({ id: scope }));
          work.announce({ to: scope, follow: `${mark}.1` });
          work.announce({ to: scope, follow: `${mark}.2` });
          return work.revision;
        });
      const all = nodes.flatMap((node, n) =>
        Array.from({ length: 40 }, (_, at) => announce(node, `scope/${at % 4}`, `${n}-${at}`)),
      );
      await Promise.all(all);
      const events = await database.events();
      expect(events).toHaveLength(240);
      for (let scope = 0; scope < 4; scope++) {
        const own = events.filter(event => event.scope === `scope/${scope}`);
        expect(own.map(event => event.revision)).toEqual(Array.from({ length: 60 }, (_, at) => 1 + (at >> 1)));
        expect(own.map(event => event.follow?.slice(-2))).toEqual(
          Array.from({ length: 60 }, (_, at) => `.${1 + (at % 2)}`),
        );
        const positions = own.map(event => event.position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
      }
    });

    it('announce commits with events only, after they can be read', async () => {
      const seen: number[] = [];
      let reads = Promise.resolve();
      const node = await database.open({
        onAnnounced: () => {
          reads = reads.then(async () => void seen.push((await database.events()).length));
        },
      });
      await node.transact('x', work => work.put('lobbies', lobbyRecord({ id: '1' })));
      await node.transact('x', work => work.announce({ to: 'x' }));
      await reads;
      await node.close();
      expect(seen).toEqual([1]);
    });

    it('replace everything atomically, while the others go on', async () => {
      const [one, other] = nodes as [Store, Store];
      const marked = (id: string) => ({ lobbies: [lobbyRecord({ id })] });
      const empty = await one.dump();
      const before = await other.revision('never used');
      const writing = Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          other.transact(`lobby/${at}`, work => work.put('lobbies', lobbyRecord({ id: String(at) }))),
        ),
      );
      await one.load({ ...empty, ...marked('loaded') });
      expect((await other.list('lobbies')).map(({ id }) => id)).toContain('loaded');
      await writing;
      expect(await other.revision('never used')).toBeGreaterThan(before);
    });

    it('dump and load everything in a few round trips, however many collections there are', async () => {
      const postgres = await openPostgres(database.url);
      const store = await openPostgresStore({ postgres });
      await store.transact('x', transaction => transaction.put('lobbies', lobbyRecord({ id: '1' })));
      let underWay = 0;
      let roundTrips = 0;
      const session = postgres.session.bind(postgres);
      postgres.session = (begin, work, ...rest) =>
        session(
          begin,
          ({ query }) =>
            work({
              async query(...given) {
                if (underWay++ === 0) roundTrips++;
                return query(...given).finally(() => underWay--);
              },
            }),
          ...rest,
        );
      const content = await store.dump();
      expect(content.lobbies).toHaveLength(1);
      await store.load(content);
      expect(await store.get('lobbies', '1')).toBeDefined();
      expect(roundTrips).toBeLessThanOrEqual(3);
      await store.close();
    });

    it('keep the revisions of scopes that were deleted, and of those that come after them', async () => {
      const [one] = nodes as [Store];
      for (let round = 0; round < 5; round++) await increment(one, 'lobby/1');
      const revision = await one.revision('lobby/1');
      await database.query(`SELECT rallypoint.clean_scopes('', 1000, '0 s')`);
      const left = await database.query('SELECT name FROM rallypoint.scopes');
      expect(left).toEqual([{ name: '' }]);
      expect(await one.revision('lobby/1')).toBeGreaterThanOrEqual(revision);
      await increment(one, 'lobby/1');
      expect(await one.revision('lobby/1')).toBeGreaterThan(revision);
      expect(await one.get('lobbies', '1')).toMatchObject({ member_count: 6 });
    });

    it('have no more than one transaction of a scope under way in the database that writes', async () => {
      const [one] = nodes as [Store];
      await Promise.all(
        Array.from({ length: 200 }, (_, at) => increment(one, `lobby/${at % 7}`, [`lobby/${(at + 1) % 7}`])),
      );
      expect(await one.get('lobbies', '1')).toMatchObject({ member_count: 200 });
    });
  });

  describe('the migration of a database', () => {
    it('is done once by ten nodes that start together, and not again by an eleventh', async () => {
      const url = await server.createDatabase();
      const opened = await Promise.all(Array.from({ length: 10 }, () => openPostgres(url)));
      await Promise.all(opened.map(postgres => migrate(postgres)));
      const [first] = opened;
      const rows = await first?.query(`SELECT version, xmin::text AS written_by FROM rallypoint.layout`);
      expect(rows).toMatchObject(migrations.map(({ version }) => ({ version })));
      await migrate(opened[1] as NonNullable<typeof first>);
      expect(await first?.query(`SELECT version, xmin::text AS written_by FROM rallypoint.layout`)).toEqual(rows);
      await Promise.all(opened.map(postgres => postgres.close()));
    });

    it('changes nothing when a step fails, and leaves a newer layout alone', async () => {
      const postgres = await openPostgres(await server.createDatabase());
      const bad = [...migrations, { version: migrations.length + 1, sql: 'CREATE TABLE rallypoint.lobbies ()' }];
      await expect(migrate(postgres, { migrations: bad })).rejects.toMatchObject({ code: 'store_unusable' });
      expect(await postgres.query(`SELECT to_regclass('rallypoint.lobbies') AS found`)).toEqual([{ found: null }]);
      const newer = [...migrations, { version: migrations.length + 1, sql: 'CREATE TABLE rallypoint.planets ()' }];
      await migrate(postgres, { migrations: newer });
      await expect(migrate(postgres)).rejects.toMatchObject({ code: 'store_too_new' });
      await postgres.close();
    });
  });

  describe('named statements of one connection', () => {
    const numbers =
      'SELECT n, nullif(n, 2) AS odd, ARRAY[n]::bigint[] AS list FROM generate_series(1, $1::bigint) AS n';
    const quotient = 'SELECT 6 / $1::int AS n';
    const row = (n: number) => ({ n, odd: n === 2 ? null : n, list: [n] });

    it('return the rows of each execution, also of several at the same time and without rows', async () => {
      const postgres = await openPostgres(await server.createDatabase(), { connections: 1 });
      const read = (count: number) => postgres.query(numbers, [count], { name: 'numbers' });
      expect(await read(0)).toEqual([]);
      expect(await Promise.all([read(2), read(0), read(3)])).toEqual([[row(1), row(2)], [], [row(1), row(2), row(3)]]);
      await postgres.close();
    });

    it('fail alone, and work again after that', async () => {
      const postgres = await openPostgres(await server.createDatabase(), { connections: 1 });
      const divide = (by: number) => postgres.query(quotient, [by], { name: 'quotient' });
      const unknown = () => postgres.query('SELECT * FROM missing WHERE n = $1', [1], { name: 'missing' });
      const first = await Promise.allSettled([divide(0), divide(2), unknown(), divide(3)]);
      expect(first.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
      const second = await Promise.allSettled([unknown(), divide(1), divide(0), divide(6)]);
      expect(second).toMatchObject([
        { reason: { code: 'store_failed' } },
        { value: [{ n: 6 }] },
        { reason: { code: 'store_failed' } },
        { value: [{ n: 1 }] },
      ]);
      await postgres.close();
    });

    it('are answered together or fail together, and those that were skipped work later', async () => {
      const postgres = await openPostgres(await server.createDatabase(), { connections: 1 });
      const count = (to: number) => ({ name: 'numbers', text: numbers, values: [to] });
      const divide = (by: number) => ({ name: 'quotient', text: quotient, values: [by] });
      const skipped = { name: 'skipped', text: 'SELECT $1 AS text', values: ['a'] };
      const answers = [[row(1)], [], [row(1), row(2)], [{ n: 2 }]];
      const all = () => postgres.queryTogether([count(1), count(0), count(2), divide(3)]);
      expect(await all()).toEqual(answers);
      const failing = postgres.queryTogether([divide(0), skipped, count(1)]);
      const behind = postgres.queryTogether([skipped, count(0)]);
      await expect(failing).rejects.toMatchObject({ code: 'store_failed' });
      expect(await behind).toEqual([[{ text: 'a' }], []]);
      expect(await all()).toEqual(answers);
      await postgres.close();
    });
  });

  describe('opening a database', () => {
    let url: string;
    beforeAll(async () => {
      url = await server.createDatabase();
    });

    it.each([
      ['a database that does not exist', (found: string) => found.replace(/test_\d+/, 'missing'), 'store_unusable'],
      ['a user that does not exist', (found: string) => found.replace('postgres@', 'nobody:secret@'), 'store_unusable'],
      [
        'a folder without a server',
        (found: string) => found.replace(/host=.*/, 'host=%2Fnowhere'),
        'store_unavailable',
      ],
    ])('fails with a reason and without the password: %s', async (_, spoil, code) => {
      const opening = openPostgres(spoil(url));
      await expect(opening).rejects.toMatchObject({ code });
      await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
    });
  });
});
