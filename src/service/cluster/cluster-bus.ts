import { setImmediate } from 'node:timers';
import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import { type Cancel, type Clock, type Logger, silentLogger } from '../../wire/clock/ports.ts';
import type { Bus, Lease, LimitState } from '../bus/contract.ts';
import { BusError } from '../bus/errors.ts';
import { FanOut } from '../bus/fan-out.ts';
import { RedisConnection } from '../bus/redis/connection.ts';
import { SharedCounters } from '../bus/redis/counters.ts';
import { type Keys, keysOf } from '../bus/redis/keys.ts';
import { takeLease } from '../bus/redis/leases.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { Connections } from './connections.ts';
import type { Cluster } from './contract.ts';
import { EventReader } from './event-reader.ts';
import { Nodes } from './nodes.ts';

/** How long the start waits for Redis. */
const startMsMax = 3000;

export interface ClusterBusOptions {
  /** Of the bus alone: its reads should not wait for those of the store. It must be migrated, and stays open when the bus is closed. */
  readonly postgres: Postgres;
  /** `redis://[user:password@]host[:port]/NUMBER`, `rediss://…`, or `unix:///path?db=NUMBER` */
  readonly redisUrl: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** The address of this node, for operators who look at `nodes`. */
  readonly address?: string;
}

/**
 * The bus of a node in a cluster: events from PostgreSQL, where they are committed; counters, leases and notifications in Redis.
 *
 * @throws BusError `bus_unusable`, `bus_unavailable`; StoreError of the database
 */
export async function openClusterBus(options: ClusterBusOptions): Promise<ClusterBus> {
  const bus = new ClusterBus(options);
  try {
    await bus.open();
  } catch (error) {
    await bus.close();
    throw error;
  }
  return bus;
}

export class ClusterBus implements Bus {
  readonly engine = 'redis';
  readonly reader: EventReader;
  readonly nodes: Nodes;
  /** What the gateway needs to know of the other nodes. */
  readonly cluster: Cluster;
  readonly #redis: RedisConnection;
  readonly #keys: Keys;
  readonly #counters: SharedCounters;
  readonly #connections: Connections;
  readonly #fanOut: FanOut;
  readonly #notified = new Map<string, Set<(text: string) => void>>();
  /** `who` and session → the latest registration by {@link enter}. */
  readonly #entries = new Map<string, object>();
  #isNotifying = false;

  constructor({ postgres, redisUrl, clock, log = silentLogger, address }: ClusterBusOptions) {
    this.#fanOut = new FanOut(log);
    this.#redis = new RedisConnection(redisUrl, log, {
      opened: async (client, server) => {
        const notices = this.#keys.channel('notice:');
        await Promise.all([
          client.subscribe(this.#keys.channel('events'), sender => {
            if (sender !== this.nodes.id) this.reader.wake();
          }),
          client.subscribe(this.#keys.channel('epoch'), id => this.#counters.epochBegan(id)),
          client.pSubscribe(`${notices}*`, (text, channel) => {
            for (const listener of this.#notified.get(channel.slice(notices.length)) ?? []) listener(text);
          }),
        ]);
        await this.#counters.opened(client, server);
        // What was notified meanwhile is unknown.
        this.reader.wake();
      },
      // It begins to read more often.
      closed: () => this.reader.wake(),
    });
    this.#keys = keysOf(this.#redis.address.database, clock);
    this.reader = new EventReader(postgres, this.#fanOut, log, () => this.#redis.isUp);
    this.nodes = new Nodes(postgres, log, () => this.reader.position, address);
    this.#connections = new Connections(postgres, this.nodes.id);
    this.#counters = new SharedCounters(this.#redis, this.#keys, clock, this.nodes.id, () => this.nodes.others());
    this.cluster = clusterOf(this, this.#connections);
  }

  /** The registration comes first: when Redis is empty, the other nodes wait for those that are registered. */
  async open(): Promise<void> {
    await this.reader.start();
    await this.nodes.start();
    await this.#redis.open(startMsMax);
    // A server that is full, or does not let us write, is logged now, and not by the first call that it rejects.
    void this.tryRedis().catch(() => {});
  }

  /** Counts a call that nothing is limited by. @throws BusError `bus_unavailable`: Redis is frozen, away, or rejects writes */
  async tryRedis(): Promise<void> {
    if (!this.#redis.isUp) throw new BusError('bus_unavailable', 'Redis cannot be reached.');
    await this.count('readiness', { requests: Number.MAX_SAFE_INTEGER, windowMs: 1000 });
  }

  /** Whether Redis can be used now. */
  get isRedisUp(): boolean {
    return this.#redis.isUp;
  }

  /** Wakes the readers of all nodes: the events were committed. */
  publish(_announced: readonly Announced[] = []): void {
    this.reader.wake();
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    // One notification for all commits of a turn.
    setImmediate(() => {
      this.#isNotifying = false;
      this.#publish('events', this.nodes.id);
    });
  }

  /** Sends a text to the listeners of `channel` on all nodes, this one included. It is lost where Redis is away. */
  notify(channel: string, text: string): void {
    this.#publish(`notice:${channel}`, text);
  }

  /** Calls `listener` with each text that a node sends by {@link notify}. */
  onNotified(channel: string, listener: (text: string) => void): Cancel {
    const listeners = this.#notified.get(channel) ?? new Set();
    listeners.add(listener);
    this.#notified.set(channel, listeners);
    return () => listeners.delete(listener);
  }

  subscribe(topic: Topic, listener: (announced: Announced) => void): Cancel {
    return this.#fanOut.subscribe(topic, listener);
  }

  count(name: string, limit: RateLimit, calls: 0 | 1 = 1): Promise<LimitState> {
    return this.#counters.count(name, limit, calls);
  }

  lease(name: string, termMs: number): Promise<Lease | undefined> {
    return takeLease(this.#redis, this.#keys, name, termMs);
  }

  async enter(who: Topic, id: string): Promise<() => Promise<void>> {
    const key = `${who}\n${id}`;
    const entry = {};
    this.#entries.set(key, entry);
    await this.#connections.enter(who, id);
    return async () => {
      // A session that registers again must not be removed by its former registration.
      if (this.#entries.get(key) !== entry) return;
      this.#entries.delete(key);
      await this.#connections.leave(who, id);
    };
  }

  present(who: Topic): Promise<number> {
    return this.#connections.present(who);
  }

  /** Reads and counts no more, and signs this node off. Its sessions stay present, because other nodes may resume them. */
  async close(): Promise<void> {
    this.#fanOut.clear();
    await Promise.all([this.reader.close(), this.nodes.close(), this.#redis.close()]);
  }

  #publish(channel: string, text: string): void {
    if (this.#redis.isUp) this.#redis.call(client => client.publish(this.#keys.channel(channel), text)).catch(() => {});
  }
}

function clusterOf({ nodes, reader }: ClusterBus, connections: Connections): Cluster {
  return {
    node: nodes.id,
    get position() {
      return reader.position;
    },
    caughtUp: () => reader.caughtUp(),
    replay: query => reader.replay(query),
    onLost: listener => reader.onLost(listener),
    enter: (who, session) => connections.enter(who, session),
    leave: (who, session) => connections.leave(who, session),
    departed: () => nodes.departed(),
    nodes: () => nodes.known(),
    forget: node => nodes.forget(node),
  };
}
