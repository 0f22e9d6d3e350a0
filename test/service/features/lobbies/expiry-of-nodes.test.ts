import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import type { Clock } from '../../../../src/wire/clock/ports.ts';
import { MemoryCluster, type MemoryNode } from '../../../support/cluster/memory-cluster.ts';
import { ada } from '../support.ts';

const timeoutSeconds = 7;
let cluster: MemoryCluster;
let nodes: readonly [MemoryNode, MemoryNode, MemoryNode];
beforeEach(async () => {
  cluster = await MemoryCluster.begin();
  nodes = [await cluster.start(), await cluster.start(), await cluster.start()];
});
afterEach(() => cluster.close());

/** The lobbies of a node whose clock is not a virtual one, which belongs to a single node. */
async function lobbiesOf({ core }: MemoryNode): Promise<{ lobbies: Lobbies; stop: () => void }> {
  const clock: Clock = { now: () => core.clock.now(), schedule: (ms, task) => core.clock.schedule(ms, task) };
  const lobbies = createLobbies({ ...core, clock });
  return { lobbies, stop: await lobbies.start() };
}

describe('the lobbies of a cluster', () => {
  it('end once, in time, also when the node that created them has died', async () => {
    const [writer, ...others] = await Promise.all(nodes.map(lobbiesOf));
    const input = { members: [{ id: ada }], idle_timeout_seconds: timeoutSeconds };
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const text = await writer?.lobbies.create(cluster.world.starfall, input);
      ids.push((JSON.parse(text ?? '') as { id: string }).id);
    }
    nodes[0].kill();
    await cluster.clock.advance(timeoutSeconds * 1000 - 1);
    expect(await cluster.store.list('lobbies')).toHaveLength(ids.length);
    await cluster.clock.advance(1001);
    expect(await cluster.store.list('lobbies')).toEqual([]);
    const ends = cluster.events.filter(({ announced }) => announced.event?.name === 'LOBBY_DELETE');
    expect(ends.map(({ announced }) => announced.to).toSorted()).toEqual(ids.map(id => `lobby/${id}`).toSorted());
    for (const { stop } of others) stop();
  });
});
