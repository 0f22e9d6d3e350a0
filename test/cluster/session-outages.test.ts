import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/service/index.ts';
import { Player } from '../support/cluster/player.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const engines = await needs('postgres', 'redis');
const players = starfall.users.map(({ id }) => id);

describe.skipIf(engines.missing)(`players while an engine is away${engines.note}`, () => {
  let cluster: TestCluster;
  let nodes: readonly [Service, Service];
  beforeAll(async () => {
    cluster = await TestCluster.start(2, { fixtures: starfall, limits: 'off' });
    nodes = [cluster.node(0), cluster.node(1)];
  });
  afterAll(() => cluster?.close());

  it.each(['PostgreSQL', 'Redis'] as const)(
    'have every event once when %s was killed',
    { timeout: 60_000 },
    async engine => {
      const [a, b] = nodes;
      const members = players.map(id => ({ id }));
      const { id } = (await callApi(a, 'POST', '/lobbies', { members })).body as { id: string };
      const all = await Promise.all(players.map((player, at) => Player.join(at % 2 === 0 ? a : b, player)));
      const written: number[] = [];
      let next = 1;
      /** Tries until the answer is a success; each try writes another number, which counts only then. */
      const change = async (node: Service): Promise<void> => {
        for (let tries = 0; tries < 200; tries++) {
          const n = next++;
          const { status } = await callApi(node, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });
          if (status === 200) return void written.push(n);
          await new Promise(resolve => setTimeout(resolve, 100));
        }
        throw new Error('The service did not come back.');
      };
      const received = () => Promise.all(all.map(player => player.until(written.at(-1) ?? 0)));

      await change(a);
      await received();
      const server = engine === 'PostgreSQL' ? cluster.postgres : cluster.redis;
      const writing = Promise.all(nodes.map(node => change(node).then(() => change(node))));
      await server.kill();
      await server.start();
      await writing;
      await change(b);
      await received();
      await Promise.all(all.map((player, at) => player.resume(at % 2 === 0 ? b : a)));
      await change(a);
      await received();
      for (const player of all) {
        expect(player.numbers).toEqual(player.numbers.map((_, at) => at + 1));
        expect(player.seen.toSorted((x, y) => x - y)).toEqual(written.toSorted((x, y) => x - y));
        await player.client.end();
      }
    },
  );
});
