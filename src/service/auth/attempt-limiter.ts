import type { RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import type { Core } from '../core.ts';
import { RequestError } from '../support/request-error.ts';

/** Limits how often somebody may be wrong about a secret. What is right costs nothing. */
export interface AttemptLimiter {
  /**
   * Lets an attempt go on unless too many were wrong lately. No more go on side by side than may still be wrong, so that
   * many at once get no further than as many in a row.
   *
   * @param who whose wrong attempts count together
   * @param wrongMax how many may be wrong, where that is fewer than the limit says
   * @param work calls `wrong` when the attempt was a wrong one
   * @throws RequestError `rate_limited`: then not even the right secret is looked at
   */
  attempt<T>(who: string, work: (wrong: () => void) => Promise<T>, wrongMax?: number): Promise<T>;
}

/** Somebody with attempts that are not over. */
interface AttemptOrigin {
  readonly name: string;
  /** Attempts that are not over, and those of them that were let on. */
  attempts: number;
  underWay: number;
  /** The last one to be let on: they are let on one after another. */
  admission: Promise<unknown>;
  /** Wakes the one that waits for another to be over. */
  settled: () => void;
}

export function createAttemptLimiter(
  { bus, clock, limits }: Pick<Core, 'bus' | 'clock' | 'limits'>,
  bucket: RateLimitBucket,
): AttemptLimiter {
  const limit = limits.buckets[bucket];
  const guessers = new Map<string, AttemptOrigin>();

  function enter(who: string): AttemptOrigin {
    const guesser = guessers.get(who) ?? {
      name: `${bucket}/${who}`,
      attempts: 0,
      underWay: 0,
      admission: Promise.resolve(),
      settled: () => {},
    };
    guesser.attempts++;
    guessers.set(who, guesser);
    return guesser;
  }

  function leave(who: string, guesser: AttemptOrigin): void {
    guesser.attempts--;
    if (guesser.attempts === 0) guessers.delete(who);
  }

  async function admit(guesser: AttemptOrigin, counted: RateLimit): Promise<void> {
    for (;;) {
      const { allowed, remaining, resetAtMs } = await bus.count(guesser.name, counted, 0);
      if (!allowed) throw tooMany(Math.max(0, resetAtMs - clock.now()) / 1000);
      if (guesser.underWay < remaining) break;
      await new Promise<void>(resolve => {
        guesser.settled = resolve;
      });
    }
    guesser.underWay++;
  }

  async function run<T>(
    guesser: AttemptOrigin,
    counted: RateLimit,
    work: (wrong: () => void) => Promise<T>,
  ): Promise<T> {
    let isWrong = false;
    try {
      return await work(() => {
        isWrong = true;
      });
    } finally {
      if (isWrong) await bus.count(guesser.name, counted);
      guesser.underWay--;
      guesser.settled();
    }
  }

  return {
    async attempt(who, work, wrongMax = Number.POSITIVE_INFINITY) {
      if (!limit) return work(() => {});
      const guesser = enter(who);
      try {
        const counted = { ...limit, requests: Math.min(limit.requests, wrongMax) };
        const admitted = guesser.admission.then(() => admit(guesser, counted));
        guesser.admission = admitted.catch(() => {});
        await admitted;
        return await run(guesser, limit, work);
      } finally {
        leave(who, guesser);
      }
    },
  };
}

function tooMany(retryAfterSeconds: number): RequestError {
  return new RequestError('rate_limited', { retry_after: retryAfterSeconds, global: false });
}
