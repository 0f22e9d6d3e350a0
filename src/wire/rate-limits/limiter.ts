import { RateLimitError, TransportError } from '../../model/errors/errors.ts';
import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import { globalLimit } from '../../model/limits/limits.ts';
import { type Cancel, type Clock, steadyNow } from '../clock/ports.ts';
import type { Deadline } from '../http/deadline.ts';
import { BucketWindow, type Gate, GlobalWindow, type Outcome } from './window.ts';

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The limit over all routes together. Default: the base description's; `'off'` for a service without one. */
  readonly global?: RateLimit | 'off';
}

/** What a call is counted by before its bucket is known. */
export interface LaneKey {
  /** Method and path template. */
  readonly route: string;
  /** The guild, channel or webhook the path names; empty without one. */
  readonly resource: string;
  /** Not counted against the global limit. */
  readonly exempt: boolean;
}

/** Leave for one call. It must be settled exactly once, whatever becomes of the call. */
export interface Permit {
  readonly lane: Lane;
  readonly line: Line<BucketWindow>;
  readonly global: Line<GlobalWindow> | undefined;
}

/** A route and resource, and the line its calls stand in: its own at first, the bucket's once an answer names it. */
interface Lane {
  readonly key: LaneKey;
  line: Line<BucketWindow>;
  /** The bucket whose line it is. */
  bucketId?: string;
}

// More waiting calls of one bucket, or more remembered buckets, mean that a caller is out of control.
const waitingMax = 10_000;
const lanesMax = 1_000;

