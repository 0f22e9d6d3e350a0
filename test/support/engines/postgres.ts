import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { doesRun } from '../runs/on-path.ts';
import { type ServerProcess, startServer } from './process.ts';

/** A private PostgreSQL on a unix socket. */
export interface PostgresServer {
  /** A new, empty database. @returns its address */
  createDatabase(): Promise<string>;
  freeze(): void;
  proceed(): void;
  /** Ends it without any warning, and all of its processes. */
  kill(): Promise<void>;
  /** Ends it; connections are closed. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Starts it again as a standby, which accepts no writes. */
  demote(): Promise<void>;
  /** Makes the standby accept writes again. */
  promote(): Promise<void>;
  /** Runs one statement as the superuser. */
  command(text: string): Promise<void>;
  remove(): Promise<void>;
}

const user = 'postgres';
/** Survives `kill -9` of its processes, but not a crash of the machine, and is faster so. */
const settings = [
  "listen_addresses = ''",
  'fsync = off',
  'full_page_writes = off',
  'shared_buffers = 64MB',
  'max_connections = 100',
];

/** The folder of the programs of PostgreSQL 15 or newer. */
export function findPostgres(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter(version => version >= 15)
    : [];
  if (versions.length > 0) return join(root, String(Math.max(...versions)), 'bin');
  return doesRun('pg_config', ['--bindir'])
    ? execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
    : undefined;
}

/** @param more lines of its configuration */
export async function startPostgres(...more: string[]): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed.');
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-postgres-'));
  const data = join(folder, 'data');
  const owner = ownerOf(folder);
  const args = ['-D', data, '-A', 'trust', '-U', user, '-N', '-E', 'UTF8', '--locale=C.UTF-8'];
  await promisify(execFile)(join(programs, 'initdb'), args, { ...owner, cwd: folder });
  appendFileSync(
    join(data, 'postgresql.conf'),
    [...settings, `unix_socket_directories = '${folder}'`, ...more, ''].join('\n'),
  );
  const open = () =>
    startServer(join(programs, 'postgres'), ['-D', data], /ready to accept (read-only )?connections/, {
      ...owner,
      cwd: folder,
    });
  let server: ServerProcess | undefined = await open();
  const end = async (signal: NodeJS.Signals) => {
    await server?.end(signal);
    server = undefined;
  };
  const url = (name: string) => `postgres://${user}@localhost/${name}?host=${encodeURIComponent(folder)}`;
  let databases = 0;
  const command = async (text: string) => {
    const client = new pg.Client(url('postgres'));
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  return {
    async createDatabase() {
      const name = `test_${++databases}`;
      await command(`CREATE DATABASE ${name}`);
      return url(name);
    },
    async demote() {
      await end('SIGINT');
      writeFileSync(join(data, 'standby.signal'), '');
      server = await open();
    },
    promote: () => command('SELECT pg_promote()'),
    command,
    freeze: () => server?.freeze(),
    proceed: () => server?.proceed(),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    async start() {
      server ??= await open();
    },
    async remove() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL rejects to run as root. */
function ownerOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.geteuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map(option => Number(execFileSync('id', [option, user], { encoding: 'utf8' })));
  if (uid === undefined || gid === undefined) return {};
  chownSync(folder, uid, gid);
  return { uid, gid };
}
