import type { RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import type { LimitState } from '../bus/contract.ts';
import type { Core } from '../core.ts';
import { RequestError } from '../support/request-error.ts';

/** Limits wrong attempts at a secret. Correct attempts do not count. */
export interface AttemptLimiter {
  /**
   * Runs an attempt unless too many were wrong recently. Only as many run concurrently as may still be wrong, so that concurrent
   * attempts get no further than consecutive ones.
   *
   * @param who whose wrong attempts are counted together
   * @param work calls `wrong` if the attempt was wrong
   * @throws RequestError `rate_limited`, even for the correct secret
   */
  attempt<T>(who: string, work: (wrong: () => void) => Promise<T>, options?: AttemptOptions<T>): Promise<T>;
}

export interface AttemptOptions<T> {
  /** How many may be wrong, if that is fewer than the limit. */
  readonly wrongMax?: number;
  /**
   * What to do instead of a rejection once the limit is reached. On a cluster it may also follow an attempt that turned out to be
   * wrong when other nodes had reached the limit.
   */
  readonly whenReached?: (state: LimitState) => Promise<T>;
}

/** A caller with attempts under way. */
interface AttemptOrigin {
  readonly name: string;
  /** Attempts that wait or run, and those that run. */
  attempts: number;
  underWay: number;
  /** The admission of the last attempt; attempts are admitted one after another. */
  admission: Promise<unknown>;
  /** Called when an attempt ends, to admit the next. */
  settled: () => void;
}

export function createAttemptLimiter(
  { bus, clock, limits }: Pick<Core, 'bus' | 'clock' | 'limits'>,
  bucket: RateLimitBucket,
): AttemptLimiter {
  const limit = limits.buckets[bucket];
  const origins = new Map<string, AttemptOrigin>();

  function enter(who: string): AttemptOrigin {
    const origin = origins.get(who) ?? {
      name: `${bucket}/${who}`,
      attempts: 0,
      underWay: 0,
      admission: Promise.resolve(),
      settled: () => {},
    };
    origin.attempts++;
    origins.set(who, origin);
    return origin;
  }

  function leave(who: string, origin: AttemptOrigin): void {
    origin.attempts--;
    if (origin.attempts === 0) origins.delete(who);
  }

  /** @returns the limit; when that allows no more, the attempt was not admitted */
  async function admit(origin: AttemptOrigin, counted: RateLimit): Promise<LimitState> {
    for (;;) {
      const state = await bus.count(origin.name, counted, 0);
      if (!state.allowed) return state;
      if (origin.underWay < state.remaining) {
        origin.underWay++;
        return state;
      }
      await new Promise<void>(resolve => {
        origin.settled = resolve;
      });
    }
  }

  /**
   * Other nodes admit attempts, too. One that turns out to be wrong when the limit has been reached is answered like those after it, so
   * that all nodes together report no more wrong attempts than the limit allows.
   */
  async function run<T>(
    origin: AttemptOrigin,
    counted: RateLimit,
    work: (wrong: () => void) => Promise<T>,
    reached: (state: LimitState) => Promise<T>,
  ): Promise<T> {
    let isWrong = false;
    try {
      const result = work(() => {
        isWrong = true;
      });
      await result.catch(() => {});
      const state = isWrong ? await bus.count(origin.name, counted) : undefined;
      return await (state?.allowed === false ? reached(state) : result);
    } finally {
      origin.underWay--;
      origin.settled();
    }
  }

  async function reject({ resetAtMs }: LimitState): Promise<never> {
    const retry_after = Math.max(0, resetAtMs - clock.now()) / 1000;
    throw new RequestError('rate_limited', { retry_after, global: false });
  }

  return {
    async attempt(who, work, { wrongMax = Number.POSITIVE_INFINITY, whenReached = reject } = {}) {
      if (!limit) return work(() => {});
      const origin = enter(who);
      try {
        const counted = { ...limit, requests: Math.min(limit.requests, wrongMax) };
        const admission = origin.admission.then(() => admit(origin, counted));
        origin.admission = admission.catch(() => {});
        const state = await admission;
        return await (state.allowed ? run(origin, counted, work, whenReached) : whenReached(state));
      } finally {
        leave(who, origin);
      }
    },
  };
}
