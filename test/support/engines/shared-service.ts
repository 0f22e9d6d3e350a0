import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { EventReader } from '../../../src/service/cluster/event-reader.ts';
import { type Service, type ServiceOptions, startService as start } from '../../../src/service/index.ts';
import { eventReaders } from './delivery.ts';

/**
 * Stands in for the service's entry point in a run with RALLYPOINT_TEST_ENGINES=shared (vitest.config.ts): what tests start without
 * a data folder is a node on a PostgreSQL database and a Redis number of its own.
 */
export * from '../../../src/service/index.ts';

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  if (options.data !== undefined || options.store !== undefined) return start(options);
  return start({ ...options, ...(await freshEngines()) });
}

// Tests ask for what was committed (delivery.ts), and a service shows nobody its reader.
const begin = EventReader.prototype.start;
EventReader.prototype.start = function () {
  eventReaders.add(this);
  return begin.call(this);
};

async function freshEngines(): Promise<{ readonly store: string; readonly bus: string }> {
  const { postgres, redis } = inject('sharedEngines');
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT nextval('numbers') AS number`);
    const name = `service_${randomUUID().replaceAll('-', '')}`;
    await client.query(`CREATE DATABASE ${name}`);
    const store = new URL(postgres);
    store.pathname = `/${name}`;
    return { store: store.href, bus: redis.replace(/db=\d+$/, `db=${rows[0].number}`) };
  } finally {
    await client.end();
  }
}
