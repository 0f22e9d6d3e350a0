import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { type ServerProcess, startServer } from './process.ts';

/** A private Redis on a unix socket. It keeps nothing on disk, so that it starts empty each time. */
export interface RedisServer {
  url(database?: number): string;
  /** Runs one command; the database is 0. */
  command(...args: string[]): Promise<unknown>;
  freeze(): void;
  proceed(): void;
  /** Ends it without any warning. */
  kill(): Promise<void>;
  /** Starts it again after {@link RedisServer.kill}. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** @param settings more of its options, such as `--requirepass` */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-redis-'));
  const path = join(folder, 'redis.sock');
  const args = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', '', '--appendonly', 'no', ...settings];
  const open = () => startServer('redis-server', args, /ready to accept connections/i);
  let server: ServerProcess | undefined = await open();
  const kill = async () => {
    await server?.end('SIGKILL');
    server = undefined;
  };
  return {
    url: (database = 0) => `unix://${path}?db=${database}`,
    async command(...words) {
      const client = createClient({ socket: { path, tls: false } });
      client.on('error', () => {});
      await client.connect();
      try {
        return await client.sendCommand(words);
      } finally {
        client.destroy();
      }
    },
    freeze: () => server?.freeze(),
    proceed: () => server?.proceed(),
    kill,
    async start() {
      server ??= await open();
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
