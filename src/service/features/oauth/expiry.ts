import type { Core } from '../../core.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/**
 * Unspecified: how often expired codes, tokens and sign-ins are deleted. They are rejected from the moment they
 * expire.
 */
const sweepIntervalMs = 10 * 60_000;
/** Records deleted in one transaction, so that no other transaction waits long. */
const batchSize = 500;

/**
 * The collections that expire, and how long a record is kept afterwards: a device that polls too late learns that its
 * code expired, not that it never existed.
 */
const expiring = { codes: 0, tokens: 0, sign_ins: 0, device_codes: serviceLimits.deviceCodeLifeMs } as const;

type Expiring = keyof typeof expiring;

type SweptCore = Pick<Core, 'clock' | 'log' | 'store'>;

/** Deletes expired records, oldest first. Its cost depends only on their number. */
export async function sweepExpired(core: SweptCore): Promise<void> {
  const swept = await Promise.allSettled((Object.keys(expiring) as Expiring[]).map(one => sweepCollection(core, one)));
  // When one fails, the other collections are still processed.
  for (const result of swept) if (result.status === 'rejected') throw result.reason;
}

async function sweepCollection(core: SweptCore, collection: Expiring): Promise<void> {
  while ((await sweepBatch(core, collection)) === batchSize);
}

/** Needs no store scope: nothing relies on an expired record, and deleting it twice does no harm. */
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

/** Deletes expired records periodically. @returns a function that stops it */
export function startSweeping(core: SweptCore): () => void {
  let ended = false;
  let cancel = core.clock.schedule(sweepIntervalMs, sweep);

  async function sweep(): Promise<void> {
    try {
      await sweepExpired(core);
    } catch (error) {
      core.log.warn({ error }, 'Expired codes and tokens could not be deleted; the next sweep tries again.');
    }
    if (!ended) cancel = core.clock.schedule(sweepIntervalMs, sweep);
  }

  return () => {
    ended = true;
    cancel();
  };
}
