import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TrafficEntry, TrafficPage } from '../../../wire/control/traffic.ts';
import { consoleLimits } from '../../support/service-limits.ts';
import type { Activity } from '../../telemetry/activity.ts';
import type { KeptEntry } from '../../telemetry/traffic/ring.ts';
import { ControlRefusal, type ControlRequest, queryId, queryText, readLimit, readPlace } from '../request.ts';

type Query = ControlRequest['query'];

/** Which entries are wanted. */
export interface TrafficFilter {
  readonly isWanted: (kept: KeptEntry) => boolean;
  /** Text that is looked for in all that an entry says; lower case. */
  readonly search: string | undefined;
}

/** Fields that have to be equal. */
const idFields = ['application_id', 'user_id', 'lobby_id', 'guild_id'] as const;

/** @throws ControlRefusal */
export function readFilter(query: Query, activity: Activity): TrafficFilter {
  const tests: ((entry: TrafficEntry) => boolean)[] = [];
  for (const field of idFields) {
    const wanted = queryId(query, field);
    if (wanted !== undefined) tests.push(entry => entry[field] === wanted);
  }
  const kinds = readList(query, 'kind');
  if (kinds) tests.push(({ kind }) => kinds.has(kind));
  const routes = readList(query, 'route');
  if (routes) tests.push(entry => 'route' in entry && entry.route !== null && routes.has(entry.route));
  const events = readList(query, 'event');
  if (events) tests.push(entry => 'event' in entry && entry.event !== null && events.has(entry.event));
  const statuses = readList(query, 'status');
  if (statuses) tests.push(entry => 'status' in entry && isOneOf(entry.status, statuses));
  const chain = queryText(query, 'chain');
  if (chain !== undefined) {
    const root = Number(chain);
    if (!Number.isSafeInteger(root)) throw new ControlRefusal(400, '"chain" must be the id of an entry.');
    const members = chainOf(activity, root);
    tests.push(({ id }) => members.has(id));
  }
  return {
    isWanted: ({ entry }) => tests.every(test => test(entry)),
    search: queryText(query, 'search')?.trim().toLowerCase() || undefined,
  };
}

function readList(query: Query, name: string): ReadonlySet<string> | undefined {
  const text = queryText(query, name);
  return text === undefined ? undefined : new Set(text.split(',').map(one => one.trim()));
}

function isOneOf(status: number | null, wanted: ReadonlySet<string>): boolean {
  if (status === null) return wanted.has('none');
  return wanted.has(String(status)) || wanted.has(`${Math.floor(status / 100)}xx`);
}

/** The entry and all that it caused. */
function chainOf(activity: Activity, root: number): ReadonlySet<number> {
  const causes = new Map<number, number | null>();
  for (const { entry } of entriesOf(activity)) causes.set(entry.id, entry.cause);
  const members = new Set([root]);
  for (const id of causes.keys()) {
    const path: number[] = [];
    let at: number | null | undefined = id;
    while (at !== null && at !== undefined && !members.has(at)) {
      path.push(at);
      at = causes.get(at);
    }
    if (typeof at === 'number') for (const one of path) members.add(one);
  }
  return members;
}

/** All entries, the oldest first. */
export function* entriesOf(activity: Activity): Iterable<KeptEntry> {
  for (let number = activity.kept.first; number <= activity.kept.last; number++) {
    const kept = activity.kept.at(number);
    if (kept) yield kept;
  }
}

/** Whether an entry fits. */
export function fits(kept: KeptEntry, { isWanted, search }: TrafficFilter): boolean {
  return isWanted(kept) && (search === undefined || textOf(kept).includes(search));
}

/** All that an entry says, in lower case. */
function textOf({ entry, details: { requestBody, answer, data, query } }: KeptEntry): string {
  return [JSON.stringify([entry, query]), requestBody, answer, data].join('\n').toLowerCase();
}

/**
 * Goes through items and lets other work run in between, because the items can be megabytes.
 *
 * @param visit called for each item, in order
 */
export async function eachWithPauses<Item>(items: Iterable<Item>, visit: (item: Item) => void): Promise<void> {
  let pausedAtMs = performance.now();
  for (const item of items) {
    visit(item);
    if (performance.now() - pausedAtMs < turnMs) continue;
    await nextTurn();
    pausedAtMs = performance.now();
  }
}

/** How long work goes on without a pause. */
const turnMs = 10;

/** @throws ControlRefusal */
export async function pageOfTraffic(activity: Activity, query: Query): Promise<Omit<TrafficPage, 'node'>> {
  const filter = readFilter(query, activity);
  const limit = readLimit(query);
  const after = readPlace(query.after, 'after');
  const before = readPlace(query.before, 'before');
  const { first, last } = activity.kept;
  if (after !== undefined) {
    const found = await collect(activity, filter, limit, Math.max(after + 1, first), 1);
    return { entries: found.entries, next: found.at - 1, previous: null, first, last, truncated: found.isGivenUp };
  }
  const from = Math.min(before === undefined ? last : before - 1, last);
  const found = await collect(activity, filter, limit, from, -1);
  const previous = found.at >= first ? found.at + 1 : null;
  return { entries: found.entries.reverse(), next: last, previous, first, last, truncated: found.isGivenUp };
}

const pauseBytes = 256 * 1024;

/** Collects entries from a number on. @returns also the first number that was not looked at */
async function collect(activity: Activity, filter: TrafficFilter, limit: number, from: number, step: 1 | -1) {
  const entries: TrafficEntry[] = [];
  let bytes = 0;
  let pausedAt = 0;
  let number = from;
  for (; number >= activity.kept.first && number <= activity.kept.last && entries.length < limit; number += step) {
    const kept = activity.kept.at(number);
    if (!kept || !filter.isWanted(kept)) continue;
    if (filter.search !== undefined) {
      bytes += kept.bytes;
      if (bytes > consoleLimits.searchedBytesMax) return { entries, at: number, isGivenUp: true };
      if (bytes - pausedAt > pauseBytes) {
        pausedAt = bytes;
        await nextTurn();
      }
      if (!textOf(kept).includes(filter.search)) continue;
    }
    entries.push(kept.entry);
  }
  return { entries, at: number, isGivenUp: false };
}
