import { useEffect, useRef, useState } from 'preact/hooks';
import type { ControlArea } from '../../../wire/control/stream.ts';
import type { ListPage } from '../../../wire/control/world.ts';
import { control, isAbort, type Query } from '../../control/client.ts';
import { ControlError } from '../../control/errors.ts';
import { areaChanges } from '../../control/live.ts';
import { returns } from '../../control/service-state.ts';
import { type Failure, failureOf } from '../../control/use-run.ts';
import { words } from '../../words/en.ts';

const pageSize = 200;
/** As many as one call answers: so many rows are read again when something changes. */
const pageMax = 1_000;

export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly failure: Failure | undefined;
  loadMore(): void;
  reload(): void;
}

interface State<Row> {
  readonly key: string;
  readonly rows: readonly Row[];
  /** Undefined: nothing was read yet. */
  readonly next: string | null | undefined;
  readonly isLoading: boolean;
  readonly failure?: Failure | undefined;
}

/**
 * A list that the service pages. When something in its area changes, it is read again from its beginning.
 *
 * @param path undefined: nothing is read
 * @param name of the rows in the answer
 */
export function usePages<Row>(path: string | undefined, name: string, query: Query, area: ControlArea): Pages<Row> {
  const key = `${path} ${JSON.stringify(query)}`;
  const [state, setState] = useState<State<Row>>({ key, rows: [], next: undefined, isLoading: true });
  const [count, setCount] = useState(0);
  const controller = useRef(new AbortController());

  const read = async (after: string | undefined, known: readonly Row[], limit: number) => {
    if (path === undefined) return;
    const { signal } = controller.current;
    try {
      const answer = await control.get<ListPage & Readonly<Record<string, unknown>>>(path, {
        query: { ...query, limit, after },
        signal,
      });
      const read = answer[name];
      if (!Array.isArray(read)) throw new ControlError(0, words.control.unlike);
      const rows = [...known, ...(read as readonly Row[])];
      setState({ key, rows, next: answer.next, isLoading: false });
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      setState(state => ({ ...state, key, isLoading: false, failure: failureOf(error) }));
    }
  };

  const changed = areaChanges(area).value;
  const returned = returns.value;
  useEffect(() => {
    controller.current = new AbortController();
    const own = controller.current;
    const isOther = state.key !== key;
    if (isOther) setState({ key, rows: [], next: undefined, isLoading: true });
    void read(undefined, [], isOther ? pageSize : Math.min(pageMax, Math.max(pageSize, state.rows.length)));
    return () => own.abort();
  }, [key, changed, returned, count]);

  const isOwn = state.key === key;
  return {
    rows: isOwn ? state.rows : [],
    hasMore: isOwn ? state.next !== null : true,
    isLoading: !isOwn || state.isLoading,
    failure: isOwn ? state.failure : undefined,
    loadMore() {
      if (!isOwn || state.isLoading || typeof state.next !== 'string') return;
      setState({ ...state, isLoading: true });
      void read(state.next, state.rows, pageSize);
    },
    reload: () => setCount(count => count + 1),
  };
}
