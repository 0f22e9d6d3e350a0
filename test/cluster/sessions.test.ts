import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeCodes, type GatewayFrame, intents, opcodes } from '../../src/model/gateway.ts';
import { type NodeProcess, TestCluster } from '../support/cluster/test-cluster.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const players = starfall.users.map(({ id }) => id);

/** A player who always goes on at some node, and keeps every dispatch. */
class Player {
  readonly received: GatewayFrame[] = [];
  readonly #token: string;
  readonly #session: string;
  #client: GatewayClient;
  #taken = 0;

  private constructor(token: string, client: GatewayClient) {
    this.#token = token;
    this.#client = client;
    this.#session = client.sessionId;
  }

  static async join(node: NodeProcess, id: string): Promise<Player> {
    const token = `Bearer ${await playerToken(node.ready, id)}`;
    return new Player(token, await GatewayClient.identified(node.ready.gateway, { token, intents: intents.LOBBIES }));
  }

  get client(): GatewayClient {
    return this.#client;
  }

  get numbers(): readonly (number | null | undefined)[] {
    return this.received.map(({ s }) => s);
  }

  /** What LOBBY_UPDATE has shown. */
  get seen(): readonly number[] {
    return this.received.flatMap(({ t, d }) => {
      const { metadata } = (d ?? {}) as { metadata?: { n?: string } };
      return t === 'LOBBY_UPDATE' && metadata?.n !== undefined ? [Number(metadata.n)] : [];
    });
  }

  collect(): void {
    const { frames } = this.#client;
    for (; this.#taken < frames.length; this.#taken++) {
      const frame = frames[this.#taken];
      if (frame?.op === opcodes.INVALID_SESSION) throw new Error('The session could not be resumed.');
      if (frame?.op === opcodes.DISPATCH) this.received.push(frame);
    }
  }

  async until(n: number): Promise<void> {
    await this.#client.until(() => {
      this.collect();
      return this.seen.at(-1) === n;
    });
  }

  /** Goes on at another node. @returns the former connection */
  async resume(node: NodeProcess): Promise<GatewayClient> {
    this.collect();
    const former = this.#client;
    const client = await GatewayClient.open(node.ready.gateway);
    client.resume(this.#token, this.#session, this.received.at(-1)?.s ?? 0);
    this.#client = client;
    this.#taken = 0;
    await client.until(() => {
      this.collect();
      return client.names.includes('RESUMED');
    });
    return former;
  }
}

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
    const all = await Promise.all(players.map((player, at) => Player.join(at % 2 === 0 ? a : b, player)));
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
    const switched = await Promise.all(all.map(player => player.resume(c)));
    for (const former of switched) expect((await former.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    await change(a, b, c);
    await received();

    // A node that freezes, and goes on after its sessions have moved.
    c.freeze();
    await change(a, b);
    const frozen = await Promise.all(all.map((player, at) => player.resume(at % 2 === 0 ? a : b)));
    await change(b, a);
    c.proceed();
    for (const former of frozen) expect((await former.closed).code).toBe(closeCodes.NOT_AUTHENTICATED.code);
    await change(c, a);
    await received();

    // A node that is killed, and one that is asked to stop.
    const killed = a.end('SIGKILL');
    await change(b, c);
    await Promise.all(all.map(player => player.resume(c)));
    await killed;
    await change(b, c);
    await received();
    const drained = c.end('SIGTERM');
    await Promise.all(all.map(({ client }) => client.closed));
    await Promise.all(all.map(player => player.resume(b)));
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
