import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import type { Cancel } from '../../wire/clock/ports.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';

/** The state of one limit after a call was counted. Times are milliseconds on the service's clock. */
export interface LimitState {
  /** False: the call must not go on, and was not counted. */
  readonly allowed: boolean;
  /** Calls left in the window. */
  readonly remaining: number;
  /** When the window ends. */
  readonly resetAtMs: number;
}

export interface Lease {
  readonly name: string;
  /** Keeps it for another full term. False: it was lost. */
  renew(): MaybePromise<boolean>;
  /** Gives it back. Idempotent. */
  release(): MaybePromise<void>;
}

/**
 * What the nodes of one service tell each other. Every engine passes the same suite (test/service/bus/suite.ts).
 * All of it may be lost with its nodes: what must last is in the store.
 */
export interface Bus {
  /** For messages and logs: `local`, `redis`. */
  readonly engine: string;

  /** Hands events to every subscriber of their topics on every node: in order for each scope, each once. */
  publish(announced: readonly Announced[]): MaybePromise<void>;

  /**
   * Calls `listener` for every event of the topic published after this resolves. Subscribing from within a listener, if
   * it gives no promise, begins right after the event that is being heard: what was published together with it is heard.
   */
  subscribe(topic: Topic, listener: (announced: Announced) => void): MaybePromise<Cancel>;

  /**
   * Counts one call against `limit` under `name`: the window begins with the first call and ends after `limit.windowMs`.
   *
   * @param calls 0 only looks, and begins no window; default 1
   */
  count(name: string, limit: RateLimit, calls?: 0 | 1): MaybePromise<LimitState>;

  /** Says that session `id` is there for `who` (a topic); leaving is by the returned function, or with its node. */
  enter(who: Topic, id: string): MaybePromise<() => MaybePromise<void>>;

  /** How many sessions are there for `who`. */
  present(who: Topic): MaybePromise<number>;

  /** Takes the lease `name` for `termMs`, or undefined while somebody else holds it. */
  lease(name: string, termMs: number): MaybePromise<Lease | undefined>;

  /** Idempotent. */
  close(): Promise<void>;
}
