import type { RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import type { Core } from '../core.ts';
import { RequestError } from '../support/request-error.ts';

/** Limits wrong attempts at a secret. Correct attempts do not count. */
export interface AttemptLimiter {
  /**
   * Runs an attempt unless too many were wrong recently. Only as many run concurrently as may still be wrong, so that concurrent
   * attempts get no further than consecutive ones.
   *
   * @param who whose wrong attempts are counted together
   * @param wrongMax how many may be wrong, if that is fewer than the limit
   * @param work calls `wrong` if the attempt was wrong
   * @throws RequestError `rate_limited`, even for the correct secret
   */
  attempt<T>(who: string, work: (wrong: () => void) => Promise<T>, wrongMax?: number): Promise<T>;
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

  async function admit(origin: AttemptOrigin, counted: RateLimit): Promise<void> {
    for (;;) {
      const { allowed, remaining, resetAtMs } = await bus.count(origin.name, counted, 0);
      if (!allowed) throw tooMany(Math.max(0, resetAtMs - clock.now()) / 1000);
      if (origin.underWay < remaining) break;
      await new Promise<void>(resolve => {
        origin.settled = resolve;
      });
    }
    origin.underWay++;
  }

  async function run<T>(
    origin: AttemptOrigin,
    counted: RateLimit,
    work: (wrong: () => void) => Promise<T>,
  ): Promise<T> {
    let isWrong = false;
    try {
      const result = work(() => {
        isWrong = true;
      });
      await result.catch(() => {});
      if (isWrong) await countWrong(origin, counted);
      return await result;
    } finally {
      origin.underWay--;
      origin.settled();
    }
  }

  /**
   * Other nodes admit attempts, too. One that turns out to be wrong when the limit has been reached is rejected like those after it, so
   * that all nodes together report no more wrong attempts than the limit allows.
   */
  async function countWrong(origin: AttemptOrigin, counted: RateLimit): Promise<void> {
    const { allowed, resetAtMs } = await bus.count(origin.name, counted);
    if (!allowed) throw tooMany(Math.max(0, resetAtMs - clock.now()) / 1000);
  }

  return {
    async attempt(who, work, wrongMax = Number.POSITIVE_INFINITY) {
      if (!limit) return work(() => {});
      const origin = enter(who);
      try {
        const counted = { ...limit, requests: Math.min(limit.requests, wrongMax) };
        const admitted = origin.admission.then(() => admit(origin, counted));
        origin.admission = admitted.catch(() => {});
        await admitted;
        return await run(origin, limit, work);
      } finally {
        leave(who, origin);
      }
    },
  };
}

function tooMany(retryAfterSeconds: number): RequestError {
  return new RequestError('rate_limited', { retry_after: retryAfterSeconds, global: false });
}
