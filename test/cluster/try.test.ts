import { it } from 'vitest';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { starfall } from '../support/service/starfall.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
it('starts', async () => {
  const say = (f: unknown, m: string) => console.log(m, f);
  const log = { debug: say, info: say, warn: say, error: say } as never;
  const cluster = await TestCluster.start(1, { fixtures: starfall, limits: 'off', log });
  await GatewayClient.identified(cluster.node(0).gateway, { token: 'starfall-bot-token', intents: 1 }).catch(e => console.log(e));
  await cluster.close();
});
