import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers';
import type { RateLimit } from '../../../model/limits/limit-profiles.ts';
import { type Clock, systemClock } from '../../../wire/clock/ports.ts';
import type { LimitState } from '../contract.ts';
import { BusError, oddAnswer } from '../errors.ts';
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
const settlePollMs = 25;
const countsPerCommand = 100;
const windowsPerWrite = 200;
const writesUnderWay = 10;

/** A window as this node last saw it. Its end is a time of the clock by which windows are counted. */
interface SeenWindow extends Expiring {
  /** Calls that this node has counted. */
  readonly own: number;
  /** Calls of all nodes. */
  readonly all: number;
}

interface Asked {
  readonly name: string;
  readonly limit: RateLimit;
  readonly calls: number;
  resolve(state: LimitState | 'outdated' | 'settling'): void;
  reject(error: unknown): void;
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
  #asked: Asked[] = [];

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
    let state = await this.#ask(name, limit, calls);
    if (typeof state === 'object') return state;
    for (const deadlineMs = systemClock.now() + waitMsMax; ; ) {
      if (state === 'outdated') await this.#resync();
      // Another node may finish earlier than the answer could say.
      else await new Promise<void>(resolve => systemClock.schedule(settlePollMs, resolve));
      state = await this.#ask(name, limit, calls);
      if (typeof state === 'object') return state;
      if (systemClock.now() > deadlineMs) throw settling();
    }
  }

  /** @returns `outdated`: Redis has begun another epoch; `settling`: nodes are writing back; in both cases nothing was counted */
  #ask(name: string, limit: RateLimit, calls: number): Promise<LimitState | 'outdated' | 'settling'> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ name, limit, calls, resolve, reject });
      if (this.#asked.length === 1) setImmediate(() => this.#send());
    });
  }

  /** The calls of one turn share a command. */
  #send(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let at = 0; at < asked.length; at += countsPerCommand)
      void this.#sendBatch(asked.slice(at, at + countsPerCommand));
  }

  async #sendBatch(batch: readonly Asked[]): Promise<void> {
    const keys = [this.#keys.epoch];
    const values: (string | number)[] = [this.#epoch, this.#node, this.#keys.time(), this.#keys.lifeMsMin];
    for (const { name, limit, calls } of batch) {
      keys.push(this.#keys.window(name));
      values.push(limit.requests, limit.windowMs, calls);
    }
    try {
      const answer = await this.#connection.call(client => run(client, scripts.count, keys, values));
      if (!isCountAnswer(answer, batch.length)) throw oddAnswer();
      const [nowMs = 0] = answer;
      if (nowMs < 0) for (const { resolve } of batch) resolve(nowMs === -1 ? 'outdated' : 'settling');
      else for (const [at, asked] of batch.entries()) asked.resolve(this.#state(asked, nowMs, answer, 1 + 4 * at));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #state({ name, limit }: Asked, nowMs: number, answer: readonly number[], at: number): LimitState {
    const all = answer[at + 1] ?? 0;
    const endsAtMs = answer[at + 2] ?? 0;
    if (all > 0) this.#windows.set(name, { own: answer[at + 3] ?? 0, all, endsAtMs }, nowMs);
    const resetAtMs = this.#clock.now() + (endsAtMs - nowMs);
    return { allowed: answer[at] === 1, remaining: Math.max(0, limit.requests - all), resetAtMs };
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
      const [epoch, realMs] = Array.isArray(answer) ? (answer as unknown[]) : [];
      if (typeof epoch !== 'string' || typeof realMs !== 'number') throw oddAnswer();
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

/** The time and four numbers for each call; a time below 0 alone says why nothing was counted. */
function isCountAnswer(answer: unknown, calls: number): answer is readonly number[] {
  if (!Array.isArray(answer) || !answer.every(Number.isFinite)) return false;
  return answer[0] < 0 || answer.length === 1 + 4 * calls;
}

function settling(): BusError {
  return new BusError('bus_unavailable', 'Redis was emptied, and the nodes are writing back what they have counted.');
}