/**
 * Hands out a permit for every call, so that no limit is passed: first the bucket's, then the global one's. It knows no
 * HTTP: the caller reports the limits that the response named.
 *
 * Calls of a bucket run concurrently while its window has free places, then in the order of their arrival. A call that ends while
 * it waits, by its deadline or by its caller, holds nothing afterwards.
 *
 * @see docs/spec/limits.md#rate-limits
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #global: Line<GlobalWindow> | undefined;
  readonly #lanes = new Map<string, Lane>();
  /** By bucket id and resource. */
  readonly #buckets = new Map<string, Line<BucketWindow>>();

  constructor({ clock, global = globalLimit }: RateLimiterOptions) {
    this.#clock = clock;
    this.#global = global === 'off' ? undefined : new Line('global', new GlobalWindow(global), clock);
  }

  /**
   * Returns a permit, immediately if no limit is reached.
   *
   * @throws RateLimitError the limit frees only after the deadline, or too many calls wait for it
   * @throws TransportError `aborted`; `deadline_exceeded` when no limit is known to be used up, only answers are missing
   */
  acquire(key: LaneKey, deadline: Deadline): Permit | Promise<Permit> {
    const lane = this.#lane(key);
    return lane.line.pass() ? this.#passGlobal(lane, lane.line, deadline) : this.#wait(lane, deadline);
  }

  async #wait(lane: Lane, deadline: Deadline): Promise<Permit> {
    const line = await lane.line.wait(lane, deadline);
    return this.#passGlobal(lane, line, deadline);
  }

  #passGlobal(lane: Lane, line: Line<BucketWindow>, deadline: Deadline): Permit | Promise<Permit> {
    const global = lane.key.exempt ? undefined : this.#global;
    const permit = { lane, line, global };
    if (!global || global.pass()) return permit;
    return global.wait(lane, deadline).then(
      () => permit,
      (error: unknown) => {
        line.leave('unsent');
        throw error;
      },
    );
  }

  /** When the next of the calls that wait can go, as far as known. */
  freeAtMs(key: LaneKey): number | undefined {
    const nowMs = steadyNow(this.#clock);
    const { line } = this.#lane(key);
    const freeMs = line.gate.freeAtMs(nowMs) ?? (key.exempt ? undefined : this.#global?.gate.freeAtMs(nowMs));
    return freeMs === undefined ? undefined : this.#clock.now() + (freeMs - nowMs);
  }

  /** Takes a permit back, with what the response said about the limit. */
  settle({ lane, line, global }: Permit, outcome: Outcome): void {
    const home = this.#learnBucket(lane, line, outcome);
    if (home !== line && typeof outcome === 'object') {
      line.leave('unsent');
      home.gate.adopt(outcome, steadyNow(this.#clock));
      home.pump();
    } else {
      line.leave(outcome);
    }
    global?.leave(outcome);
  }

  /** How many routes and resources are remembered. */
  get laneCount(): number {
    return this.#lanes.size;
  }

  /** How many buckets are remembered. */
  get bucketCount(): number {
    return this.#buckets.size;
  }

  #lane(key: LaneKey): Lane {
    const name = key.resource === '' ? key.route : `${key.route} ${key.resource}`;
    let lane = this.#lanes.get(name);
    if (!lane) {
      if (this.#lanes.size >= lanesMax) this.#forgetIdle();
      lane = { key, line: new Line(key.route, new BucketWindow(), this.#clock) };
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** The line of the bucket that the answer names; the lane and its waiting calls go over to it. */
  #learnBucket(lane: Lane, line: Line<BucketWindow>, outcome: Outcome): Line<BucketWindow> {
    const id = typeof outcome === 'string' ? undefined : outcome.bucket?.id;
    if (id === undefined) return line;
    if (id === lane.bucketId) return lane.line;
    const name = `${id} ${lane.key.resource}`;
    let home = this.#buckets.get(name);
    if (!home) {
      if (this.#buckets.size >= lanesMax) this.#forgetIdle();
      home = lane.bucketId === undefined ? lane.line : new Line(lane.key.route, new BucketWindow(), this.#clock);
      this.#buckets.set(name, home);
    }
    const before = lane.line;
    lane.line = home;
    lane.bucketId = id;
    if (before !== home) before.handOver(lane, home);
    return home;
  }

  #forgetIdle(): void {
    const nowMs = steadyNow(this.#clock);
    const isIdle = (line: Line<BucketWindow>) => line.isEmpty && line.gate.isIdle(nowMs);
    for (const [name, { line }] of this.#lanes) if (isIdle(line)) this.#lanes.delete(name);
    // A bucket that no lane counts by any more is forgotten too: a service may name another one in each answer.
    const used = new Set([...this.#lanes.values()].map(({ line }) => line));
    for (const [name, line] of this.#buckets) if (isIdle(line) || !used.has(line)) this.#buckets.delete(name);
  }
}

interface Waiter<G extends Gate> {
  readonly lane: Lane;
  line: Line<G>;
  admit(): void;
}

/** Calls before a gate, first come, first served. */
class Line<G extends Gate> {
  readonly gate: G;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiter<G>>();
  #wakeUp: { readonly atMs: number; cancel: Cancel } | undefined;

  constructor(name: string, gate: G, clock: Clock) {
    this.#name = name;
    this.gate = gate;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Passes immediately if no other call waits and there is room. */
  pass(): boolean {
    if (!this.isEmpty) this.pump(); // their time may have passed before the timer fires
    return this.isEmpty && this.gate.take(steadyNow(this.#clock));
  }

  /** Waits for a place and resolves with the line that gave it: another, if the lane has gone over to one. */
  async wait(lane: Lane, deadline: Deadline): Promise<Line<G>> {
    const { signal } = deadline;
    if (signal.aborted) throw signal.reason;
    const nowMs = steadyNow(this.#clock);
    const freeMs = this.gate.freeAtMs(nowMs);
    if (this.#waiting.size >= waitingMax || (freeMs !== undefined && freeMs - nowMs > deadline.leftMs)) {
      throw new RateLimitError(this.#name, (freeMs ?? nowMs) - nowMs);
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(waiter.line.#dismiss(waiter, signal.reason));
      const waiter: Waiter<G> = {
        lane,
        line: this,
        admit() {
          signal.removeEventListener('abort', giveUp);
          resolve(this.line);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(waiter);
      this.pump();
    });
  }

  /** Gives a place back and lets the next ones through. */
  leave(outcome: Outcome): void {
    this.gate.settle(outcome, steadyNow(this.#clock));
    this.pump();
  }

  /** Lets through who can go now, and sees to it that it is done again when others can. */
  pump(): void {
    const nowMs = steadyNow(this.#clock);
    for (const waiter of this.#waiting) {
      if (!this.gate.take(nowMs)) break;
      this.#waiting.delete(waiter);
      waiter.admit();
    }
    this.#arm(nowMs);
  }

  /** Sends the lane's waiting calls to another line, behind those that wait there. */
  handOver(lane: Lane, target: Line<G>): void {
    for (const waiter of this.#waiting) {
      if (waiter.lane !== lane) continue;
      this.#waiting.delete(waiter);
      target.#waiting.add(waiter);
      waiter.line = target;
    }
    this.pump();
  }

  // A deadline that passes while a limit is used up is that limit's doing; otherwise only an answer was missing.
  #dismiss(waiter: Waiter<G>, reason: unknown): unknown {
    this.#waiting.delete(waiter);
    this.pump();
    const nowMs = steadyNow(this.#clock);
    const freeMs = this.gate.freeAtMs(nowMs);
    const isLate = reason instanceof TransportError && reason.code === 'deadline_exceeded';
    return isLate && freeMs !== undefined ? new RateLimitError(this.#name, freeMs - nowMs) : reason;
  }

  // `nowMs` is the time of the last look at the gate: at a later time the gate may be free, and no timer would be set.
  #arm(nowMs: number): void {
    const atMs = this.isEmpty ? undefined : this.gate.freeAtMs(nowMs);
    if (this.#wakeUp?.atMs === atMs) return;
    this.#wakeUp?.cancel();
    this.#wakeUp =
      atMs === undefined ? undefined : { atMs, cancel: this.#clock.schedule(atMs - nowMs, () => this.#wake()) };
  }

  #wake(): void {
    this.#wakeUp = undefined;
    this.pump();
  }
}
