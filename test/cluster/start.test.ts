import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChaosProxy } from '../support/chaos/proxy.ts';
import { type PostgresServer, startPostgres } from '../support/engines/postgres.ts';
import { type RedisServer, startRedis } from '../support/engines/redis.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { freePort } from '../support/runs/free-port.ts';
import { needs } from '../support/runs/parts.ts';

const engines = await needs('postgres', 'redis');
const program = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** What became of `rallypoint serve` that cannot start. */
async function failure(
  store: string | undefined,
  bus: string | undefined,
  more: Readonly<Record<string, string>> = {},
) {
  const startMs = performance.now();
  const { RALLYPOINT_STORE: _, RALLYPOINT_BUS: __, ...environment } = process.env;
  const options = [...(store === undefined ? [] : ['--store', store]), ...(bus === undefined ? [] : ['--bus', bus])];
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', ...options], {
    env: { ...environment, ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, lines: stderr.trimEnd().split('\n'), ms: performance.now() - startMs };
}

/** The socket of the server of a database. */
const socketOf = (database: string) => `${new URL(database).searchParams.get('host')}/.s.PGSQL.5432`;

const nameOf = (database: string) => new URL(database).pathname.slice(1);

describe.skipIf(engines.missing)(`a start of a node that cannot succeed${engines.note}`, { concurrent: true }, () => {
  let hba: Awaited<ReturnType<typeof temporaryFolder>>;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let store: string;
  let guarded: string;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    const settings = ['--requirepass', 'right-password', '--port', String(port), '--bind', '127.0.0.1'];
    hba = await temporaryFolder();
    const file = join(hba.path, 'hba');
    await writeFile(file, 'local all keyed scram-sha-256\nlocal all all trust\n');
    await chmod(hba.path, 0o755);
    [postgres, redis] = await Promise.all([startPostgres(`hba_file = '${file}'`), startRedis(...settings)]);
    address = `127.0.0.1:${port}/0`;
    store = await postgres.createDatabase();
    guarded = `redis://:right-password@${address}`;
  });
  afterAll(() => Promise.all([postgres?.remove(), redis?.remove(), hba?.remove()]));

  async function expectFailure(
    reason: RegExp,
    ...given: readonly [string | undefined, string | undefined, Readonly<Record<string, string>>?]
  ) {
    const { code, lines, ms } = await failure(...given);
    expect(lines.at(-1)).toMatch(reason);
    expect(code).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(3);
    expect(lines.join('\n')).not.toMatch(/hunter2|\n\s+at /);
    expect(ms).toBeLessThan(10_000);
  }

  it('names PostgreSQL without Redis, and Redis without PostgreSQL', async () => {
    await expectFailure(/give --bus, too/, store, undefined);
    await expectFailure(/give --store, too/, undefined, 'redis://127.0.0.1:1');
  });

  it('says that PostgreSQL cannot be reached', async () => {
    await expectFailure(/PostgreSQL.* could not be reached/, 'postgres://ada:hunter2@127.0.0.1:1/db', guarded);
  });

  it('does not wait for a server that accepts and never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    try {
      await expectFailure(/PostgreSQL.* within \d+ ms\)/, `postgres://ada:hunter2@127.0.0.1:${port}/db`, guarded);
      await expectFailure(/Redis/, store, `redis://:hunter2@127.0.0.1:${port}/0`);
    } finally {
      silent.close();
    }
  });

  it('exits with 0 by the deadline after SIGTERM during the start', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const engines = ['--store', `postgres://ada@127.0.0.1:${port}/db`, '--bus', guarded];
    const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--drain-timeout', '0', ...engines], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said] = await Promise.all([
      text(child.stderr),
      once(silent, 'connection').then(() => child.kill('SIGTERM')),
    ]);
    if (child.exitCode === null) await once(child, 'exit');
    silent.close();
    expect(child.exitCode).toBe(0);
    expect(said).toContain('told to stop while it started');
  });

  it('ends in time, and logs nothing else, when PostgreSQL falls silent in the middle of a start', async () => {
    const [proxy, database] = await Promise.all([ChaosProxy.to(socketOf(store)), postgres.createDatabase()]);
    const client = new pg.Client(database);
    await client.connect();
    try {
      const address = `postgres://postgres:hunter2@127.0.0.1:${proxy.port}/${client.database}`;
      const failed = failure(address, guarded);
      const isRegistered = async () => {
        const { rows } = await client.query("SELECT to_regclass('rallypoint.nodes') AS nodes");
        return rows[0]?.nodes != null && (await client.query('SELECT FROM rallypoint.nodes')).rowCount === 1;
      };
      while (!(await isRegistered())) await new Promise(resolve => setTimeout(resolve, 5));
      proxy.freeze();
      const frozenMs = performance.now();
      const { code, lines } = await failed;
      expect(code).toBeGreaterThan(0);
      expect(lines).toEqual([expect.stringMatching(/^rallypoint: PostgreSQL/)]);
      expect(performance.now() - frozenMs).toBeLessThan(10_000);
    } finally {
      proxy.close();
      await client.end();
    }
  });

  it('rejects an address in which a part of the password would be taken for something else, and does not show it', async () => {
    await expectFailure(/store must be the URL/, 'postgres:/ada:hunter2@127.0.0.1:1/db', guarded);
    await expectFailure(/store must be the URL/, 'postgres://ada:12#hunter2@127.0.0.1:1/db', guarded);
    await expectFailure(/bus must be a URL/, store, 'redis://:12#hunter2@127.0.0.1:1/0');
  });

  it('names a database, a user and a password that PostgreSQL rejects', async () => {
    await expectFailure(/database "nowhere" does not exist/, store.replace(/test_\d+/, 'nowhere'), guarded);
    await expectFailure(/role "nobody" does not exist/, store.replace('postgres@', 'nobody:hunter2@'), guarded);
    await postgres.command(`CREATE ROLE keyed LOGIN PASSWORD 'right-password'`);
    await expectFailure(/rejects the connection: password/, store.replace('postgres@', 'keyed:hunter2@'), guarded);
    await expectFailure(
      /rejects the connection:.* Check the .* password/,
      store.replace('postgres@', 'keyed@'),
      guarded,
    );
  });

  it('says that PostgreSQL has no connection left for this node', async () => {
    const database = await postgres.createDatabase();
    await postgres.command('CREATE ROLE lonely LOGIN CONNECTION LIMIT 1');
    await postgres.command(`ALTER DATABASE ${nameOf(database)} OWNER TO lonely`);
    // It waits for one as long as a start may take, which other tests measure.
    const { code, lines } = await failure(database.replace('postgres@', 'lonely@'), guarded);
    expect(code).toBeGreaterThan(0);
    expect(lines).toEqual([expect.stringContaining('too many connections for role "lonely"')]);
  });

  it('says that PostgreSQL does not speak TLS, and nothing else', async () => {
    const proxy = await ChaosProxy.to(socketOf(store));
    try {
      const address = `postgres://postgres:hunter2@127.0.0.1:${proxy.port}/${nameOf(store)}`;
      await expectFailure(/rejects the connection: .* support SSL/, `${address}?sslmode=require`, guarded);
    } finally {
      proxy.close();
    }
  });

  it('rejects a database that cannot hold every character', async () => {
    await postgres.command(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await expectFailure(/encoding LATIN1/, store.replace(nameOf(store), 'latin'), guarded);
  });

  it('says that Redis cannot be reached, or rejects the password', async () => {
    await expectFailure(/Redis at .*127\.0\.0\.1:1/, store, 'redis://:hunter2@127.0.0.1:1/0');
    await expectFailure(/password/i, store, `redis://:hunter2@${address}`);
  });

  it('rejects a database of a newer version, and leaves it as it is', async () => {
    const newer = await postgres.createDatabase();
    const client = new pg.Client(newer);
    await client.connect();
    await client.query('CREATE SCHEMA rallypoint; CREATE TABLE rallypoint.layout (version int PRIMARY KEY)');
    await client.query('INSERT INTO rallypoint.layout VALUES (999)');
    await client.end();
    await expectFailure(/newer version/, newer, guarded);
  });

  it('rejects a secret that is too short', async () => {
    await expectFailure(/at least 16 characters/, store, guarded, { RALLYPOINT_SECRET: 'hunter2' });
  });
});
