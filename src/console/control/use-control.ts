import { useEffect, useState } from 'preact/hooks';
import type { ControlArea } from '../../wire/control/stream.ts';
import { addressOf, control, isAbort, type Query } from './client.ts';
import { ControlError, messageOf } from './errors.ts';
import { areaChanges } from './live.ts';
import { returns } from './service-state.ts';

/** What a view has read so far. */
export interface Loaded<T> {
  /** The last answer for this address; it stays while the next one is read. */
  readonly data: T | undefined;
  readonly error: ControlError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

export interface ControlOptions {
  readonly query?: Query;
  /** Reads it again and again at this interval. */
  readonly everyMs?: number;
  /** Reads it again when something in one of these areas changed. */
  readonly areas?: readonly ControlArea[];
}

/**
 * Reads a control call, again whenever the path or the query changes, after `reload()`, and after the service was away.
 *
 * @param path undefined: nothing is read
 */
export function useControl<T>(
  path: string | undefined,
  { query, everyMs, areas = [] }: ControlOptions = {},
): Loaded<T> {
  const address = path === undefined ? undefined : addressOf(path, query);
  const [state, setState] = useState<{ address?: string; data?: T; error?: ControlError; isLoading: boolean }>({
    isLoading: true,
  });
  const [count, setCount] = useState(0);
  const returned = returns.value;
  const changed = areas.map(area => areaChanges(area).value).join();

  useEffect(() => {
    if (path === undefined || address === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        const data = await control.get<T>(path, { ...(query && { query }), signal: abort.signal });
        setState({ address, data, isLoading: false });
      } catch (error) {
        if (isAbort(error) || abort.signal.aborted) return;
        const shown = error instanceof ControlError ? error : new ControlError(0, messageOf(error));
        setState(state => ({ ...state, address, error: shown, isLoading: false }));
      }
      if (everyMs !== undefined && !abort.signal.aborted) timer = setTimeout(read, everyMs);
    };
    setState(state => ({ ...(state.address === address && state), isLoading: true }));
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [address, count, everyMs, returned, changed]);

  const isOwn = state.address === address;
  return {
    data: isOwn ? state.data : undefined,
    error: isOwn ? state.error : undefined,
    isLoading: path !== undefined && (state.isLoading || !isOwn),
    reload: () => setCount(count => count + 1),
  };
}
