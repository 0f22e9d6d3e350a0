import { hash } from 'node:crypto';
import type { RateLimit, RateLimitBucket } from '../../model/limits.ts';
import type { Route } from '../../wire/routes.ts';
import type { LimitState } from '../bus/contract.ts';
import type { Core } from '../core.ts';
import type { Principal } from './call.ts';

/** Headers that tell a caller where it stands. @see commands.md 5.1 */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Why a call was not let on, and what to answer. */
export interface LimitRefusal {
  readonly global: boolean;
  readonly retryAfterSeconds: number;
  readonly headers: LimitHeaders;
}

const noHeaders: LimitHeaders = {};

/** What became of one call: let on, with headers for its answer, or refused. */
export type Taken =
  | { readonly headers: LimitHeaders; readonly refusal?: undefined }
  | { readonly refusal: LimitRefusal };

/** Counts calls against the limits profile. */
export interface Limiter {
  /** Counts one call. */
  take(route: Route, principal: Principal, address: string): Promise<Taken>;
}

export function createLimiter(core: Core): Limiter {
  const { buckets } = core.limits;
  const bucketIds = new Map<string, string>();

  async function takeGlobal(caller: string): Promise<LimitRefusal | undefined> {
    if (!buckets.global) return undefined;
    const state = await core.bus.count(`global/${caller}`, buckets.global);
    return state.allowed ? undefined : globalRefusal(secondsUntil(state.resetAtMs));
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

  // Opaque, as callers expect, and the same after a restart.
  function bucketId(bucket: RateLimitBucket): string {
    const known = bucketIds.get(bucket);
    if (known !== undefined) return known;
    const id = hash('sha256', `bucket ${bucket}`).slice(0, 32);
    bucketIds.set(bucket, id);
    return id;
  }

  return {
    async take(route, principal, address) {
      const caller = callerOf(principal, address);
      if (!route.exempt) {
        const refusal = await takeGlobal(caller);
        if (refusal) return { refusal };
      }
      const limit = route.bucket && buckets[route.bucket];
      if (!route.bucket || !limit) return { headers: noHeaders };
      const state = await core.bus.count(`${route.bucket}/${caller}`, limit);
      const headers = bucketHeaders(route.bucket, limit, state);
      if (state.allowed) return { headers };
      return { refusal: bucketRefusal(secondsUntil(state.resetAtMs), headers) };
    },
  };
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

function globalRefusal(retryAfterSeconds: number): LimitRefusal {
  const headers = { ...retryHeaders(retryAfterSeconds, 'global'), 'x-ratelimit-global': 'true' };
  return { global: true, retryAfterSeconds, headers };
}

function bucketRefusal(retryAfterSeconds: number, bucket: LimitHeaders): LimitRefusal {
  return { global: false, retryAfterSeconds, headers: { ...bucket, ...retryHeaders(retryAfterSeconds, 'user') } };
}

function retryHeaders(retryAfterSeconds: number, scope: 'user' | 'global'): Record<string, string> {
  return { 'retry-after': String(Math.ceil(retryAfterSeconds)), 'x-ratelimit-scope': scope };
}
