import type { Core } from '../core.ts';
import { serviceLimits } from '../support/service-limits.ts';

/** Our choice: how often expired codes, tokens and sign-ins are cleared away; each is refused from its very end on. */
const sweepIntervalMs = 10 * 60_000;
/** Records deleted in one unit of work, so that no other work waits long. */
const batchSize = 500;

/**
 * What expires, and how long it is kept after its end: a device that polls too late is told that its code expired, not
 * that there never was one.
 */
const expiring = { codes: 0, tokens: 0, sign_ins: 0, device_codes: serviceLimits.deviceCodeLifeMs } as const;

type Expiring = keyof typeof expiring;

type SweptCore = Pick<Core, 'clock' | 'log' | 'store'>;

/** Deletes what has expired, oldest first. Costs nothing for what has not. */
export async function sweepExpired(core: SweptCore): Promise<void> {
  const failures: unknown[] = [];
  for (const collection of Object.keys(expiring) as Expiring[]) {
    try {
      while ((await sweepBatch(core, collection)) === batchSize);
    } catch (error) {
      failures.push(error); // the others are cleared away all the same
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Nobody relies on an expired record: it is in no scope's guard, and may be deleted twice. */
async function sweepBatch(core: SweptCore, collection: Expiring): Promise<number> {
  const query = { index: 'byExpiry', upTo: core.clock.now() - expiring[collection], limit: batchSize } as const;
  const expired = await core.store.list(collection, query);
  if (expired.length > 0) {
    await core.store.transact(`expiry/${collection}`, transaction => {
      for (const { hash } of expired) transaction.delete(collection, hash);
    });
  }
  return expired.length;
}

/** Sweeps from time to time. @returns what ends it */
export function startSweeping(core: SweptCore): () => void {
  let ended = false;
  let cancel = core.clock.schedule(sweepIntervalMs, sweep);

  async function sweep(): Promise<void> {
    try {
      await sweepExpired(core);
    } catch (error) {
      core.log.warn({ error }, 'Expired codes and tokens could not be cleared away; the next sweep tries again.');
    }
    if (!ended) cancel = core.clock.schedule(sweepIntervalMs, sweep);
  }

  return () => {
    ended = true;
    cancel();
  };
}
