import { afterAll, beforeAll, describe } from 'vitest';
import { type ClusterBus, openClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { migrate } from '../../../src/service/store/postgres/migrate.ts';
import { openPostgres, type Postgres } from '../../../src/service/store/postgres/postgres.ts';
import { announce } from '../../support/engines/announce.ts';
import { emptyTables } from '../../support/engines/cluster.ts';
import { type PostgresServer, startPostgres } from '../../support/engines/postgres.ts';
import { type RedisServer, startRedis } from '../../support/engines/redis.ts';
import { needs } from '../../support/runs/parts.ts';
import { busSuite } from '../bus/suite.ts';

const engines = await needs('postgres', 'redis');

describe.skipIf(engines.missing)(`the bus of a cluster${engines.note}`, () => {
  let server: PostgresServer;
  let redis: RedisServer;
  let url: string;
  let postgres: Postgres;

  beforeAll(async () => {
    [server, redis] = await Promise.all([startPostgres(), startRedis()]);
    url = await server.createDatabase();
    postgres = await openPostgres(url);
    await migrate(postgres);
  });
  afterAll(async () => {
    await postgres?.close();
    await Promise.all([server?.remove(), redis?.remove()]);
  });

  busSuite('PostgreSQL and Redis', async clock => {
    await emptyTables(postgres);
    await redis.command('FLUSHALL');
    const open = () => openClusterBus({ postgres, redisUrl: redis.url(1), clock });
    const nodes: [ClusterBus, ClusterBus] = [await open(), await open()];
    return {
      nodes,
      async publish(node, announced) {
        await announce(postgres, announced);
        await node.publish([]);
      },
      // One that is closed reads no more.
      settled: async () => void (await Promise.allSettled(nodes.map(({ reader }) => reader.caughtUp()))),
      remove: async () => {},
    };
  });
});
