import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LimitProfile } from '../../../src/model/limits/limit-profiles.ts';
import { createCredentials } from '../../../src/service/auth/credentials.ts';
import type { Bus } from '../../../src/service/bus/contract.ts';
import { localBus } from '../../../src/service/bus/local.ts';
import {
  type Cluster,
  type DepartedNode,
  EventsLostError,
  type KnownNode,
  type PlacedEvent,
  type ReplayQuery,
} from '../../../src/service/cluster/contract.ts';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { createLobbies, type Lobbies } from '../../../src/service/features/lobbies/lobbies.ts';
import { ClusterSessions } from '../../../src/service/gateway/cluster/sessions.ts';
import { createGateway, type Gateway } from '../../../src/service/gateway/gateway.ts';
import { StoreError } from '../../../src/service/store/errors.ts';
import { openMemoryStore } from '../../../src/service/store/memory/store.ts';
import { PendingWork } from '../../../src/service/support/pending-work.ts';
import { hashSecret } from '../../../src/service/support/secret.ts';
import type { Cancel } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { makeCore, seededEntropy } from '../../service/control/support.ts';
import { makeWorld, type TestCore, type World } from '../../service/features/support.ts';
import { ScopedRevisions } from './scoped-revisions.ts';

/**
 * The nodes of a cluster in one process: gateways with the real lobbies over one store in memory. Each node reads the events on its own,
 * as late as a test wants.
 */
export class MemoryCluster {
  readonly clock: VirtualClock;
  readonly pendingWork = new PendingWork();
  readonly events: PlacedEvent[] = [];
  /** Events up to this position were deleted. */
  lostUpTo = 0;
  readonly store: ScopedRevisions;
  readonly world: World;
  readonly nodes: MemoryNode[] = [];
  readonly connections = new Map<string, Map<string, string>>();
  /** Departed nodes, and since when. */
  readonly departedAt = new Map<string, number>();
  /** What the nodes count together. */
  readonly shared: Bus;

  private constructor(core: TestCore, store: ScopedRevisions, clock: VirtualClock) {
    this.clock = clock;
    this.store = store;
    this.world = { core } as World;
    this.shared = localBus(clock);
  }

  static async begin(limits?: LimitProfile): Promise<MemoryCluster> {
    let cluster: MemoryCluster | undefined;
    const store = new ScopedRevisions(openMemoryStore({ sink: announced => cluster?.append(announced) }));
    const core = await makeCore();
    await core.store.close();
    cluster = new MemoryCluster({ ...core, store }, store, core.clock);
    const world = await makeWorld({ store });
    Object.assign(cluster.world, world, limits && { core: { ...world.core, limits } });
    return cluster;
  }

  get head(): number {
    return this.events.at(-1)?.announced.position ?? 0;
  }

  async start(): Promise<MemoryNode> {
    const node = await MemoryNode.start(this, `node-${this.nodes.length + 1}`);
    this.nodes.push(node);
    return node;
  }

  /** A batch of commits has one position. */
  append(announced: readonly Announced[]): void {
    const position = Math.max(this.head + 1, announced.at(-1)?.position ?? 0);
    for (const [number, one] of announced.entries()) {
      this.events.push({ announced: { ...this.store.translate(one), position }, number });
    }
    for (const node of this.nodes) node.wake();
  }

  /** Deletes all events so far, which every node that is not frozen has read. */
  deleteEvents(): void {
    this.lostUpTo = this.head;
    this.events.length = 0;
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
    await this.store.close();
  }
}

export class MemoryNode implements Cluster {
  readonly node: string;
  readonly cluster: MemoryCluster;
  position: number;
  core!: TestCore;
  lobbies!: Lobbies;
  gateway!: Gateway;
  sessions!: ClusterSessions;
  url = '';
  /** Players of whom the node announced that they connected or disconnected. */
  readonly notified: string[] = [];
  #server!: Server;
  readonly #bus: Bus;
  readonly #waiting: { readonly upTo: number; readonly resolve: () => void }[] = [];
  readonly #lost = new Set<() => void>();
  #isFrozen = false;
  #isDead = false;
  #isDelivering = false;
  /** The store does not answer. */
  isCutOff = false;
  readonly #died = Promise.withResolvers<void>();

  private constructor(cluster: MemoryCluster, node: string) {
    this.cluster = cluster;
    this.node = node;
    this.position = cluster.head;
    this.#bus = localBus(cluster.clock);
  }

