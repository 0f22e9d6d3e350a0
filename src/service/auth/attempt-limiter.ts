import type { RateLimit, RateLimitBucket } from '../../model/limits/limit-profiles.ts';
import type { Lease } from '../bus/contract.ts';
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
  /** On a cluster: the nodes take turns at the attempts of one caller, so that all together get no further than one. */
  turn: Promise<Lease> | undefined;
}

/** How long a node may take for attempts without renewing its turn; how often others look, and for how long. */
const turnMs = 10_000;
const turnLookMs = 50;
const turnWaitMs = 5_000;

export function createAttemptLimiter(
  { bus, clock, limits, cluster }: Pick<Core, 'bus' | 'clock' | 'limits' | 'cluster'>,
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
      turn: undefined,
    };
    origin.attempts++;
    origins.set(who, origin);
    return origin;
  }

  function leave(who: string, origin: AttemptOrigin): void {
    origin.attempts--;
    if (origin.attempts > 0) return;
    origins.delete(who);
    origin.turn?.then(turn => turn.release()).catch(() => {});
  }

  /** @throws RequestError `overloaded` when another node has the turn for too long; BusError */
  async function takeTurn({ name }: AttemptOrigin): Promise<Lease> {
    for (let waitedMs = 0; waitedMs < turnWaitMs; waitedMs += turnLookMs) {
      const turn = await bus.lease(`attempt/${name}`, turnMs);
      if (turn) return turn;
      await new Promise<void>(resolve => clock.schedule(turnLookMs, resolve));
    }
    throw new RequestError('overloaded');
  }

  async function keepTurn(origin: AttemptOrigin): Promise<void> {
    origin.turn ??= takeTurn(origin);
    origin.turn.catch(() => {
      origin.turn = undefined;
    });
    if (await (await origin.turn).renew()) return;
    origin.turn = undefined;
    return keepTurn(origin);
  }

  async function admit(origin: AttemptOrigin, counted: RateLimit): Promise<void> {
    if (cluster) await keepTurn(origin);
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
      return await work(() => {
        isWrong = true;
      });
    } finally {
      if (isWrong) await bus.count(origin.name, counted);
      origin.underWay--;
      origin.settled();
    }
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
