import { type ClusterBus, type ClusterBusOptions, openClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { migrate } from '../../../src/service/store/postgres/migrate.ts';
import { openPostgres, type Postgres } from '../../../src/service/store/postgres/postgres.ts';
import { systemClock } from '../../../src/wire/clock/ports.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { type RedisServer, startRedis } from './redis.ts';

/** Private servers for the nodes of a cluster, and an empty database. */
export interface Engines {
  readonly server: PostgresServer;
  readonly redis: RedisServer;
  /** The address of the database. */
  readonly url: string;
  /** Connections for the test itself. */
  readonly postgres: Postgres;
  /** Opens the bus of another node, with connections of its own; closed by {@link Engines.closeNodes}. */
  node(options?: Partial<ClusterBusOptions> & { readonly url?: string }): Promise<ClusterBus>;
  /** Another database with our tables. @returns its address */
  database(): Promise<string>;
  /** Closes the nodes and empties both engines. */
  closeNodes(): Promise<void>;
  remove(): Promise<void>;
}

/** @param settings more lines of PostgreSQL's configuration */
export async function startEngines(...settings: string[]): Promise<Engines> {
  const [server, redis] = await Promise.all([startPostgres(...settings), startRedis()]);
  const database = async () => {
    const created = await server.createDatabase();
    const connection = await openPostgres(created);
    await migrate(connection);
    await connection.close();
    return created;
  };
  const url = await database();
  const postgres = await openPostgres(url);
  let closes: (() => Promise<void>)[] = [];
  return {
    ...{ server, redis, url, postgres, database },
    async node(options = {}) {
      const own = await openPostgres(options.url ?? url, { connections: 2, commitConnections: 1 });
      closes.push(() => own.close());
      const bus = await openClusterBus({ postgres: own, redisUrl: redis.url(), clock: systemClock, ...options });
      closes.unshift(() => bus.close());
      return bus;
    },
    async closeNodes() {
      for (const close of closes) await close();
      closes = [];
      await emptyTables(postgres);
      await redis.command('FLUSHALL');
    },
    async remove() {
      for (const close of closes) await close();
      await postgres.close();
      await Promise.all([server.remove(), redis.remove()]);
    },
  };
}

/** Deletes what the nodes of a test have left in the tables of the bus. */
export async function emptyTables(postgres: Postgres): Promise<void> {
  for (const table of ['events', 'nodes', 'connections']) await postgres.query(`DELETE FROM rallypoint.${table}`);
  await postgres.query('UPDATE rallypoint.events_deleted SET up_to = 0');
}
