import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import { Player } from '../support/cluster/player.ts';
import { type NodeProcess, TestCluster } from '../support/cluster/test-cluster.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const engines = await needs('postgres', 'redis');
const players = starfall.users.map(({ id }) => id);

describe.skipIf(engines.missing)(`players at nodes that end and freeze${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(0);
  });
  afterAll(() => cluster?.close());

  it('have every event once, in order, and nobody hears that they were away', { timeout: 60_000 }, async () => {
    const [a, b, c] = await Promise.all([cluster.spawn(starfall), cluster.spawn(starfall), cluster.spawn(starfall)]);
    const members = players.map(id => ({ id }));
    const { id } = (await callApi(c.ready, 'POST', '/lobbies', { members })).body as { id: string };
    const all = await Promise.all(players.map((player, at) => Player.join((at % 2 === 0 ? a : b).ready, player)));
    let n = 0;
    const change = async (...nodes: NodeProcess[]) => {
      for (const node of nodes) {
        const answer = await callApi(node.ready, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n + 1) } });
        expect(answer.status).toBe(200);
        n++;
      }
    };
    const received = () => Promise.all(all.map(player => player.until(n)));

    await change(a, b, c, a, b, c);
    await received();

    // A network switch: the former node still lives.
    const switched = await Promise.all(all.map(player => player.resume(c.ready)));
    for (const former of switched) expect((await former.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    await change(a, b, c);
    await received();

    // A node that freezes, and goes on after its sessions have moved.
    c.freeze();
    await change(a, b);
    const frozen = await Promise.all(all.map((player, at) => player.resume((at % 2 === 0 ? a : b).ready)));
    await change(b, a);
    c.proceed();
    for (const former of frozen) expect((await former.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    await change(c, a);
    await received();

    // A node that is killed, and one that is asked to stop.
    const killed = a.end('SIGKILL');
    await change(b, c);
    await Promise.all(all.map(player => player.resume(c.ready)));
    await killed;
    await change(b, c);
    await received();
    const drained = c.end('SIGTERM');
    await Promise.all(all.map(({ client }) => client.closed));
    await Promise.all(all.map(player => player.resume(b.ready)));
    await change(b, b);
    await received();
    expect(await drained).toBe(0);

    for (const player of all) {
      expect(player.numbers).toEqual(player.numbers.map((_, at) => at + 1));
      const { seen } = player;
      expect(seen).toEqual(Array.from({ length: n }, (_, at) => at + 1));
      const names = new Set(player.received.map(({ t }) => t));
      expect(names.has('LOBBY_MEMBER_DISCONNECT')).toBe(false);
    }
  });
});
