import { useEffect, useRef, useState } from 'preact/hooks';
import type { LobbiesPage, LobbySummary } from '../../../wire/control/lobbies.ts';
import { control, isAbort, type Query } from '../../control/client.ts';
import { areaChanges } from '../../control/live.ts';
import { returns } from '../../control/service-state.ts';
import { type Failure, failureOf } from '../../control/use-run.ts';
import { type Page, type PageAnswer, pagesAt, readAgain, replacePage, rowsOfPages } from './lobby-pages.ts';

/** Rows of one call. A search may look at many lobbies to find few: its pages are smaller. */
const pageSize = 500;
/** How often rows in sight are read again at most. */
const refreshMs = 1_000;

export interface LobbyPages {
  readonly rows: readonly LobbySummary[];
  /** There are more, or may be. */
  readonly hasMore: boolean;
  /** How many lobbies the search has looked at so far; 0 where an index made looking unnecessary. */
  readonly searched: number;
  /** How many lobbies there are, whatever is searched for; null when the service cannot tell. */
  readonly total: number | null;
  readonly isLoading: boolean;
  readonly failure: Failure | undefined;
  loadMore(): void;
  /** Reads again what failed. */
  retry(): void;
  /** Which rows are in sight: only these are read again when lobbies change. */
  setSeen(first: number, last: number): void;
}

interface State {
  readonly key: string;
  readonly pages: readonly Page<LobbySummary>[];
  readonly isLoading: boolean;
  readonly searched?: number;
  readonly total?: number | null | undefined;
  readonly failure?: Failure | undefined;
}

/** The lobbies that fit a query, read page by page, and read again where one looks while they change. */
export function useLobbyPages(query: Query): LobbyPages {
  const key = JSON.stringify(query);
  const [state, setState] = useState<State>({ key, pages: [], isLoading: true });
  const seen = useRef<readonly [number, number]>([0, 0]);
  const latest = useRef(state);
  latest.current = state;
  const abort = useRef(new AbortController());

  const read = async (
    after: string | undefined,
    signal: AbortSignal,
  ): Promise<PageAnswer<LobbySummary> & { readonly searched: number; readonly total: number | null }> => {
    const answer = await control.get<LobbiesPage>('/lobbies', { query: { ...query, limit: pageSize, after }, signal });
    return {
      rows: answer.lobbies,
      next: answer.next,
      searched: answer.searched ?? 0,
      total: answer.total,
    };
  };
  const isOver = (signal: AbortSignal, error: unknown) => signal.aborted || isAbort(error);

  // The state says so only after the next rendering.
  const isReading = useRef(false);
  const loadFrom = async (after: string | undefined) => {
    const { signal } = abort.current;
    isReading.current = true;
    setState(state => ({ ...state, isLoading: true, failure: undefined }));
    try {
      const { rows, next, searched, total } = await read(after, signal);
      if (signal.aborted) return;
      setState(state => {
        const known = after === undefined ? [] : state.pages;
        // What was read may be there already, or no longer continue what is there.
        const continues = after === undefined || known.at(-1)?.next === after;
        return {
          key,
          pages: continues ? [...known, { after, next, rows }] : known,
          isLoading: false,
          searched: (continues ? searched : 0) + (after === undefined ? 0 : (state.searched ?? 0)),
          total,
        };
      });
    } catch (error) {
      if (!isOver(signal, error)) setState(state => ({ ...state, isLoading: false, failure: failureOf(error) }));
    } finally {
      if (!signal.aborted) isReading.current = false;
    }
  };

  const refresh = async () => {
    const { signal } = abort.current;
    for (const page of pagesAt(latest.current.pages, ...seen.current)) {
      try {
        const replacement = await readAgain(page, after => read(after, signal));
        if (signal.aborted) return;
        setState(state => ({ ...state, pages: replacePage(state.pages, page, replacement), failure: undefined }));
      } catch (error) {
        if (!isOver(signal, error)) setState(state => ({ ...state, failure: failureOf(error) }));
        return;
      }
    }
  };

  const returned = returns.value;
  useEffect(() => {
    abort.current = new AbortController();
    setState({ key, pages: [], isLoading: true });
    void loadFrom(undefined);
    const own = abort.current;
    return () => own.abort();
  }, [key, returned]);

  // Changes come at most twice a second; rows in sight are read again at most once.
  const changed = areaChanges('lobbies').value;
  const refreshing = useRef<{ timer?: ReturnType<typeof setTimeout> | undefined; isBusy: boolean; isWanted: boolean }>({
    isBusy: false,
    isWanted: false,
  });
  const begin = useRef(changed);
  useEffect(() => {
    if (changed === begin.current) return;
    const one = refreshing.current;
    one.isWanted = true;
    const run = async () => {
      one.timer = undefined;
      if (!one.isWanted || one.isBusy) return;
      one.isWanted = false;
      one.isBusy = true;
      await refreshLatest.current();
      one.isBusy = false;
      one.timer = setTimeout(run, refreshMs);
    };
    if (one.timer === undefined && !one.isBusy) void run();
  }, [changed]);
  const refreshLatest = useRef(refresh);
  refreshLatest.current = refresh;
  useEffect(() => () => clearTimeout(refreshing.current.timer), []);

  const pages = state.key === key ? state.pages : [];
  const next = pages.at(-1)?.next ?? null;
  const rows = useRows(pages);
  return {
    rows,
    hasMore: pages.length === 0 || next !== null,
    searched: state.searched ?? 0,
    total: state.total ?? null,
    isLoading: state.isLoading || state.key !== key,
    failure: state.failure,
    loadMore() {
      if (!isReading.current && !latest.current.failure && next !== null) void loadFrom(next);
    },
    retry() {
      if (!isReading.current) void loadFrom(next ?? undefined);
    },
    setSeen(first, last) {
      seen.current = [first, last];
    },
  };
}

/** One list for the same pages, so that the table can see that nothing changed. */
function useRows(pages: readonly Page<LobbySummary>[]): readonly LobbySummary[] {
  const kept = useRef<{ pages: readonly Page<LobbySummary>[]; rows: readonly LobbySummary[] }>(undefined);
  if (kept.current?.pages !== pages) kept.current = { pages, rows: rowsOfPages(pages) };
  return kept.current.rows;
}
