import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** Databases that exist. */
const created: string[] = [];

/** A PostgreSQL database with its tables and a Redis number that nobody else uses. */
export function freshEngines(): Promise<{ readonly store: string; readonly bus: string }> {
  const { postgres, redis, template } = inject('sharedEngines');
  return withClient(async client => {
    const { rows } = await client.query(`SELECT nextval('numbers') AS number`);
    const name = `service_${randomUUID().replaceAll('-', '')}`;
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    created.push(name);
    const store = new URL(postgres);
    store.pathname = `/${name}`;
    return { store: store.href, bus: redis.replace(/db=\d+$/, `db=${rows[0].number}`) };
  });
}

/** Deletes the databases that nobody needs any more: hundreds of them would keep the disk busy. */
export async function dropDatabases(): Promise<void> {
  if (created.length === 0) return;
  await withClient(async client => {
    for (const name of created.splice(0)) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
}

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(inject('sharedEngines').postgres);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
