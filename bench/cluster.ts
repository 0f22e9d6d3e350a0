import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type ClusterBus, openClusterBus } from '../src/service/cluster/cluster-bus.ts';
import { openPostgres } from '../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../src/service/store/postgres/store.ts';
import { silentLogger, systemClock } from '../src/wire/clock/ports.ts';
import { startEngines } from '../test/support/engines/cluster.ts';
import { needs } from '../test/support/runs/parts.ts';
import { type BenchRow, median, microseconds, perSecond, type Round, row } from './row.ts';
import { recordAnswer } from './support/answer.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { databaseCpu, pinDatabase } from './support/database.ts';
import { httpRequest, run as load } from './support/load.ts';
import { pgbench } from './support/pgbench.ts';

const topic = 'lobby/1';
const rounds = 5;
const events = 200;
const bot = 'Bot bench-token';
const lobbyCount = 512;
const requestCount = 6400;
/** In a round against `pgbench`: with so many the beginning and the end, when few are under way, do not count. */
const pgbenchCount = 25_600;
/** So that each process has compiled what it executes often: the second node is asked less than the first. */
const warmUpRounds = 5;
/** How many batches a node has under way, and so connections of `pgbench`. */
const batches = 4;

/** The time of all processes of this machine, in microseconds. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/**
 * An event from its transaction to a listener at another node, against a listener at the node that commits it: PostgreSQL that writes
 * each commit to disk, and Redis.
 */
export async function run(): Promise<BenchRow[]> {
  const engines = await needs('postgres', 'redis');
  if (engines.missing !== undefined) {
    process.stderr.write(`cluster: skipped, ${engines.missing}\n`);
    return [];
  }
  return [...(await requests()), ...(await unheard()), await acrossNodes()];
}

