import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Journal } from '../../../../src/service/support/journal.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { patienceMs, runs } from '../../../support/runs/soak.ts';
import { ada } from '../../features/support.ts';
import { makeRig, type Rig } from '../rig.ts';

const connections = runs(1_000, 10_000);
const atOnce = 50;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Opens, uses and ends connections in every way there is. */
async function come(rig: Rig, count: number): Promise<void> {
  for (let done = 0; done < count; done += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, n) => visit(rig, n)));
    await rig.world.core.clock.advance(0);
  }
  await expect.poll(() => rig.gateway.connectionCount).toBe(0);
  await rig.world.core.clock.advance(serviceLimits.gatewayResumeWindowMs);
  expect(rig.gateway.sessionCount).toBe(0);
}

async function visit(rig: Rig, n: number): Promise<void> {
  const client = await GatewayClient.open(rig.url, ['', '?compress=zlib-stream', '?compress=zstd-stream'][n % 3]);
  if (n % 5 < 3) {
    client.identify({ token: `Bearer ${await rig.token(ada)}`, compress: n % 2 === 0 });
    await client.dispatch('READY');
    await client.beat();
  }
  if (n % 5 === 1) client.socket.terminate();
  else if (n % 5 === 4) client.socket.send(Buffer.from('rubbish'));
  else client.socket.close(1000);
  await client.closed;
}

async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise(resolve => setImmediate(resolve));
    collectGarbage();
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

it(
  `leaves nothing behind of ${connections} connections`,
  async () => {
    const rig = await makeRig({ journal: new Journal({ now: () => 0, schedule: () => () => {} }, 100) });
    await come(rig, 300); // what is kept once and for all
    const before = await heapBytes();
    await come(rig, connections);
    const grown = (await heapBytes()) - before;
    await rig.close();
    expect(grown).toBeLessThan(1.5 * 1024 * 1024);
  },
  patienceMs,
);
