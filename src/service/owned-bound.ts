import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApplicationId } from '../model/snowflake.ts';
import { steadyNow } from '../wire/clock/ports.ts';
import type { Core } from './core.ts';
import type { StoreView } from './store/contract.ts';
import type { CollectionName, LobbyInviteRecord, Records } from './store/records.ts';

/** How old a count may be before it is repeated, where it says that an application has as many as allowed. */
const countAgeMaxMs = 60_000;
const pageSize = 1000;

/**
 * Bounds how many records of one kind an application has, without a count of its own in the store. A process begins with the number of
 * all records of the kind, adds what it creates, and counts those of the application, page by page and at most once a minute, only
 * when that number reaches the bound. What other nodes create is found by that count, too.
 *
 * @param max undefined: any number
 * @param countOf the application's records
 * @returns whether the application may have one more, which is counted
 */
export function createOwnedBound(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  collection: CollectionName,
  max: number | undefined,
  countOf: (view: StoreView, id: ApplicationId) => Promise<number>,
): (id: ApplicationId) => Promise<boolean> {
  const known = new Map<ApplicationId, { count: number; readonly countedAtMs: number }>();
  const counting = new Map<ApplicationId, Promise<void>>();

  async function recount(id: ApplicationId, most: number): Promise<void> {
    const atMost = known.has(id) ? most : await store.count(collection, most);
    known.set(id, { count: atMost < most ? atMost : await countOf(store, id), countedAtMs: steadyNow(clock) });
  }

  return async id => {
    if (max === undefined) return true;
    const before = known.get(id);
    if (!before || (before.count >= max && steadyNow(clock) - before.countedAtMs >= countAgeMaxMs)) {
      const running = counting.get(id) ?? recount(id, max).finally(() => counting.delete(id));
      counting.set(id, running);
      await running;
    }
    const now = known.get(id);
    if (!now || now.count >= max) return false;
    now.count++;
    return true;
  };
}

/** Counts the lobbies of an application among all. */
export function countLobbies(view: StoreView, id: ApplicationId): Promise<number> {
  return countRecords(
    view,
    'lobbies',
    [],
    ({ id }) => id,
    ({ application_id }) => application_id === id,
  );
}

/** Counts the identities of an application, each of which leads to an account. */
export function countIdentities(view: StoreView, id: ApplicationId): Promise<number> {
  return countRecords(
    view,
    'external_identities',
    [id],
    ({ hash }) => hash,
    () => true,
  );
}

/** Counts the invites of an application among all; those that have expired are deleted as others are made. */
export function countInvites(view: StoreView, id: ApplicationId, nowMs: number): Promise<number> {
  const isValid = (invite: LobbyInviteRecord) => invite.application_id === id && invite.expires_at_ms > nowMs;
  return countRecords(view, 'lobby_invites', [], ({ code }) => code, isValid);
}

/** @param equals all fields of the key but the last, which is `lastKey` */
async function countRecords<Name extends CollectionName>(
  view: StoreView,
  collection: Name,
  equals: readonly string[],
  lastKey: (record: Records[Name]) => string,
  counts: (record: Records[Name]) => boolean,
): Promise<number> {
  let count = 0;
  for (let from = ''; ; await nextTurn()) {
    const page = await view.list(collection, { equals, from, limit: pageSize });
    count += page.filter(record => lastKey(record) !== from && counts(record)).length;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return count;
    from = lastKey(last);
  }
}
