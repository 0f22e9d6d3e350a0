import type { DispatchName } from '../../../model/gateway.ts';
import type { TrafficCallerView, TrafficEntry } from '../../../wire/control/traffic.ts';
import type { RouteName } from '../../../wire/routes.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';

/** One thing that happened to a lobby, in words. */
export interface HistoryLine {
  readonly id: number;
  readonly at_ms: number;
  readonly text: string;
  /** Who did it, or how far it went; empty when there is nothing to say. */
  readonly detail: string;
  readonly kind: 'request' | 'event' | 'delivery' | 'timer' | 'fault' | 'other';
  readonly isFailure: boolean;
  /** It follows from an entry that is in the list, too. */
  readonly isEffect: boolean;
}

const { routes, events, by, receivers, faults, deliveries, timers } = lobbyWords.history;

/**
 * What the entries of a lobby's traffic say: the newest first, but what follows from an entry right behind it, in its order. Reading
 * alone is no part of a lobby's history.
 */
export function historyOf(entries: readonly TrafficEntry[]): readonly HistoryLine[] {
  const told = entries.filter(entry => !(entry.kind === 'request' && entry.method === 'GET' && entry.status < 400));
  const byId = new Map(told.map(entry => [entry.id, entry]));
  const firstCause = (entry: TrafficEntry): number => {
    // Causes have lower ids, so this ends.
    const cause = entry.cause === null || entry.cause >= entry.id ? undefined : byId.get(entry.cause);
    return cause ? firstCause(cause) : entry.id;
  };
  const groups = Map.groupBy(
    told.toSorted((a, b) => a.id - b.id),
    firstCause,
  );
  return [...groups]
    .toSorted(([a], [b]) => b - a)
    .flatMap(([first, entries]) => entries.map(entry => lineOf(entry, entry.id !== first)));
}

function lineOf(entry: TrafficEntry, isEffect: boolean): HistoryLine {
  const line = { id: entry.id, at_ms: entry.at_ms, isEffect };
  switch (entry.kind) {
    case 'request':
    case 'oauth': {
      const { route, status, caller, error, method, target } = entry;
      const done = routes[route as RouteName & keyof typeof routes] ?? `${method} ${target}`;
      const isFailure = status >= 400;
      const who = callerOf(caller);
      const detail = isFailure ? `${who} · ${status}${error === null ? '' : ` · ${error}`}` : who;
      return { ...line, kind: 'request', text: done, detail, isFailure };
    }
    case 'dispatch': {
      const { event, sessions } = entry;
      const text = events[event as DispatchName & keyof typeof events];
      return {
        ...line,
        kind: 'event',
        text: text === undefined ? event : `${event}: ${text}`,
        detail: receivers(sessions),
        isFailure: false,
      };
    }
    case 'delivery': {
      const { delivery, event, status, error } = entry;
      const isFailure = status === null || status >= 400;
      const detail = error ?? (status === null ? '' : String(status));
      return {
        ...line,
        kind: 'delivery',
        text: `${deliveries[delivery]}${event === null ? '' : `: ${event}`}`,
        detail,
        isFailure,
      };
    }
    case 'fault':
      return { ...line, kind: 'fault', text: faults(entry.fault), detail: '', isFailure: true };
    case 'timer':
      return { ...line, kind: 'timer', text: timers[entry.timer], detail: '', isFailure: false };
    case 'connection':
      return { ...line, kind: 'other', text: entry.event, detail: entry.session_id ?? '', isFailure: false };
  }
}

function callerOf(caller: TrafficCallerView | null): string {
  if (caller === null) return by.nobody;
  return caller.kind === 'user' ? by.user(caller.username ?? caller.user_id ?? '') : by[caller.kind];
}
