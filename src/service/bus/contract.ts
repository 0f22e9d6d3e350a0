import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import type { Cancel } from '../../wire/clock/ports.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';

/** The state of one limit after a call was counted. Times are milliseconds on the service's clock. */
export interface LimitState {
  /** False: the call is over the limit and was not counted. */
  readonly allowed: boolean;
  /** Calls left in the window. */
  readonly remaining: number;
  /** When the window ends. */
  readonly resetAtMs: number;
}

export interface Lease {
  readonly name: string;
  /** Rises with each holder: code that writes under the lease can reject what a former holder sends late. */
  readonly fence: number;
  /** Extends it by another full term. False: it was lost. */
  renew(): MaybePromise<boolean>;
  /** Releases it. Idempotent. */
  release(): MaybePromise<void>;
}

/**
 * What the nodes of one service share in memory. Every engine passes the same suite (test/service/bus/suite.ts). All of it may be
 * lost with the nodes; durable state is in the store.
 */
export interface Bus {
  /** For messages and logs: `local`, `redis`. */
  readonly engine: string;

  /**
   * Delivers committed events to every subscriber of their topics on every node: once each, in order for each scope. Where the nodes
   * read the events from the store's database, it only notifies them that there are new ones.
   */
  publish(announced: readonly Announced[]): MaybePromise<void>;

  /**
   * Calls `listener` for every event of the topic that is published after this resolves. A subscription made within a listener, if it
   * is synchronous, begins right after the current event, even if later events were published together with it.
   */
  subscribe(topic: Topic, listener: (announced: Announced) => void): MaybePromise<Cancel>;

  /**
   * Counts one call against `limit` under `name`: the window begins with the first call and ends after `limit.windowMs`.
   *
   * @param calls 0 only looks, and begins no window; default 1
   * @throws BusError `bus_unavailable` when the call cannot be counted now; it must not be let through
   */
  count(name: string, limit: RateLimit, calls?: 0 | 1): MaybePromise<LimitState>;

  /** Registers session `id` as present for `who` (a topic) until the returned function is called or its node dies. */
  enter(who: Topic, id: string): MaybePromise<() => MaybePromise<void>>;

  /** How many sessions are present for `who`. */
  present(who: Topic): MaybePromise<number>;

  /**
   * Acquires the lease `name` for `termMs`; undefined while it is held elsewhere. Not for what two nodes must never do at the same
   * time, unless what they write to rejects the lower {@link Lease.fence}.
   *
   * @throws BusError `bus_unavailable`
   */
  lease(name: string, termMs: number): MaybePromise<Lease | undefined>;

  /** Idempotent. */
  close(): Promise<void>;
}
