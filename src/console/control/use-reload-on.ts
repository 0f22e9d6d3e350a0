import { useEffect, useRef } from 'preact/hooks';
import type { ControlArea } from '../../wire/control/stream.ts';
import { areaChanges } from './live.ts';

/** Calls `reload` when something in one of the areas changed: immediately, and then at most once in `everyMs`. */
export function useReloadOn(areas: readonly ControlArea[], reload: () => void, everyMs = 1_000): void {
  const changes = areas.map(area => areaChanges(area).value).join();
  const seen = useRef(changes);
  const latest = useRef(reload);
  latest.current = reload;
  const timing = useRef<{ timer?: ReturnType<typeof setTimeout> | undefined; isWanted: boolean }>({ isWanted: false });
  useEffect(() => {
    if (seen.current === changes) return;
    seen.current = changes;
    const { current } = timing;
    current.isWanted = true;
    const run = () => {
      current.timer = undefined;
      if (!current.isWanted) return;
      current.isWanted = false;
      latest.current();
      current.timer = setTimeout(run, everyMs);
    };
    if (current.timer === undefined) run();
  }, [changes]);
  useEffect(() => () => clearTimeout(timing.current.timer), []);
}