/** Requests to one node and to two on PostgreSQL that writes each commit to disk, against the embedded service and `pgbench`. */
async function requests(): Promise<BenchRow[]> {
  const engines = await startEngines('fsync = on', 'full_page_writes = on');
  pinDatabase(engines.url);
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  const options = { store: engines.url, bus: engines.redis.url() };
  const embedded = await startServer('service', { data: join(folder, 'data') });
  const first = await startServer('service', options);
  const second = await startServer('service', options);
  try {
    const shared = new Side([first], await createLobbies(first), () => databaseCpu(engines.url));
    const both = new Side([first, second], shared.lobbies, () => databaseCpu(engines.url));
    const own = new Side([embedded], await createLobbies(embedded));
    const sides = [shared, own, new Side([second], shared.lobbies)];
    for (let round = 0; round < warmUpRounds; round++) for (const side of sides) await side.send(put);
    return [
      await against('GET a lobby', get, shared, own, 1.5),
      await against('PUT a member', put, shared, own, 3),
      await against('PUT a member, two nodes, against one', put, both, shared, 1.3),
      ...(await againstPgbench(engines.url, shared, 64)),
      ...(await againstPgbench(engines.url, shared, 256)),
    ];
  } finally {
    await Promise.all([embedded.stop(), first.stop(), second.stop()]);
    await engines.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Events that no session of a node follows, which it reads nevertheless: many at once, and each alone. */
async function unheard(): Promise<BenchRow[]> {
  const engines = await startEngines('fsync = on');
  const node = await engines.node();
  const payload = `${JSON.stringify({ scope: topic, revision: 1, name: 'LOBBY_MEMBER_UPDATE' })}\n${'x'.repeat(400)}`;
  const insert = (
    count: number,
  ) => `INSERT INTO rallypoint.events SELECT pg_current_xact_id()::text::bigint, n, '${topic}/' || n,
    '${payload}', ${payload.length}, clock_timestamp() FROM generate_series(1, ${count}) AS n`;
  /** CPU for each event of this process, which does nothing else, and of the database. */
  const costOf = async (transactions: number, each: number) => {
    const own = process.cpuUsage();
    const database = databaseCpu(engines.url);
    for (let n = 0; n < transactions; n++) {
      await engines.postgres.query(insert(each));
      node.publish();
      await node.cluster.caughtUp();
    }
    const { user, system } = process.cpuUsage(own);
    const events = transactions * each;
    return { ours: (user + system) / events, database: (databaseCpu(engines.url) - database) / events };
  };
  try {
    const rows: BenchRow[] = [];
    const cases = [
      { name: '500 concurrently', transactions: 40, each: 500, goal: 20 },
      { name: 'each alone', transactions: 400, each: 1, goal: 1000 },
    ];
    for (const { name, transactions, each, goal } of cases) {
      await costOf(transactions, each);
      const measured = [];
      for (let round = 0; round < rounds; round++) measured.push(await costOf(transactions, each));
      const what = `an event that nobody follows at the node, ${name}: CPU of node and writer, against the goal`;
      const made = row(
        what,
        microseconds,
        measured.map(({ ours }) => ({ ours, peer: goal })),
        { sign: '≤', value: 1 },
      );
      const database = microseconds(median(measured.map(one => one.database)));
      rows.push({ ...made, ours: `${made.ours} (PostgreSQL, writing and reading: ${database})` });
    }
    return rows;
  } finally {
    await engines.remove();
  }
}

type Request = (lobby: string, n: number) => string;

const get: Request = lobby => httpRequest('GET', `/api/v10/lobbies/${lobby}`, bot);
const put: Request = (lobby, n) => {
  const body = JSON.stringify({ metadata: { team: n % 2 === 0 ? 'red' : 'blue', slot: String(n) } });
  return httpRequest('PUT', `/api/v10/lobbies/${lobby}/members/${(n % 2) + 1}`, bot, body);
};

async function createLobbies(server: ServerProcess): Promise<readonly string[]> {
  const body = JSON.stringify({
    metadata: { map: 'harbour', mode: 'ranked' },
    // The whole run may take longer than the default on a slow machine.
    idle_timeout_seconds: 604_800,
    members: [
      { id: '1', metadata: { team: 'red' } },
      { id: '2', metadata: { team: 'blue' }, flags: 1 },
    ],
  });
  const lobbies: string[] = [];
  while (lobbies.length < lobbyCount) {
    const answer = await recordAnswer(`http://127.0.0.1:${server.ready.port}/api/v10/lobbies`, 'POST', bot, body);
    lobbies.push((JSON.parse(answer.body) as { id: string }).id);
  }
  return lobbies;
}

/** Nodes that share the requests, for lobbies in turn. */
class Side {
  /** CPU of the database for each request of the last round. */
  databaseUs = 0;
  readonly lobbies: readonly string[];
  readonly #servers: readonly ServerProcess[];
  readonly #database: () => number;
  #sent = 0;

  constructor(servers: readonly ServerProcess[], lobbies: readonly string[], database = () => 0) {
    this.#servers = servers;
    this.lobbies = lobbies;
    this.#database = database;
  }

  /** Sends requests. @returns CPU of the nodes for each, and requests a second without the time of connecting */
  async send(
    request: Request,
    connections = 64,
    count = requestCount,
  ): Promise<{ readonly cpuUs: number; readonly rate: number }> {
    const used = async () => (await Promise.all(this.#servers.map(server => server.cpu()))).reduce((a, b) => a + b);
    const [cpu, database] = [await used(), this.#database()];
    const share = count / this.#servers.length;
    const one = (n: number) => request(this.lobbies[n % this.lobbies.length] ?? '', n);
    const seconds = await Promise.all(
      this.#servers.map(({ ready: { port } }) => {
        const from = this.#sent;
        this.#sent += share;
        const status = 200;
        return load({
          port,
          connections,
          requests: share,
          status,
          request: n => one(from + n),
        });
      }),
    );
    this.databaseUs = (this.#database() - database) / count;
    return { cpuUs: ((await used()) - cpu) / count, rate: count / Math.max(...seconds) };
  }
}

async function against(name: string, request: Request, ours: Side, peer: Side, value: number): Promise<BenchRow> {
  const measured: Round[] = [];
  const database: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = { ours: (await ours.send(request)).cpuUs, peer: (await peer.send(request)).cpuUs };
    if (round === 0) continue; // It warms both sides up.
    measured.push(one);
    database.push(ours.databaseUs);
  }
  const what = `on PostgreSQL and Redis: ${name}, CPU of the nodes`;
  const made = row(what, microseconds, measured, { sign: '≤', value });
  return { ...made, ours: `${made.ours} (PostgreSQL ${microseconds(median(database))})` };
}

/** Durable PUTs a second, in the groups that they had on average, against the same statements without a node. */
async function againstPgbench(url: string, ours: Side, connections: number): Promise<BenchRow[]> {
  const postgres = await openPostgres(url);
  const commits = async () => Number((await postgres.query('SELECT count(*) AS n FROM rallypoint.commits'))[0]?.n);
  const limit = (group: number) => {
    const puts = Array.from({ length: batches }, (_, batch) =>
      ours.lobbies
        .filter((_, at) => at % batches === batch)
        .map(lobby => ({ application: '100', lobby, user: String((ours.lobbies.indexOf(lobby) % 2) + 1) })),
    );
    return pgbench(url, puts, group, Math.ceil(pgbenchCount / batches / group));
  };
  try {
    const measured: Round[] = [];
    const database: Round[] = [];
    let group = 8;
    for (let round = 0; round <= rounds; round++) {
      const before = await commits();
      const { rate } = await ours.send(put, connections, pgbenchCount);
      group = Math.max(1, Math.round(pgbenchCount / ((await commits()) - before)));
      const used = databaseCpu(url);
      const peer = await limit(group);
      if (round === 0) continue;
      measured.push({ ours: rate, peer });
      database.push({ ours: ours.databaseUs, peer: (databaseCpu(url) - used) / pgbenchCount });
    }
    const what = `on PostgreSQL and Redis: durable PUTs, ${connections} connections, groups of ${group}, against pgbench`;
    return [
      row(what, perSecond, measured, { sign: '≥', value: 0.6 }),
      row('the same, CPU of PostgreSQL for each', microseconds, database, { sign: '≤', value: 1.5 }),
    ];
  } finally {
    await postgres.close();
  }
}

async function acrossNodes(): Promise<BenchRow> {
  const engines = await startEngines('fsync = on');
  const here = await engines.node();
  const there = fork(import.meta.filename, [engines.url, engines.redis.url()]);
  await once(there, 'message');
  const store = openPostgresStore({
    ...{ postgres: engines.postgres, log: silentLogger, onAnnounced: () => here.publish() },
  });
  const announce = () =>
    store.transact(topic, transaction =>
      transaction.announce({ to: topic, event: { name: 'LOBBY_UPDATE', data: JSON.stringify('x'.repeat(400)) } }),
    );
  try {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      const one = await measure(here, there, announce);
      // The first round warms both sides up.
      if (round > 0) measured.push(one);
    }
    const goal = { sign: '≤', value: 3 } as const;
    return row('an event at another node, p50, against the node that commits it', microseconds, measured, goal);
  } finally {
    there.kill();
    await engines.remove();
  }
}

async function measure(here: ClusterBus, there: ChildProcess, announce: () => Promise<unknown>): Promise<Round> {
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let event = 0; event < events; event++) {
    const received = Promise.withResolvers<number>();
    const stop = here.subscribe(topic, () => received.resolve(now()));
    const elsewhere = once(there, 'message');
    const begun = now();
    await announce();
    peer.push((await received.promise) - begun);
    const [at] = await elsewhere;
    ours.push(Number(at) - begun);
    stop();
    await setTimeout(1);
  }
  return { ours: median(ours), peer: median(peer) };
}

/** The other node, in a process of its own: it tells when it has received an event. */
async function listen(url: string, redisUrl: string): Promise<void> {
  const postgres = await openPostgres(url, { connections: 2, commitConnections: 1 });
  const bus = await openClusterBus({ postgres, redisUrl, clock: systemClock });
  bus.subscribe(topic, () => void process.send?.(now()));
  process.send?.('ready');
}

const [, script, url, redisUrl] = process.argv;
if (script === import.meta.filename && url && redisUrl) await listen(url, redisUrl);
