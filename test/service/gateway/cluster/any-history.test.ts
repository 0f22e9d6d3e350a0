import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatewayFrame, intents, opcodes } from '../../../../src/model/gateway.ts';
import type { GatewayLobby } from '../../../../src/model/lobby.ts';
import { MemoryCluster, type MemoryNode, playerToken } from '../../../support/cluster/memory-cluster.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { tries } from '../../../support/runs/tries.ts';
import { ada, ben } from '../../features/support.ts';

/** What happens; the numbers choose a lobby or a node. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('edit' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), which: fc.nat(1), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drain' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('thaw' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resume' as const), which: fc.nat(3), at: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('acknowledge' as const), which: fc.nat(1), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), which: fc.nat(1), at: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turns' as const), which: fc.nat(30), at: fc.nat(1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

describe('a client that resumes at any node', () => {
  it('has every event once, in order, whatever nodes die, freeze or drain', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
        const history = await History.begin();
        try {
          for (const one of steps) await history.take(one);
          await history.finish();
        } finally {
          await history.close();
        }
      }),
      tries(20, 2_000),
    );
  });
});

/** A cluster, its lobbies, and a player that is always connected somewhere. */
class History {
  readonly #cluster: MemoryCluster;
  readonly #frozen = new Set<MemoryNode>();
  readonly #gone = new Set<MemoryNode>();
  /** Lobby → the texts of its edits, in order. */
  readonly #edits = new Map<string, string[]>();
  readonly #received: GatewayFrame[] = [];
  #client: GatewayClient;
  #node: MemoryNode;
  #taken = 0;
  #session = '';
  #token = '';

  private constructor(cluster: MemoryCluster, node: MemoryNode, client: GatewayClient) {
    this.#cluster = cluster;
    this.#node = node;
    this.#client = client;
  }

  static async begin(): Promise<History> {
    const cluster = await MemoryCluster.begin();
    const nodes = [await cluster.start(), await cluster.start(), await cluster.start()] as const;
    const history = new History(cluster, nodes[0], await GatewayClient.open(nodes[0].url));
    await history.#create(nodes[0]);
    history.#token = await playerToken(cluster.world, ada);
    history.#client.identify({ token: history.#token, intents: intents.LOBBIES | intents.LOBBY_DELETE });
    await history.#client.dispatch('READY');
    history.#session = history.#client.sessionId;
    while (!(await cluster.store.get('gateway_sessions', history.#session))?.base) await turns(1);
    return history;
  }

  async take({ kind, which, at }: Step): Promise<void> {
    const node = this.#live(at);
    switch (kind) {
      case 'edit':
        return this.#edit(node, which);
      case 'create':
        return this.#create(node);
      case 'kill':
      case 'drain':
        return this.#leave(this.#live(which), kind);
      case 'freeze':
        if (this.#awake().length < 2) return;
        node.freeze();
        this.#frozen.add(node);
        return;
      case 'thaw':
        for (const one of this.#frozen) this.#thaw(one);
        return;
      case 'resume':
        return this.#resume(this.#awakeAt(at), which);
      case 'acknowledge':
        this.#client.send({ op: opcodes.HEARTBEAT, d: this.#last });
        return;
      case 'pass':
        // A node that is away for longer may lose its sessions.
        this.#thaw(this.#node);
        return this.#pass(which === 0 ? 30_000 : 10 * 60_000);
      case 'turns':
        return turns(which);
    }
  }

  async finish(): Promise<void> {
    for (const node of this.#frozen) this.#thaw(node);
    await this.#resume(this.#awakeAt(0));
    await this.#edit(this.#live(0), 0);
    await this.#client.until(() => this.#isComplete());
    this.#collect();
    const numbers = this.#received.map(({ s }) => s);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const [id, edits] of this.#edits) expect(this.#seen(id)).toEqual(edits.slice(-this.#seen(id).length));
  }

  async #pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 30_000) {
      this.#client.send({ op: opcodes.HEARTBEAT, d: null });
      await turns(20);
      await this.#cluster.clock.advance(30_000);
    }
  }

  #thaw(node: MemoryNode): void {
    if (this.#frozen.delete(node)) node.thaw();
  }

  async close(): Promise<void> {
    this.#client.socket.terminate();
    await this.#cluster.close();
  }

  get #last(): number {
    return this.#received.at(-1)?.s ?? 0;
  }

  #isComplete(): boolean {
    this.#collect();
    return [...this.#edits].every(([id, edits]) => this.#seen(id).at(-1) === edits.at(-1));
  }

  /** The lobby's texts as its events show them; the first is that of its creation. */
  #seen(id: string): readonly (string | undefined)[] {
    return this.#received
      .filter(({ t, d }) => (t === 'LOBBY_UPDATE' || t === 'LOBBY_CREATE') && (d as GatewayLobby).id === id)
      .map(({ d }) => (d as GatewayLobby).metadata?.text);
  }

  #collect(): void {
    const { frames } = this.#client;
    for (; this.#taken < frames.length; this.#taken++) {
      const frame = frames[this.#taken];
      if (frame?.op === opcodes.INVALID_SESSION) throw new Error('The session could not be resumed.');
      if (frame?.op === opcodes.DISPATCH) this.#received.push(frame);
    }
  }

  async #edit(node: MemoryNode, which: number): Promise<void> {
    const ids = [...this.#edits.keys()];
    const id = ids[which % ids.length] ?? '';
    const edits = this.#edits.get(id) ?? [];
    const text = String(edits.length);
    await node.lobbies.edit(this.#cluster.world.starfall, id, { metadata: { text } });
    edits.push(text);
  }

  async #create(node: MemoryNode): Promise<void> {
    const members = [{ id: ada }, { id: ben }];
    const text = await node.lobbies.create(this.#cluster.world.starfall, { members, metadata: { text: '0' } });
    this.#edits.set((JSON.parse(text) as { id: string }).id, ['0']);
  }

  async #leave(node: MemoryNode, kind: 'kill' | 'drain'): Promise<void> {
    // A node takes its place, so that there is always one that is awake.
    await this.#cluster.start();
    this.#collect();
    this.#gone.add(node);
    this.#thaw(node);
    if (kind === 'kill') node.kill();
    else await node.drain();
    if (node === this.#node) await this.#resume(this.#awakeAt(0));
  }

  /** @param meanwhile how many lobbies are created and edited while the session is being restored */
  async #resume(node: MemoryNode, meanwhile = 0): Promise<void> {
    this.#collect();
    const former = this.#client;
    const client = await GatewayClient.open(node.url);
    this.#collect();
    client.resume(this.#token, this.#session, this.#last);
    const busy = this.#busy(meanwhile);
    this.#client = client;
    this.#node = node;
    this.#taken = 0;
    await client.until(() => {
      this.#collect();
      return client.names.includes('RESUMED');
    });
    former.socket.terminate();
    await busy;
  }

  async #busy(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      await turns(this.#last % 23); // Sometimes before the session is claimed, sometimes after.
      await this.#create(this.#live(0));
      await this.#edit(this.#live(0), this.#edits.size - 1);
    }
  }

  #live(at: number): MemoryNode {
    const live = this.#cluster.nodes.filter(node => !this.#gone.has(node));
    return live[at % live.length] as MemoryNode;
  }

  #awake(): readonly MemoryNode[] {
    return this.#cluster.nodes.filter(node => !this.#gone.has(node) && !this.#frozen.has(node));
  }

  #awakeAt(at: number): MemoryNode {
    const awake = this.#awake();
    return awake[at % awake.length] as MemoryNode;
  }
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve));
}
