import { hash } from 'node:crypto';
import type { InvalidRequestLimit, RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import { steadyNow } from '../../wire/clock/ports.ts';
import type { Route } from '../../wire/routes.ts';
import type { Principal } from '../auth/principal.ts';
import type { Bus, LimitState } from '../bus/contract.ts';
import type { Notices } from '../cluster/notices.ts';
import type { Core } from '../core.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { Call, Reply } from './call.ts';

/** Rate-limit headers of an answer. @see docs/spec/limits.md#headers */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Why a call was rejected, for its 429. */
export interface LimitRefusal {
  readonly global: boolean;
  readonly retryAfterSeconds: number;
}

const noHeaders: LimitHeaders = {};

/** The result for one call: the headers of its answer, and the rejection if a limit was reached. */
export interface Taken {
  readonly headers: LimitHeaders;
  readonly refusal?: LimitRefusal;
}

/** Counts calls against the limits profile. */
export interface Limiter {
  /**
   * Counts one call.
   *
   * @param address the caller's address, which is counted if there is no credential
   * @param params parameters of the path: each guild and channel, or each user whom it names, is counted separately. @see docs/spec/limits.md#rate-limits
   */
  take(route: Route, principal: Principal, address: string, params: Call['params']): MaybePromise<Taken>;
}

export function createLimiter(core: Core): Limiter {
  const { buckets } = core.limits;
  const bucketIds = new Map<string, string>();

  /** Seconds to wait; undefined if the call is allowed. */
  async function takeGlobal(caller: string): Promise<number | undefined> {
    if (!buckets.global) return undefined;
    const state = await core.bus.count(`global/${caller}`, buckets.global);
    return state.allowed ? undefined : secondsUntil(state.resetAtMs);
  }

  function secondsUntil(atMs: number): number {
    return Math.max(0, atMs - core.clock.now()) / 1000;
  }

  function bucketHeaders(bucket: RateLimitBucket, limit: RateLimit, state: LimitState): Record<string, string> {
    return {
      'x-ratelimit-limit': String(limit.requests),
      'x-ratelimit-remaining': String(state.remaining),
      'x-ratelimit-reset': (state.resetAtMs / 1000).toFixed(3),
      'x-ratelimit-reset-after': secondsUntil(state.resetAtMs).toFixed(3),
      'x-ratelimit-bucket': bucketId(bucket),
    };
  }

  // Opaque to callers, and the same after a restart.
  function bucketId(bucket: RateLimitBucket): string {
    const known = bucketIds.get(bucket);
    if (known !== undefined) return known;
    const id = hash('sha256', `bucket ${bucket}`).slice(0, 32);
    bucketIds.set(bucket, id);
    return id;
  }

  /** @param counted what the bucket counts by: the caller, or the caller's application, and the guild or channel */
  async function count(route: Route, caller: string, counted: string, limit: RateLimit | undefined): Promise<Taken> {
    if (!route.exempt) {
      const retryAfterSeconds = await takeGlobal(caller);
      if (retryAfterSeconds !== undefined) return refuse({ global: true, retryAfterSeconds }, globalHeaders);
    }
    if (!route.bucket || !limit) return { headers: noHeaders };
    const state = await core.bus.count(`${route.bucket}/${counted}`, limit);
    const headers = bucketHeaders(route.bucket, limit, state);
    if (state.allowed) return { headers };
    return refuse({ global: false, retryAfterSeconds: secondsUntil(state.resetAtMs) }, headers);
  }

  return {
    take(route, principal, address, params) {
      const limit = route.bucket && buckets[route.bucket];
      if (!limit && (route.exempt || !buckets.global)) return unlimited;
      const caller = callerOf(principal, address);
      const counted = limit?.perApplication ? applicationOf(principal, caller) : caller;
      const place = limit?.perRecipient ? params.user_id : (params.guild_id ?? params.channel_id);
      return count(route, caller, place === undefined ? counted : `${counted}/${place}`, limit);
    },
  };
}

const unlimited: Taken = { headers: noHeaders };
const globalHeaders: LimitHeaders = { 'x-ratelimit-global': 'true' };

function refuse(refusal: LimitRefusal, headers: LimitHeaders): Taken {
  const scope = refusal.global ? 'global' : 'user';
  const retryAfter = String(Math.ceil(refusal.retryAfterSeconds));
  return { refusal, headers: { ...headers, 'x-ratelimit-scope': scope, 'retry-after': retryAfter } };
}

function applicationOf(principal: Principal, caller: string): string {
  return 'application' in principal ? `application/${principal.application.id}` : caller;
}

function callerOf(principal: Principal, address: string): string {
  switch (principal.kind) {
    case 'none':
      return `address/${address}`;
    case 'session':
      return `user/${principal.user.id}`;
    case 'user':
      return `player/${principal.application.id}/${principal.user.id}`;
    default:
      return `application/${principal.application.id}`;
  }
}

/** An address with rejected requests in the current window, or a blocked address. */
interface RejectedAddress {
  invalid: number;
  /** The end of the window or of the block. */
  endsAtMs: number;
  blocked: boolean;
  /** The length of the last block, 0 if there was none recently, and its end. */
  lastBlockMs: number;
  lastBlockEndMs: number;
  /** How often the nodes of a cluster have blocked it, as far as this one knows. */
  blocks: number;
}

type BlocklistCore = Pick<Core, 'clock' | 'limits' | 'log'> & Partial<Pick<Core, 'bus' | 'notices'>>;

/**
 * Blocks requests without a valid credential from an address for a while after too many answers of 401, 403 and 429. Answers of a
 * limit that several callers share do not count.
 *
 * Unspecified: the counts are kept in this process and for a bounded number of addresses; the oldest makes room. The nodes of a
 * cluster count together on the bus, and the one that counts the last tells all nodes to block the address.
 *
 * @see docs/spec/limits.md#blocked-addresses; docs/spec/limits.md#rate-limits
 */
export class Blocklist {
  readonly #core: BlocklistCore;
  readonly #limit: InvalidRequestLimit | undefined;
  readonly #addresses = new Map<string, RejectedAddress>();
  readonly #startedAtMs: number;

  constructor(core: BlocklistCore) {
    this.#core = core;
    this.#startedAtMs = core.clock.now();
    this.#limit = core.limits.invalidRequests;
    core.notices?.on('blocked', ({ address, blockMs }) => {
      const nowMs = steadyNow(core.clock);
      const record = this.#addresses.get(address) ?? this.#begin(address, nowMs);
      record.blocks++;
      this.#block(address, record, nowMs, blockMs);
    });
  }

  /** Milliseconds until the block ends; 0 if the address is not blocked. */
  blockedForMs(address: string): number {
    // Mostly there is no such address, and no look-up is needed.
    if (this.#addresses.size === 0) return 0;
    const record = this.#addresses.get(address);
    return record?.blocked ? Math.max(0, record.endsAtMs - steadyNow(this.#core.clock)) : 0;
  }

  /** How many addresses are blocked now. */
  get blockedCount(): number {
    const nowMs = steadyNow(this.#core.clock);
    let count = 0;
    for (const { blocked, endsAtMs } of this.#addresses.values()) if (blocked && endsAtMs > nowMs) count++;
    return count;
  }

  /**
   * Counts an answer to a request without a valid credential.
   *
   * @param headers in addition to the answer's own
   * @returns milliseconds until the end of a block that began while the request was handled, with which it is answered instead;
   *   0 if there is none
   */
  count(address: string, answer: Reply, headers: LimitHeaders | undefined): MaybePromise<number> {
    if (!this.#limit || !isInvalid(answer, headers)) return 0;
    const { bus, notices } = this.#core;
    if (bus && notices) return this.#addShared(address, this.#limit, bus, notices);
    return this.#add(address, this.#limit);
  }

  // Before the answer, so that all nodes together give no more of these answers than the limit.
  async #addShared(address: string, limit: InvalidRequestLimit, bus: Bus, notices: Notices): Promise<number> {
    try {
      for (let blocks = this.#addresses.get(address)?.blocks ?? 0; ; blocks++) {
        // The notice may have come while the request was handled, or while it was counted.
        const known = this.blockedForMs(address);
        if (known > 0) return known;
        const state = await bus.count(`invalid/${blocks}/${address}`, limit);
        const record = this.#addresses.get(address) ?? this.#begin(address, 0);
        const blockMs = nextBlockMs(record, steadyNow(this.#core.clock), limit);
        if (state.allowed) {
          if (state.remaining > 0) return 0;
          record.blocks = blocks;
          await notices.send({ kind: 'blocked', address, blockMs });
          return 0;
        }
        // The window has ended in a block. Its notice may still be on its way; or it came before this node was started.
        if (state.resetAtMs - limit.windowMs > this.#startedAtMs && record.blocks <= blocks) return blockMs;
      }
    } catch (error) {
      this.#core.log.debug({ error }, 'A rejected request was not counted for its address.');
      return 0;
    }
  }

  #add(address: string, limit: InvalidRequestLimit): number {
    const nowMs = steadyNow(this.#core.clock);
    const record = this.#current(address, nowMs) ?? this.#begin(address, nowMs + limit.windowMs);
    if (record.blocked) return record.endsAtMs - nowMs;
    record.invalid++;
    if (record.invalid >= limit.requests) this.#block(address, record, nowMs, nextBlockMs(record, nowMs, limit));
    return 0;
  }

  #block(address: string, record: RejectedAddress, nowMs: number, blockMs: number): void {
    record.lastBlockMs = blockMs;
    record.blocked = true;
    record.endsAtMs = nowMs + record.lastBlockMs;
    record.lastBlockEndMs = record.endsAtMs;
    const fields = { address, blockMs: record.lastBlockMs };
    this.#core.log.warn(
      fields,
      'An address had too many rejected requests; its requests without a credential are blocked.',
    );
  }

  #current(address: string, nowMs: number): RejectedAddress | undefined {
    const record = this.#addresses.get(address);
    return record && nowMs < record.endsAtMs ? record : undefined;
  }

  #begin(address: string, endsAtMs: number): RejectedAddress {
    const { lastBlockMs = 0, lastBlockEndMs = 0, blocks = 0 } = this.#addresses.get(address) ?? {};
    const record = { invalid: 0, endsAtMs, blocked: false, lastBlockMs, lastBlockEndMs, blocks };
    this.#addresses.delete(address);
    if (this.#addresses.size >= addressesMax) this.#forgetOldest();
    this.#addresses.set(address, record);
    return record;
  }

  #forgetOldest(): void {
    for (const oldest of this.#addresses.keys()) {
      this.#addresses.delete(oldest);
      return;
    }
  }
}

const addressesMax = 10_000;

/** How long the next block of an address lasts. */
function nextBlockMs(
  { lastBlockMs, lastBlockEndMs }: RejectedAddress,
  nowMs: number,
  { blockMs, blockMaxMs = blockMs }: InvalidRequestLimit,
): number {
  const isRepeated = lastBlockMs > 0 && nowMs - lastBlockEndMs < blockMaxMs;
  return isRepeated ? Math.min(2 * lastBlockMs, blockMaxMs) : blockMs;
}

function isInvalid({ status, headers }: Reply, more: LimitHeaders | undefined): boolean {
  if (status !== 401 && status !== 403 && status !== 429) return false;
  return (headers?.['x-ratelimit-scope'] ?? more?.['x-ratelimit-scope']) !== 'shared';
}
