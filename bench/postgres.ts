import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Store } from '../src/service/store/contract.ts';
import { collectionNames, indexFields, keyFields } from '../src/service/store/keys.ts';
import { migrate } from '../src/service/store/postgres/migrate.ts';
import { openPostgres } from '../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../src/service/store/postgres/store.ts';
import { openSqliteStore } from '../src/service/store/sqlite/store.ts';
import { findPostgres, startPostgres } from '../test/support/engines/postgres.ts';
import { lobbyMemberRecord, lobbyRecord } from '../test/support/store/records.ts';
import { type BenchRow, microseconds, perSecond, type Round, row } from './row.ts';
import { pinned } from './support/child.ts';
import { pinDatabase } from './support/database.ts';

/**
 * The store on PostgreSQL. Transactions a second, each a new lobby with two members, an event and a guard, are held against what
 * PostgreSQL's own bench reaches with the same call of `commit_batch`, as many of them grouped. The CPU of the node is held against that
 * with the embedded store on disk.
 */
const parallel = 32;
/** How `pgbench` gets the same 32 under way: connections, and transactions grouped in one call. */
const connections = 4;
const rounds = 5;
const roundMs = 2000;

export async function run(): Promise<BenchRow[]> {
  if (findPostgres() === undefined) {
    console.error('PostgreSQL is not installed: its rows are left out.');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'rallypoint-bench-'));
  const server = await startPostgres('fsync = on', 'full_page_writes = on', 'shared_buffers = 256MB');
  try {
    const url = await server.createDatabase();
    pinDatabase(url);
    const postgres = await openPostgres(url);
    await migrate(postgres);
    const shared = openPostgresStore({ postgres });
    const embedded = await openSqliteStore({ location: join(folder, 'store.sqlite'), sink: () => {} });
    const script = join(folder, 'commit.sql');
    await writeFile(script, peerScript(parallel / connections));
    try {
      return await measure(shared, embedded, () => pgbench(url, script));
    } finally {
      await Promise.all([shared.close(), embedded.close()]);
    }
  } finally {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(shared: Store, embedded: Store, peer: () => Promise<number>): Promise<BenchRow[]> {
  const commits: Round[] = [];
  const writes: Round[] = [];
  const reads: Round[] = [];
  await load(shared, create);
  await load(embedded, create);
  for (let round = 0; round < rounds; round++) {
    const ours = await load(shared, create);
    const theirs = await load(embedded, create);
    commits.push({ ours: ours.perSecond, peer: await peer() });
    writes.push({ ours: ours.cpuUs, peer: theirs.cpuUs });
    reads.push({ ours: (await load(shared, read)).cpuUs, peer: (await load(embedded, read)).cpuUs });
  }
  return [
    row(`store on PostgreSQL, ${parallel} in parallel, against pgbench`, perSecond, commits, { sign: '≥', value: 0.6 }),
    row('CPU of a write on PostgreSQL, against SQLite', microseconds, writes, { sign: '≤', value: 3 }),
    row('CPU of a read on PostgreSQL, against SQLite', microseconds, reads, { sign: '≤', value: 5 }),
  ];
}

let created = 0;

async function create(store: Store): Promise<void> {
  const id = `bench-${created++}`;
  await store.transact(
    `lobby/${id}`,
    async transaction => {
      if (await transaction.get('lobbies', id)) throw new Error('The lobby exists.');
      const metadata = { map: 'harbour', mode: 'ranked' };
      transaction.put('lobbies', lobbyRecord({ id, metadata, member_count: 2, expires_at_ms: 1e12 + created }));
      for (const user of ['red', 'blue']) {
        const member = { lobby_id: id, user_id: `${id}-${user}`, metadata: { team: user } };
        transaction.put('lobby_members', lobbyMemberRecord(member));
      }
      transaction.announce({ to: `lobby/${id}`, event: { name: 'LOBBY_CREATE', data: `"${'x'.repeat(300)}"` } });
    },
    [`member/${id}`],
  );
}

async function read(store: Store): Promise<void> {
  await store.get('lobbies', `bench-${Math.floor(Math.random() * 1000)}`);
}

async function load(store: Store, job: (store: Store) => Promise<void>) {
  const startMs = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  const caller = async () => {
    while (performance.now() - startMs < roundMs) {
      await job(store);
      count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, caller));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (1000 * count) / (performance.now() - startMs), cpuUs: (user + system) / count };
}

/** Transactions a second. */
async function pgbench(url: string, script: string): Promise<number> {
  const program = join(findPostgres() ?? '', 'pgbench');
  const args = ['-n', '-M', 'prepared', '-c', String(connections), '-T', String(roundMs / 1000), '-f', script, url];
  const env = { ...process.env, PGOPTIONS: '-c jit=off -c plan_cache_mode=force_generic_plan' };
  // On the first core, because PostgreSQL has the second.
  const [command = '', ...all] = [...(pinned ? ['taskset', '-c', '0'] : []), program, ...args];
  const { stdout } = await promisify(execFile)(command, all, { env });
  const batches = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  return (batches * parallel) / connections;
}

/** The call that {@link create} leads to, with records of the same size, for a group of new lobbies. */
function peerScript(group: number): string {
  const columnsMax = Math.max(...collectionNames.map(name => keyFields(name).length + indexFields(name).length));
  const array = (each: string, count = group) => `ARRAY(SELECT ${each} FROM generate_series(0, ${count - 1}) AS i)`;
  const scopes = 2 * group;
  const writes = 3 * group;
  const lobby = `:n || '-' || i / 3`;
  const columns = [lobby, `CASE WHEN i % 3 = 0 THEN '1000000' ELSE :n || '-' || i END`, `'1'::text`];
  const parameters = [
    'gen_random_uuid()',
    '9e15',
    array('(i / 2)::int', scopes),
    array(`CASE WHEN i % 2 = 0 THEN 'lobby/' ELSE 'member/' END || :n || '-' || i / 2`, scopes),
    array('0::bigint', scopes),
    array('1::bigint', scopes),
    array(`CASE WHEN i % 3 = 0 THEN 'lobbies' ELSE 'lobby_members' END`, writes),
    array('(i / 3)::int', writes),
    array(`repeat('["abc","x"]', CASE WHEN i % 3 = 0 THEN 32 ELSE 16 END)`, writes),
    ...Array.from({ length: columnsMax }, (_, at) => array(columns[at] ?? 'NULL::text', writes)),
    array('i::int'),
    array(`'lobby/' || :n || '-' || i`),
    array(`repeat('x', 400)`),
  ];
  return `\\set n random(1, 1000000000000)\nSELECT * FROM rallypoint.commit_batch(${parameters.join(', ')});\n`;
}
