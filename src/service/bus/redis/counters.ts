import { randomBytes } from 'node:crypto';
import type { RateLimit } from '../../../model/limits/limit-profiles.ts';
import { type Clock, systemClock } from '../../../wire/clock/ports.ts';
import type { LimitState } from '../contract.ts';
import { BusError } from '../errors.ts';
import { type Expiring, ExpiringMap } from '../local.ts';
import type { RedisClient, RedisConnection, RedisServer } from './connection.ts';
import type { Keys } from './keys.ts';
import { run, scripts } from './scripts.ts';

/** How long a new epoch settles at least, if other nodes are alive: one that registers just now is not known yet. */
const settleMsMin = 500;
/** A node that is alive and has not written back by then is frozen, or cannot reach Redis. */
const settleMsMax = 2000;
/** How long a call waits for that before it is rejected. */
const waitMsMax = 1000;
const windowsPerWrite = 200;
const writesUnderWay = 10;

/** A window as this node last saw it. Its end is a time of the clock by which windows are counted. */
interface SeenWindow extends Expiring {
  /** Calls that this node has counted. */
  readonly own: number;
  /** Calls of all nodes. */
  readonly all: number;
}

/** Counters that all nodes share, in Redis. What this node has seen of them is written back when Redis has lost it. */
export class SharedCounters {
  readonly #connection: RedisConnection;
  readonly #keys: Keys;
  readonly #clock: Clock;
  readonly #node: string;
  readonly #others: () => Promise<readonly string[]>;
  readonly #windows = new ExpiringMap<SeenWindow>();
  #server: RedisServer = { runId: '' };
  /** The epoch in which this node has written everything back. */
  #epoch = '';
  #syncing: Promise<void> | undefined;

  /** @param others the other nodes that are alive */
  constructor(
    connection: RedisConnection,
    keys: Keys,
    clock: Clock,
    node: string,
    others: () => Promise<readonly string[]>,
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.#clock = clock;
    this.#node = node;
    this.#others = others;
  }

  /** To be called with every new connection, before it is used. */
  async opened(client: RedisClient, server: RedisServer): Promise<void> {
    this.#server = server;
    await this.#sync(client);
  }

  /** Another node has begun an epoch. */
  epochBegan(id: string): void {
    if (id !== this.#epoch) this.#resync().catch(() => {});
  }

  async count(name: string, limit: RateLimit, calls: 0 | 1): Promise<LimitState> {
    const deadlineMs = systemClock.now() + waitMsMax;
    for (;;) {
      const answer = await this.#ask(name, limit, calls);
      if (answer.length > 2) return this.#state(name, limit, answer);
      const [, settlesInMs = 0] = answer;
      // Another node may finish earlier than the answer could say.
      const pauseMs = answer.length === 1 ? 0 : Math.min(settlesInMs, 50);
      if (systemClock.now() + pauseMs > deadlineMs) throw settling();
      if (answer.length === 1) await this.#resync();
      else await new Promise<void>(resolve => systemClock.schedule(pauseMs, resolve));
    }
  }

  async #ask(name: string, { requests, windowMs }: RateLimit, calls: number): Promise<number[]> {
    const keys = [this.#keys.epoch, this.#keys.window(name)];
    const values = [this.#epoch, this.#node, requests, windowMs, calls, this.#keys.time(), this.#keys.lifeMsMin];
    return (await this.#connection.call(client => run(client, scripts.count, keys, values))) as number[];
  }

  #state(name: string, { requests }: RateLimit, answer: readonly number[]): LimitState {
    const [allowed = 0, all = 0, endsAtMs = 0, nowMs = 0, own = 0] = answer;
    if (all > 0) this.#windows.set(name, { own, all, endsAtMs }, nowMs);
    const resetAtMs = this.#clock.now() + (endsAtMs - nowMs);
    return { allowed: allowed === 1, remaining: Math.max(0, requests - all), resetAtMs };
  }

  #resync(): Promise<void> {
    this.#syncing ??= this.#connection
      .call(client => this.#sync(client))
      .finally(() => {
        this.#syncing = undefined;
      });
    return this.#syncing;
  }

  async #sync(client: RedisClient): Promise<void> {
    do {
      const id = randomBytes(9).toString('base64url');
      const others = await this.#others();
      const values = [this.#server.runId, id, settleMsMin, settleMsMax, this.#keys.channel('epoch'), ...others];
      // Redis answers in order: what this node has counted before is known when the answer arrives.
      const answer = await run(client, scripts.beginEpoch, [this.#keys.epoch], values);
      const [epoch, realMs] = answer as [string, number];
      if (epoch === this.#epoch || (await this.#writeBack(client, epoch, realMs))) {
        this.#epoch = epoch;
        return;
      }
    } while (client.isReady);
  }

  /** @returns whether the epoch is still the same */
  async #writeBack(client: RedisClient, epoch: string, realMs: number): Promise<boolean> {
    const time = this.#keys.time();
    const open = [...this.#windows.live(time === '' ? realMs : Number(time))];
    const batches = Array.from({ length: Math.ceil(open.length / windowsPerWrite) }, (_, at) =>
      open.slice(at * windowsPerWrite, (at + 1) * windowsPerWrite),
    );
    for (let at = 0; at < batches.length; at += writesUnderWay) {
      const written = batches.slice(at, at + writesUnderWay).map(batch => {
        const keys = [this.#keys.epoch, ...batch.map(([name]) => this.#keys.window(name))];
        const values = batch.flatMap(([, { endsAtMs, own, all }]) => [endsAtMs, own, all]);
        return run(client, scripts.writeBack, keys, [epoch, this.#node, this.#keys.lifeMsMin, ...values]);
      });
      if ((await Promise.all(written)).includes(0)) return false;
    }
    return (await run(client, scripts.wroteBack, [this.#keys.epoch], [epoch, this.#node])) === 1;
  }
}

function settling(): BusError {
  return new BusError('bus_unavailable', 'Redis was emptied, and the nodes are writing back what they have counted.');
}
