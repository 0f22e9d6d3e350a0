import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** A PostgreSQL database with its tables and a Redis number that nobody else uses. */
export async function freshEngines(): Promise<{ readonly store: string; readonly bus: string }> {
  const { postgres, redis, template } = inject('sharedEngines');
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT nextval('numbers') AS number`);
    const name = `service_${randomUUID().replaceAll('-', '')}`;
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    const store = new URL(postgres);
    store.pathname = `/${name}`;
    return { store: store.href, bus: redis.replace(/db=\d+$/, `db=${rows[0].number}`) };
  } finally {
    await client.end();
  }
}
