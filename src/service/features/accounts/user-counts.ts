import { setImmediate } from 'node:timers/promises';
import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import { steadyNow } from '../../../wire/clock/ports.ts';
import type { Core } from '../../core.ts';
import type { StoreView } from '../../store/contract.ts';
import { LruCache } from '../../support/lru-cache.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { isUserInstall } from '../guilds/installations.ts';

/** The number of an application's users. */
export interface UserCounts {
  /** Users who authorized it. */
  readonly authorized: number;
  /** Users of these who installed it for themselves. */
  readonly installed: number;
}

/** Counts the users of an application; a large count is repeated at most once in `serviceLimits.usersCountAgeMaxMs`. */
export type CountUsers = (id: ApplicationId) => Promise<UserCounts>;

/** The number of applications whose counts are cached. */
const applicationsMax = 1000;

export function createUserCounts({ store, clock }: Pick<Core, 'store' | 'clock'>): CountUsers {
  const { usersCountedMax, usersCountAgeMaxMs } = serviceLimits;
  const counted = new LruCache<{ readonly counts: Promise<UserCounts>; readonly atMs: number }>(applicationsMax);

  return async id => {
    const known = counted.get(id);
    const nowMs = steadyNow(clock);
    if (known && nowMs - known.atMs < usersCountAgeMaxMs) return known.counts;
    const counts = count(store, id);
    counted.set(id, { counts, atMs: nowMs }, 1);
    // A small count is repeated each time, and a failed count is not cached.
    const isLarge = await counts.then(
      ({ authorized }) => authorized > usersCountedMax,
      () => false,
    );
    if (!isLarge) counted.delete(id);
    return counts;
  };
}

/** Counts page by page, so that other requests run in between. */
async function count(view: StoreView, id: ApplicationId): Promise<UserCounts> {
  const pageMax = serviceLimits.usersCountedMax;
  let [authorized, installed] = [0, 0];
  for (let from: UserId | undefined; ; await setImmediate()) {
    const query = { index: 'byApplication', equals: [id], limit: pageMax + 1, ...(from && { from }) } as const;
    const found = await view.list('authorizations', query);
    const page = found.slice(0, pageMax);
    authorized += page.length;
    installed += page.filter(isUserInstall).length;
    from = found[pageMax]?.user_id;
    if (from === undefined) return { authorized, installed };
  }
}
