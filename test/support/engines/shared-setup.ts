import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the services of tests keep their state when they run on PostgreSQL and Redis. */
    sharedEngines: { readonly postgres: string; readonly redis: string };
  }
}

const databases = 65_536;

/** Starts one PostgreSQL and one Redis for a whole run with RALLYPOINT_TEST_ENGINES=shared. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([
    startPostgres('max_connections = 1000'),
    startRedis('--databases', String(databases)),
  ]);
  const main = await postgres.createDatabase();
  const client = new pg.Client(main);
  await client.connect();
  await client.query('CREATE SEQUENCE numbers');
  await client.end();
  project.provide('sharedEngines', { postgres: main, redis: redis.url() });
  return async () => {
    await Promise.all([postgres.remove(), redis.remove()]);
  };
}
