import { hash } from 'node:crypto';
import type { RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import type { Route } from '../../wire/routes.ts';
import type { Principal } from '../auth/principal.ts';
import type { LimitState } from '../bus/contract.ts';
import type { Core } from '../core.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { Call } from './call.ts';

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
   * @param params parameters of the path: each guild and channel is counted separately. @see docs/spec/limits.md#rate-limits
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
      const place = params.guild_id ?? params.channel_id;
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
