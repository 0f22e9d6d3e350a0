import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListPage } from '../../wire/control/world.ts';
import type { Core } from '../core.ts';
import type { ListQuery } from '../store/contract.ts';
import type { CollectionName, Records } from '../store/records.ts';
import { consoleLimits } from '../support/service-limits.ts';
import { type ControlRequest, type Page, pageMax, queryText } from './request.ts';

export interface FoundPage<Item> extends ListPage {
  readonly page: readonly Item[];
}

/** Collections whose records have an id as their key. */
type ById = 'applications' | 'users' | 'guilds' | 'lobbies';

/**
 * A page of records in the order of their ids as text.
 *
 * @param isWanted what no index can select: then at most `consoleLimits.searchedRecordsMax` records are looked at for one page
 */
export async function pageOf<Name extends ById>(
  core: Pick<Core, 'store'>,
  name: Name,
  { limit, after }: Page,
  isWanted?: (record: Records[Name]) => boolean,
): Promise<FoundPage<Records[Name]>> {
  const read = (from: string | undefined, count: number) =>
    following(core, name, { limit: count, ...(from !== undefined && { from }) });
  return isWanted ? search(read, { limit, after, isWanted }) : plainPage(await read(after, limit + 1), limit);
}

/** Records with an id above `from`. */
async function following<Name extends ById>(
  { store }: Pick<Core, 'store'>,
  name: Name,
  { limit, from }: { readonly limit: number; readonly from?: string },
): Promise<readonly Records[Name][]> {
  // The bound itself is in the list.
  const query = { limit: limit + 1, ...(from !== undefined && { from }) } as ListQuery<Name>;
  const found = await store.list(name, query);
  return found.filter(({ id }) => id !== from).slice(0, limit);
}

function plainPage<Item extends { readonly id: string }>(found: readonly Item[], limit: number): FoundPage<Item> {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

const chunk = 250;

async function search<Item extends { readonly id: string }>(
  readAfter: (id: string | undefined, count: number) => Promise<readonly Item[]>,
  { limit, after, isWanted }: { limit: number; after: string | undefined; isWanted: (item: Item) => boolean },
): Promise<FoundPage<Item>> {
  const page: Item[] = [];
  let last = after;
  let searched = 0;
  for (;;) {
    const items = await readAfter(last, chunk);
    for (const item of items) {
      last = item.id;
      searched++;
      if (isWanted(item)) page.push(item);
      if (page.length === limit) return { page, next: last, searched, truncated: false };
    }
    if (items.length < chunk) return { page, next: null, searched, truncated: false };
    if (searched >= consoleLimits.searchedRecordsMax) return { page, next: last ?? null, searched, truncated: true };
    await nextTurn();
  }
}

/** A page of a list that is in memory already, in its order. */
export function pageOfAll<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  { limit, after }: Page,
): FoundPage<Item> {
  const start = after === undefined ? 0 : items.findIndex(item => idOf(item) === after) + 1;
  const page = items.slice(start, start + limit);
  const last = page.at(-1);
  return { page, next: start + limit < items.length && last !== undefined ? idOf(last) : null };
}

/** What a list shows beside its entries. */
export function pageFields({ page: _, ...rest }: FoundPage<unknown>): ListPage {
  return rest;
}

/** Whether one of the texts contains what is searched, upper and lower case alike; undefined: nothing is searched. */
export function searcher(
  query: ControlRequest['query'],
): ((...texts: readonly (string | null | undefined)[]) => boolean) | undefined {
  const wanted = queryText(query, 'search')?.trim().toLowerCase();
  if (wanted === undefined || wanted === '') return undefined;
  return (...texts) => texts.some(text => text?.toLowerCase().includes(wanted));
}

/** Counts collections, up to a bound, and not more often than it is worth. */
export class Counts {
  readonly #core: Pick<Core, 'store'>;
  readonly #known = new Map<CollectionName, { readonly atMs: number; readonly count: number }>();

  constructor(core: Pick<Core, 'store'>) {
    this.#core = core;
  }

  async of(name: CollectionName, atMost: number = consoleLimits.countedMax): Promise<number> {
    const known = this.#known.get(name);
    // What takes long is asked less often.
    if (known && performance.now() - known.atMs < (known.count < pageMax ? 0 : consoleLimits.countAgeMs)) {
      return known.count;
    }
    const count = await this.#core.store.count(name, atMost);
    this.#known.set(name, { atMs: performance.now(), count });
    return count;
  }
}
