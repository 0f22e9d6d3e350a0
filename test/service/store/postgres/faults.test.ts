import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/service/store/contract.ts';
import { openPostgres } from '../../../../src/service/store/postgres/postgres.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { needs } from '../../../support/runs/parts.ts';
import { patienceMs, runs } from '../../../support/runs/soak.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

const part = await needs('postgres');
/** By when every call has ended, with some allowance for a busy machine. */
const callMsMax = 10_000;

interface Answers {
  readonly acknowledged: string[];
  readonly failed: string[];
  readonly codes: Set<unknown>;
  slowestMs: number;
}

describe.skipIf(part.missing)(`stores whose PostgreSQL fails${part.note}`, () => {
  let server: PostgresServer;
  let database: SharedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await createSharedDatabase(server);
  });
  afterAll(() => server?.remove());
  beforeEach(() => database.clear());

  /** Creates lobbies and counts them in a shared one, eight callers at a time, until `isOver`. */
  async function write(store: Store, name: string, isOver: () => boolean): Promise<Answers> {
    const answers: Answers = { acknowledged: [], failed: [], codes: new Set(), slowestMs: 0 };
    const caller = async (at: number) => {
      for (let n = 0; !isOver(); n++) {
        const id = `${name}-${at}-${n}`;
        const startMs = performance.now();
        try {
          await store.transact('count', async transaction => {
            const count = (await transaction.get('lobbies', 'count'))?.member_count ?? 0;
            transaction.put('lobbies', lobbyRecord({ id: 'count', member_count: count + 1 }));
            transaction.put('lobbies', lobbyRecord({ id }));
            transaction.announce({ to: 'count', follow: id });
          });
          answers.acknowledged.push(id);
        } catch (error) {
          answers.failed.push(id);
          answers.codes.add((error as { code?: unknown }).code ?? error);
        }
        answers.slowestMs = Math.max(answers.slowestMs, performance.now() - startMs);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, at) => caller(at)));
    return answers;
  }

  /** Everything acknowledged is there, whole and once; what failed is not, unless its outcome could not be known in time. */
  async function check(all: readonly Answers[], mayBeUnknown = false): Promise<void> {
    const acknowledged = all.flatMap(answers => answers.acknowledged).sort();
    const node = await database.open();
    const stored = (await node.list('lobbies')).map(({ id }) => id).filter(id => id !== 'count');
    const failed = new Set(all.flatMap(answers => answers.failed));
    const certain = mayBeUnknown ? stored.filter(id => !failed.has(id)) : stored;
    expect(certain.sort()).toEqual(acknowledged);
    expect(await node.get('lobbies', 'count')).toMatchObject({ member_count: stored.length });
    const followed = (await database.events()).map(event => event.follow ?? '');
    expect(followed.sort()).toEqual(stored.sort());
    await node.close();
    for (const { codes, slowestMs } of all) {
      expect([...codes].filter(code => code !== 'store_unavailable')).toEqual([]);
      expect(slowestMs).toBeLessThan(callMsMax);
    }
  }

  it(
    'answer truly when the server is killed during commits and started again',
    async () => {
      const nodes = await Promise.all([database.open(), database.open()]);
      let isOver = false;
      const writing = nodes.map((node, n) => write(node, `node-${n}`, () => isOver));
      for (let round = 0; round < runs(2, 60); round++) {
        await progress(database, 20);
        await server.kill();
        await server.start();
      }
      await progress(database, 20);
      isOver = true;
      await check(await Promise.all(writing));
      await Promise.all(nodes.map(node => node.close()));
    },
    patienceMs,
  );

  it(
    'answer truly when the server is frozen during commits for longer than a call may last',
    async () => {
      const { log, lines } = recordingLog();
      const nodes = await Promise.all([database.open({ log }), database.open()]);
      let isOver = false;
      const writing = nodes.map((node, n) => write(node, `node-${n}`, () => isOver));
      await progress(database, 20);
      server.freeze();
      await passed(8000);
      server.proceed();
      await progress(database, 20);
      isOver = true;
      const answers = await Promise.all(writing);
      await check(answers, true);
      expect(answers.flatMap(({ failed }) => failed).length).toBeGreaterThan(0);
      expect(lines.some(({ level, error }) => level === 'error' && error instanceof Error)).toBe(true);
      await Promise.all(nodes.map(node => node.close()));
    },
    patienceMs,
  );

  it(
    'answer truly when single connections are cut during commits',
    async () => {
      const nodes = await Promise.all([database.open(), database.open()]);
      let isOver = false;
      const writing = nodes.map((node, n) => write(node, `node-${n}`, () => isOver));
      for (let round = 0; round < runs(5, 150); round++) {
        await progress(database, 5);
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rallypoint'`,
        );
      }
      isOver = true;
      const answers = await Promise.all(writing);
      await check(answers);
      expect(answers.flatMap(({ failed }) => failed)).toEqual([]);
      await Promise.all(nodes.map(node => node.close()));
    },
    patienceMs,
  );

  it('close in time while the server is frozen', async () => {
    const node = await database.open();
    await node.transact('x', work => work.put('lobbies', lobbyRecord({ id: '1' })));
    server.freeze();
    const startMs = performance.now();
    await node.close();
    server.proceed();
    expect(performance.now() - startMs).toBeLessThan(callMsMax);
  });

  it(
    'end every call in time while the server is away, and work again when it is back',
    async () => {
      const node = await database.open();
      await node.transact('x', work => work.put('lobbies', lobbyRecord({ id: '1' })));
      const content = await node.dump();
      await server.kill();
      const startMs = performance.now();
      const unavailable = { code: 'store_unavailable' };
      await Promise.all([
        expect(node.get('lobbies', '1')).rejects.toMatchObject(unavailable),
        expect(node.list('lobbies')).rejects.toMatchObject(unavailable),
        expect(node.revision('x')).rejects.toMatchObject(unavailable),
        expect(node.transact('x', work => work.delete('lobbies', '1'))).rejects.toMatchObject(unavailable),
        expect(node.dump()).rejects.toMatchObject(unavailable),
        expect(node.load(content)).rejects.toMatchObject(unavailable),
      ]);
      expect(performance.now() - startMs).toBeLessThan(callMsMax);
      await server.start();
      expect(await node.get('lobbies', '1')).toMatchObject({ id: '1' });
      await node.close();
    },
    patienceMs,
  );

  it('count PostgreSQL as up when only an idle connection was ended, and after its outage is over', async () => {
    const { log, lines } = recordingLog();
    const url = await server.createDatabase();
    const postgres = await openPostgres(url, { log, connections: 1, commitConnections: 1 });
    const other = await openPostgres(url);
    await postgres.query('SELECT 1');
    await postgres.once({ text: 'SELECT 1' }, Number.POSITIVE_INFINITY);
    const idle = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND datname = current_database()`;
    await other.query(idle);
    await expect.poll(() => lines.length).toBe(2);
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info']);
    expect(postgres.isFailing).toBe(false);
    await postgres.query('SELECT 1');
    await other.close();
    await server.stop();
    await expect(postgres.once({ text: 'SELECT 1' }, performance.now())).rejects.toThrow();
    await expect.poll(() => postgres.isFailing).toBe(true);
    await server.start();
    await postgres.query('SELECT 1');
    expect(postgres.isFailing).toBe(false);
    await postgres.close();
  });

  it('write again once their database does, whose default every connection keeps from when it was opened', async () => {
    const own = await createSharedDatabase(server);
    const name = new URL(own.url).pathname.slice(1);
    await server.command(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const node = await own.open();
    const write = () =>
      node.transact('x', work => work.put('lobbies', lobbyRecord({ id: '1' }))).catch((reason: unknown) => reason);
    expect(await write()).toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/in a read-only transaction\. Turn default_transaction_read_only off/),
    });
    expect(await node.get('lobbies', '1')).toBeUndefined();
    await server.command(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await expect.poll(write, { timeout: callMsMax }).toBeUndefined();
    await node.close();
  });

  it('follow no limit of PostgreSQL 17 on the time of transactions, which would end copies of the state', async () => {
    const own = await createSharedDatabase(server);
    const name = new URL(own.url).pathname.slice(1);
    const [known] = await own.query(`SELECT name FROM pg_settings WHERE name = 'transaction_timeout'`);
    if (known) await server.command(`ALTER DATABASE ${name} SET transaction_timeout = 1`);
    const node = await own.open();
    await node.transact('x', work => work.put('lobbies', lobbyRecord({ id: '1' })));
    expect(await node.dump()).toBeDefined();
    await node.close();
  });

  it('logs slow statements by name and how long they took, without values', async () => {
    const { log, lines } = recordingLog();
    const store = await database.open({ log, slowStatementMs: 0 });
    await store.transact('lobby/77', work => work.put('lobbies', lobbyRecord({ id: '77' })));
    await store.get('lobbies', '77');
    await store.close();
    const slow = lines.filter(({ message }) => message === 'A statement of the store was slow.');
    expect(slow).toContainEqual(
      expect.objectContaining({ level: 'warn', statement: 'commit', durationMs: expect.any(Number) }),
    );
    expect(JSON.stringify(slow)).not.toContain('77');
    lines.length = 0;
    const quick = await database.open({ log, slowStatementMs: 60_000 });
    await quick.get('lobbies', '77');
    await quick.close();
    expect(lines).toEqual([]);
  });
});

/** Resolves once `count` more lobbies are there. */
async function progress(database: SharedDatabase, count: number): Promise<void> {
  const size = async () => {
    const [row] = await database.query('SELECT count(*)::int AS size FROM rallypoint.lobbies');
    return row?.size as number;
  };
  const first = await size();
  while ((await size()) < first + count) await passed(10);
}

/** Real time: the server is another process. */
async function passed(ms: number): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, ms));
}
