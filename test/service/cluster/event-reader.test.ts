import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { EventsLostError, type ReplayQuery } from '../../../src/service/cluster/contract.ts';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { announce } from '../../support/engines/announce.ts';
import { type Engines, startEngines } from '../../support/engines/cluster.ts';
import { type ServerProcess, startServer } from '../../support/engines/process.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { needs } from '../../support/runs/parts.ts';

const parts = await needs('postgres', 'redis');
const event = (to: string, revision: number, data = '{}'): Announced => ({
  ...{ to, scope: to, revision, position: 0 },
  event: { name: 'LOBBY_UPDATE', data },
});
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe.skipIf(parts.missing)(`the reader of events${parts.note}`, () => {
  let engines: Engines;

  beforeAll(async () => {
    // What was rolled back right before the server is killed is then not on its disk.
    engines = await startEngines('wal_writer_delay = 10s');
  });
  afterEach(async () => {
    await engines.server.start();
    await engines.redis.start();
    await engines.closeNodes();
  });
  afterAll(() => engines?.remove());

  const nodes = (count: number) => Promise.all(Array.from({ length: count }, () => engines.node()));
  const write = (announced: readonly Announced[]) => announce(engines.postgres, announced);

  function hear(bus: ClusterBus, ...topics: readonly string[]): Announced[] {
    const heard: Announced[] = [];
    for (const topic of topics) bus.subscribe(topic, announced => heard.push(announced));
    return heard;
  }

  /** A transaction of another program that has written, and stays open. */
  async function openTransaction() {
    const client = new pg.Client(engines.url);
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS other (n int)');
    await client.query('BEGIN');
    await client.query('INSERT INTO other VALUES (1)');
    return {
      async end() {
        await client.query('ROLLBACK');
        await client.end();
      },
    };
  }

  it('delivers what several nodes commit concurrently in one order everywhere, each once, while Redis is restarted', async () => {
    const readers = await nodes(3);
    const heard = readers.map(bus => hear(bus, 'a', 'b', 'c'));
    const writer = async (topic: string, bus: ClusterBus) => {
      for (let revision = 1; revision <= 100; revision++) {
        await write([event(topic, revision), event(topic, revision + 1000)]);
        bus.publish();
        if (topic === 'a' && revision % 40 === 0) {
          await engines.redis.kill();
          await engines.redis.start();
        }
      }
    };
    await Promise.all(['a', 'b', 'c'].map((topic, at) => writer(topic, readers[at] as ClusterBus)));
    await Promise.all(readers.map(bus => bus.reader.caughtUp()));
    const [first = [], ...others] = heard;
    expect(first).toHaveLength(600);
    for (const other of others) expect(other).toEqual(first);
    for (const topic of ['a', 'b', 'c']) {
      const own = first.filter(({ to }) => to === topic).map(({ revision }) => revision);
      expect(own).toEqual(upTo(100).flatMap(revision => [revision, revision + 1000]));
    }
  });

  it('delivers all events of one transaction in one turn, however many, and then has their position', async () => {
    const [bus] = (await nodes(1)) as [ClusterBus];
    const seen: number[] = [];
    let heard = 0;
    let after: { heard: number; position: number } | undefined;
    bus.subscribe('a', () => {
      seen.push(bus.reader.position);
      if (heard++ === 0) queueMicrotask(() => (after = { heard, position: bus.reader.position }));
    });
    const position = await write(upTo(1234).map(revision => event('a', revision)));
    await bus.reader.caughtUp();
    expect(after).toEqual({ heard: 1234, position });
    expect(Math.max(...seen)).toBeLessThan(position);
    expect(bus.reader.position).toBeGreaterThanOrEqual(position);
  });

  it('begins a read 10 ms after one that returned ten events or more, so that it returns those of many commits', async () => {
    const postgres = await openPostgres(engines.url);
    const query = postgres.query.bind(postgres);
    const reads: { readonly beganMs: number; readonly events: number }[] = [];
    postgres.query = async (text, values, options) => {
      const beganMs = performance.now();
      const rows = await query(text, values, options);
      if (options?.name === 'read-events')
        reads.push({ beganMs, events: rows[0]?.position === null ? 0 : rows.length });
      return rows;
    };
    const bus = await engines.node({ postgres });
    const heard = hear(bus, 'a');
    for (let commit = 0; commit < 30; commit++) {
      await write(upTo(10).map(revision => event('a', 10 * commit + revision)));
      bus.publish();
    }
    await bus.reader.caughtUp();
    expect(heard.map(({ revision }) => revision)).toEqual(upTo(300));
    const pauses = reads.slice(1).flatMap(({ beganMs }, at) => {
      const before = reads[at];
      return before && before.events >= 10 ? [beganMs - before.beganMs] : [];
    });
    // A timer may be up to a millisecond early.
    expect(Math.min(...pauses)).toBeGreaterThan(8.5);
    await bus.close();
    await postgres.close();
  });

  it('delivers nothing that a transaction may still precede, and says how far it is behind', async () => {
    const [bus] = (await nodes(1)) as [ClusterBus];
    const heard = hear(bus, 'a');
    const open = await openTransaction();
    await write([event('a', 1)]);
    await write([event('a', 2)]);
    await expect.poll(() => bus.reader.behindMs, { timeout: 5000 }).toBeGreaterThan(100);
    expect(heard).toEqual([]);
    await open.end();
    await bus.reader.caughtUp();
    expect(heard.map(({ revision }) => revision)).toEqual([1, 2]);
    await expect.poll(() => bus.reader.behindMs, { timeout: 5000 }).toBe(0);
  });

  it('delivers within a second while Redis is away, without being woken', async () => {
    const [here, there] = (await nodes(2)) as [ClusterBus, ClusterBus];
    const heard = hear(there, 'a');
    await engines.redis.kill();
    await write([event('a', 1)]);
    here.publish();
    await expect.poll(() => heard.length, { timeout: 1000 }).toBe(1);
  });

  it('continues where it stopped when PostgreSQL was killed and started again', async () => {
    const [bus] = (await nodes(1)) as [ClusterBus];
    const heard = hear(bus, 'a');
    await write([event('a', 1)]);
    await engines.server.kill();
    await engines.server.start();
    await write([event('a', 2)]);
    await expect.poll(() => heard.length, { timeout: 8000 }).toBe(2);
    expect(heard.map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('delivers every event of a server that counts again from numbers which it had only given to what was rolled back', async () => {
    const [here, away] = (await nodes(2)) as [ClusterBus, ClusterBus];
    const heard = [hear(here, 'a'), hear(away, 'a')];
    const lost: ClusterBus[] = [];
    for (const bus of [here, away]) bus.reader.onLost(() => lost.push(bus));
    await write([event('a', 1)]);
    const next = async () => {
      const [row] = await engines.postgres.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
      return Number(row?.next);
    };
    const client = new pg.Client(engines.url);
    client.on('error', () => {});
    await client.connect();
    for (let n = 0; n < 50; n++) await client.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK');
    const before = await next();
    // Both have read since.
    await Promise.all([here.reader.caughtUp(), away.reader.caughtUp()]);
    await engines.server.kill();
    await engines.server.start();
    expect(await next()).toBeLessThan(before);
    // One of them reads only when the others have passed the number where it was.
    for (let revision = 2; revision <= 80; revision++) await write([event('a', revision)]);
    for (const events of heard) {
      await expect.poll(() => events.map(({ revision }) => revision), { timeout: 8000 }).toEqual(upTo(80));
    }
    expect(lost).toEqual([]);
  });

  it('logs once that the database fails, however often it tries', async () => {
    const { log, lines } = recordingLog();
    const own = await openPostgres(engines.url);
    const bus = await engines.node({ log, postgres: own });
    await own.close();
    await expect.poll(() => bus.reader.hasFailed).toBe(true);
    for (let tries = 0; tries < 3; tries++) await expect(bus.reader.caughtUp()).rejects.toThrow();
    expect(lines.filter(({ message }) => message.startsWith('Events cannot be read'))).toHaveLength(1);
  });

  it('does not hear events of another database whose Redis has another number, and their notifications neither', async () => {
    const here = await engines.node();
    const there = await engines.node({ redisUrl: engines.redis.url(7), url: await engines.database() });
    const heard = hear(there, 'a');
    const notices: string[] = [];
    for (const bus of [here, there]) bus.onNotified('faults', text => notices.push(`${bus === here} ${text}`));
    await write([event('a', 1)]);
    here.publish();
    here.notify('faults', 'x');
    await expect.poll(() => notices.length).toBeGreaterThan(0);
    there.notify('faults', 'y');
    await expect.poll(() => notices.length).toBeGreaterThan(1);
    await there.reader.caughtUp();
    expect(notices).toEqual(['true x', 'false y']);
    expect(heard).toEqual([]);
  });

  describe('of a node that is frozen', () => {
    let frozen: ServerProcess;
    let lines: string[];

    async function start() {
      const script = `${import.meta.dirname}/../../support/engines/reading-node.ts`;
      frozen = await startServer(process.execPath, [script, engines.url, engines.redis.url(), 'a'], /ready/);
      lines = [];
      if (frozen.child.stdout) createInterface(frozen.child.stdout).on('line', line => lines.push(line));
    }
    afterEach(() => frozen?.end('SIGKILL'));

    it('delivers everything since, each event once', async () => {
      await start();
      await write([event('a', 1)]);
      await expect.poll(() => lines, { timeout: 5000 }).toContain('1');
      frozen.freeze();
      for (const revision of [2, 3, 4]) await write([event('a', revision)]);
      frozen.proceed();
      await expect.poll(() => lines.length, { timeout: 5000 }).toBe(4);
      await write([event('a', 5)]);
      await expect.poll(() => lines, { timeout: 5000 }).toEqual(['1', '2', '3', '4', '5']);
    });

    it('says that events are lost when they were deleted meanwhile, and continues with the next', async () => {
      await start();
      frozen.freeze();
      const position = await write([event('a', 1)]);
      await engines.postgres.query('UPDATE rallypoint.events_deleted SET up_to = $1', [position]);
      await engines.postgres.query('DELETE FROM rallypoint.events WHERE position <= $1', [position]);
      await write([event('a', 2)]);
      frozen.proceed();
      await expect.poll(() => lines, { timeout: 5000 }).toEqual(['lost', '2']);
    });
  });

  describe('when asked for events again', () => {
    async function replay(bus: ClusterBus, query: Partial<ReplayQuery>): Promise<[number, number][]> {
      const found: [number, number][] = [];
      const after = { position: 0, number: Number.POSITIVE_INFINITY };
      const asked = { after, upTo: bus.reader.position, topics: ['a'], ...query };
      for await (const piece of bus.reader.replay(asked)) {
        for (const { announced, number } of piece) found.push([announced.revision, number]);
      }
      return found;
    }

    it('gives those of the topics, in order, after a place and up to a position', async () => {
      const [bus] = (await nodes(1)) as [ClusterBus];
      const first = await write([event('a', 1), event('b', 2), event('c', 3), event('a', 4)]);
      const second = await write([event('b', 5), event('a', 6)]);
      const third = await write([event('a', 7)]);
      await bus.reader.caughtUp();
      const topics = ['a', 'b', 'd'];
      const all = [
        [1, 1],
        [2, 2],
        [4, 4],
        [5, 1],
        [6, 2],
        [7, 1],
      ];
      expect(await replay(bus, { topics, after: { position: first - 1, number: 0 } })).toEqual(all);
      expect(await replay(bus, { topics, after: { position: first, number: 2 } })).toEqual(all.slice(2));
      const behind = { position: first, number: Number.POSITIVE_INFINITY };
      expect(await replay(bus, { topics, after: behind })).toEqual(all.slice(3));
      expect(await replay(bus, { topics, after: behind, upTo: second })).toEqual(all.slice(3, 5));
      expect(await replay(bus, { topics: ['a'], after: behind })).toEqual([
        [6, 2],
        [7, 1],
      ]);
      expect(await replay(bus, { topics, after: { position: third, number: 1 } })).toEqual([]);
      expect(await replay(bus, { topics: [] })).toEqual([]);
    });

    it('gives them in pieces of bounded size', async () => {
      const [bus] = (await nodes(1)) as [ClusterBus];
      const large = JSON.stringify('x'.repeat(3 * 1024 * 1024));
      await write(upTo(700).map(revision => event(revision % 2 === 0 ? 'a' : 'b', revision)));
      await write([event('a', 701, large), event('b', 702, large), event('a', 703, large)]);
      await bus.reader.caughtUp();
      const pieces: number[][] = [];
      const after = { position: 0, number: Number.POSITIVE_INFINITY };
      for await (const piece of bus.reader.replay({ after, upTo: bus.reader.position, topics: ['a', 'b'] })) {
        pieces.push(piece.map(({ announced }) => announced.revision));
      }
      expect(pieces.flat()).toEqual(upTo(703));
      expect(pieces.map(piece => piece.length)).toEqual([500, 202, 1]);
    });

    it('throws when some of them were deleted', async () => {
      const [bus] = (await nodes(1)) as [ClusterBus];
      const first = await write([event('a', 1), event('a', 2)]);
      const second = await write([event('a', 3)]);
      await bus.reader.caughtUp();
      await engines.postgres.query('UPDATE rallypoint.events_deleted SET up_to = $1', [first]);
      await engines.postgres.query('DELETE FROM rallypoint.events WHERE position <= $1', [first]);
      for (const after of [
        { position: first, number: 1 },
        { position: first - 1, number: 5 },
      ]) {
        await expect(replay(bus, { after })).rejects.toThrow(EventsLostError);
      }
      const behind = { position: first, number: Number.POSITIVE_INFINITY };
      expect(await replay(bus, { after: behind, upTo: second })).toEqual([[3, 1]]);
    });
  });

  it('ignores events that a database from another server brought along', async () => {
    await engines.postgres.query(
      `INSERT INTO rallypoint.events VALUES (4000000000000, 1, 'a', '{"scope":"a","revision":9}', 10, now())`,
    );
    await engines.postgres.query('UPDATE rallypoint.events_deleted SET up_to = 3999999999999');
    const [bus] = (await nodes(1)) as [ClusterBus];
    const heard = hear(bus, 'a');
    await write([event('a', 1)]);
    await bus.reader.caughtUp();
    expect(heard.map(({ revision }) => revision)).toEqual([1]);
    expect(bus.reader.behindMs).toBe(0);
  });

  it('finds every row by an index, also among many', async () => {
    await engines.postgres.query(
      `INSERT INTO rallypoint.events SELECT n, 1, 'topic/' || n % 500, '{}', 2, now() FROM generate_series(1, 20000) AS n`,
    );
    await engines.postgres.query('ANALYZE rallypoint.events');
    const [bus] = (await nodes(1)) as [ClusterBus];
    for (const [name, text] of Object.entries(bus.reader.statements)) {
      const values = name === 'read' ? ['19900', '0'] : ['100', '0', '20000', '{topic/1,topic/2}'];
      const client = new pg.Client(engines.url);
      await client.connect();
      const { rows } = await client.query(`EXPLAIN ${text}`, values).finally(() => client.end());
      const plan = rows.map(row => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index (Only )?Scan/);
      expect(plan).not.toMatch(/Seq Scan on events\b/);
    }
  });
});
