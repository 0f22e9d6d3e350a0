import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/service/store/postgres/migrate.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the services of tests keep their state when they run on PostgreSQL and Redis. */
    sharedEngines: { readonly postgres: string; readonly redis: string; readonly template: string };
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
  // A copy of a database with its tables takes a tenth of the time that an empty one and its migrations take.
  const template = await postgres.createDatabase();
  const migrated = await openPostgres(template);
  await migrate(migrated);
  await migrated.close();
  project.provide('sharedEngines', { postgres: main, redis: redis.url(), template: nameOf(template) });
  return async () => {
    await Promise.all([postgres.remove(), redis.remove()]);
  };
}

function nameOf(database: string): string {
  return new URL(database).pathname.slice(1);
}