  static async start(cluster: MemoryCluster, id: string): Promise<MemoryNode> {
    const node = new MemoryNode(cluster, id);
    const { core } = cluster.world;
    node.core = {
      ...core,
      entropy: seededEntropy(id),
      store: node.#store(),
      bus: node.#asBus(),
      cluster: node,
      clock: new NodeClock(cluster.clock, node.#died.promise),
    };
    node.lobbies = createLobbies(node.core);
    const watched: Lobbies = {
      ...node.lobbies,
      connected: async (applicationId, userId) => {
        node.notified.push(`+${userId}`);
        await node.lobbies.connected(applicationId, userId);
      },
      disconnected: async (applicationId, userId) => {
        node.notified.push(`-${userId}`);
        await node.lobbies.disconnected(applicationId, userId);
      },
    };
    node.gateway = createGateway(node.core, {
      credentials: createCredentials(node.core),
      lobbies: watched,
      pendingWork: cluster.pendingWork,
      cluster: (sessions, watch) => {
        node.sessions = new ClusterSessions(node.core, node, sessions, watch);
        return node.sessions;
      },
    });
    await node.gateway.restore();
    node.#server = createServer();
    node.gateway.attach(node.#server);
    await new Promise<void>(resolve => node.#server.listen(0, '127.0.0.1', resolve));
    node.url = `ws://127.0.0.1:${(node.#server.address() as AddressInfo).port}/gateway`;
    return node;
  }

  wake(): void {
    if (!this.#isDelivering && !this.#isFrozen && !this.#isDead) {
      this.#isDelivering = true;
      setImmediate(() => this.#deliver());
    }
  }

  /** It reads no events any more, and the others believe that it is dead; otherwise it works on. */
  freeze(): void {
    this.#isFrozen = true;
    this.cluster.departedAt.set(this.node, this.cluster.clock.now());
  }

  thaw(): void {
    this.#isFrozen = false;
    this.cluster.departedAt.delete(this.node);
    this.wake();
  }

  /** Nothing of what it does has an effect any more. */
  kill(): void {
    this.#isDead = true;
    this.#died.resolve();
    this.cluster.departedAt.set(this.node, this.cluster.clock.now());
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** It stops as on SIGTERM. */
  async drain(): Promise<void> {
    this.#server.close();
    await this.gateway.close();
    this.#isDead = true;
    this.cluster.departedAt.set(this.node, this.cluster.clock.now());
  }

  async close(): Promise<void> {
    if (this.#isDead) {
      void this.sessions.stop();
      return;
    }
    this.thaw();
    this.#server.close();
    await this.gateway.close();
    this.#isDead = true;
  }

  async caughtUp(): Promise<void> {
    const upTo = this.cluster.head;
    if (this.position >= upTo) return;
    this.wake();
    await new Promise<void>(resolve => this.#waiting.push({ upTo, resolve }));
  }

  async *replay({ after, upTo, topics }: ReplayQuery): AsyncGenerator<readonly PlacedEvent[]> {
    if (upTo > this.position) throw new Error('These events were not delivered yet.');
    const wanted = new Set(topics);
    for (let at = after; ; ) {
      // Long enough for commits to come in between.
      for (let turns = 0; turns < 8; turns++) await turn();
      if (at.position < this.cluster.lostUpTo) throw new EventsLostError(after.position);
      const piece = this.cluster.events
        .filter(({ announced: { position, to }, number }) => {
          const isAfter = position > at.position || (position === at.position && number > at.number);
          return isAfter && position <= upTo && wanted.has(to);
        })
        .slice(0, 3);
      const last = piece.at(-1);
      if (!last) return;
      yield piece;
      at = { position: last.announced.position, number: last.number };
    }
  }

  onLost(listener: () => void): () => void {
    this.#lost.add(listener);
    return () => this.#lost.delete(listener);
  }

  async enter(who: string, session: string): Promise<number> {
    await this.#alive();
    const sessions = this.cluster.connections.get(who) ?? new Map<string, string>();
    this.cluster.connections.set(who, sessions);
    sessions.set(session, this.node);
    return sessions.size;
  }

  async leave(who: string, session: string): Promise<number | undefined> {
    await this.#alive();
    const sessions = this.cluster.connections.get(who);
    if (sessions?.get(session) !== this.node) return undefined;
    sessions.delete(session);
    return sessions.size;
  }

  async departed(): Promise<readonly DepartedNode[]> {
    await this.#alive();
    const nowMs = this.cluster.clock.now();
    return [...this.cluster.departedAt].map(([id, sinceMs]) => ({ id, goneForMs: nowMs - sinceMs }));
  }

  async nodes(): Promise<readonly KnownNode[]> {
    await this.#alive();
    const departed = [...this.cluster.departedAt.keys()].filter(id => id !== this.node);
    return [
      { id: this.node, address: null, state: 'alive' },
      ...departed.map(id => ({ id, address: null, state: 'departed' as const })),
    ];
  }

  async forget(node: string): Promise<void> {
    this.cluster.departedAt.delete(node);
  }

  #deliver(): void {
    this.#isDelivering = false;
    if (this.#isFrozen || this.#isDead) return;
    if (this.position < this.cluster.lostUpTo) {
      this.position = this.cluster.lostUpTo;
      for (const listener of this.#lost) listener();
    }
    const next = this.cluster.events.find(({ announced }) => announced.position > this.position)?.announced.position;
    if (next !== undefined) {
      const together = this.cluster.events.filter(({ announced }) => announced.position === next);
      this.position = next;
      void this.#bus.publish(together.map(({ announced }) => announced));
    }
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.upTo <= this.position) waiting.resolve();
      else this.#waiting.push(waiting);
    }
    if (this.position < this.cluster.head) this.wake();
  }

  #asBus(): Bus {
    const { shared, connections } = this.cluster;
    return {
      engine: 'memory',
      publish: () => {},
      subscribe: (topic, listener) => this.#bus.subscribe(topic, listener),
      count: (name, limit, calls) => shared.count(name, limit, calls),
      enter: () => {
        throw new Error('The gateway of a cluster registers its sessions itself.');
      },
      present: async who => connections.get(who)?.size ?? 0,
      lease: (name, termMs) => shared.lease(name, termMs),
      close: () => this.#bus.close(),
    };
  }

  /** The store, as long as the node lives. */
  #store(): TestCore['store'] {
    const { store } = this.cluster;
    const alive = () => this.#alive();
    return {
      engine: store.engine,
      get: async (name, ...key) => alive().then(() => store.get(name, ...key)),
      list: async (name, query) => alive().then(() => store.list(name, query)),
      count: async (name, atMost) => alive().then(() => store.count(name, atMost)),
      revision: async scope => alive().then(() => store.revision(scope)),
      transact: async (scope, work, guards) => {
        await alive();
        const value = await store.transact(scope, work, guards);
        await alive();
        return value;
      },
      read: take => store.read(take),
      dump: () => store.dump(),
      load: content => store.load(content),
      close: async () => {},
    };
  }

  /** Never resolves on a node that was killed. */
  #alive(): Promise<void> {
    if (this.isCutOff) return Promise.reject(new StoreError('store_unavailable', 'The store is away.'));
    return this.#isDead ? new Promise(() => {}) : Promise.resolve();
  }
}

/** The clock of the cluster, which waits for nothing that a dead node has begun. */
class NodeClock extends VirtualClock {
  readonly #clock: VirtualClock;
  readonly #died: Promise<void>;

  constructor(clock: VirtualClock, died: Promise<void>) {
    super(clock.now());
    this.#clock = clock;
    this.#died = died;
  }

  override now(): number {
    return this.#clock.now();
  }

  override schedule(delayMs: number, task: () => void | Promise<void>): Cancel {
    return this.#clock.schedule(delayMs, () => Promise.race([task(), this.#died]));
  }
}

/** An OAuth2 token of a player of Starfall. */
export async function playerToken({ core, starfall }: World, userId: string): Promise<string> {
  const token = `token of ${userId}`;
  const scopes = ['sdk.social_layer', 'lobbies.write'];
  const grant = { id: userId, application_id: starfall.id, user_id: userId, scopes };
  await core.store.transact('tokens', transaction => {
    transaction.put('authorizations', grant);
    transaction.put('tokens', {
      ...{ hash: hashSecret(token), kind: 'access', authorization_id: grant.id, grant_id: grant.id },
      ...{ expires_at_ms: null, application_id: starfall.id, user_id: userId, scopes },
    });
  });
  return `Bearer ${token}`;
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
