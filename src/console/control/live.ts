import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ControlMetrics } from '../../wire/control/metrics.ts';
import type { ControlArea, StreamQuery } from '../../wire/control/stream.ts';
import { isClockVirtual, setServiceClock } from './clock.ts';
import { serviceRestarted } from './service-state.ts';
import { openStream, type StreamHandlers } from './stream.ts';

/** How many samples of the metrics are kept: ten minutes. */
const samplesMax = 600;

/** The last samples of the metrics, the newest last. */
export const samples = signal<readonly ControlMetrics[]>([]);

/** The node that the console talks to; null for a service on its own. */
export const ownNode = signal<string | null>(null);

const changes = new Map<ControlArea, Signal<number>>();

/** Rises whenever something in the area changed: reading it in a component or an effect runs that again. */
export function areaChanges(area: ControlArea): ReadonlySignal<number> {
  let found = changes.get(area);
  if (!found) {
    found = signal(0);
    changes.set(area, found);
  }
  return found;
}

function noteChanges(areas: readonly ControlArea[]): void {
  const all = areas.includes('everything');
  for (const [area, count] of changes) if (all || areas.includes(area)) count.value++;
}

/** Reads what every view needs: the metrics, and what changed. One connection while somebody is signed in. */
export function startLive(): () => void {
  const onSample = (sample: ControlMetrics) => {
    samples.value = [...samples.peek(), sample].slice(-samplesMax);
    setServiceClock(sample.now_ms, isClockVirtual.peek());
  };
  return openStream(
    { events: 'metrics,changed' },
    {
      hello: ({ metrics, node }) => {
        ownNode.value = node;
        samples.value = metrics.slice(-samplesMax);
        noteChanges(['everything']);
      },
      metrics: onSample,
      changed: ({ areas }) => noteChanges(areas),
      restarted: serviceRestarted,
    },
  );
}

/**
 * Reads a stream of its own while the component is shown, such as the changes of a lobby.
 *
 * @param query undefined: nothing is read. The stream is opened anew when it changes
 */
export function useStream(query: StreamQuery | undefined, handlers: StreamHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  const key = query && JSON.stringify(query);
  useEffect(() => {
    if (!query) return;
    return openStream(query, {
      hello: data => latest.current.hello?.(data),
      metrics: data => latest.current.metrics?.(data),
      traffic: data => latest.current.traffic?.(data),
      lobby: data => latest.current.lobby?.(data),
      changed: data => latest.current.changed?.(data),
      omitted: data => latest.current.omitted?.(data),
      restarted: () => latest.current.restarted?.(),
    });
  }, [key]);
}
