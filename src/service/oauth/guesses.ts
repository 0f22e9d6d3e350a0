import type { RateLimitBucket } from '../../model/limits.ts';
import type { Core } from '../core.ts';
import { Fault } from '../fault.ts';

/** Limits how often somebody may be wrong about a secret. What is right costs nothing. */
export interface Guesses {
  /**
   * Lets an attempt go on unless too many were wrong lately. One follows the other, so that many at once get no further
   * than as many in a row.
   *
   * @param who whose wrong attempts count together
   * @param work calls `wrong` when the attempt was a wrong one
   * @throws Fault `rate_limited`: then not even the right secret is looked at
   */
  attempt<T>(who: string, work: (wrong: () => void) => Promise<T>): Promise<T>;
}

export function createGuesses({ bus, clock, limits }: Core, bucket: RateLimitBucket): Guesses {
  const limit = limits.buckets[bucket];
  /** Who → the end of its last attempt. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(who: string, work: () => Promise<T>): Promise<T> {
    const done = (turns.get(who) ?? Promise.resolve()).then(work);
    const ended = done.catch(() => {}).then(() => void (turns.get(who) === ended && turns.delete(who)));
    turns.set(who, ended);
    return done;
  }

  return {
    async attempt(who, work) {
      if (!limit) return work(() => {});
      const name = `${bucket}/${who}`;
      return inTurn(who, async () => {
        const { allowed, resetAtMs } = await bus.count(name, limit, 0);
        if (!allowed) throw tooMany(Math.max(0, resetAtMs - clock.now()) / 1000);
        let wrong = false;
        try {
          return await work(() => {
            wrong = true;
          });
        } finally {
          if (wrong) await bus.count(name, limit);
        }
      });
    },
  };
}

function tooMany(retryAfterSeconds: number): Fault {
  return new Fault('rate_limited', { retry_after: retryAfterSeconds, global: false });
}
