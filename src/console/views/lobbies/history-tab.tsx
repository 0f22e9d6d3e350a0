import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TrafficEntry, TrafficPage } from '../../../wire/control/traffic.ts';
import { control } from '../../control/client.ts';
import { useStream } from '../../control/live.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { eventTimeText } from '../../ui/text/time.ts';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { historyOf } from './history.ts';

const words = lobbyWords.history;
const pageSize = 200;
const keptMax = 2_000;

/** What happened to the lobby, as far as the service still has its traffic; the newest first. */
export function HistoryTab({ lobbyId }: { readonly lobbyId: string }) {
  const [entries, setEntries] = useState<readonly TrafficEntry[]>();
  const [previous, setPrevious] = useState<number | null>(null);
  const [next, setNext] = useState<number>();
  const running = useRun();

  const read = async (before: number | undefined) => {
    const page = await running.run(() =>
      control.get<TrafficPage>('/traffic', { query: { lobby_id: lobbyId, limit: pageSize, before } }),
    );
    if (!page) return;
    setEntries(known => merge(known ?? [], page.entries));
    setPrevious(page.previous);
    setNext(next => next ?? page.next);
  };
  useEffect(() => void read(undefined), []);
  useStream(next === undefined ? undefined : { events: 'traffic', lobby_id: lobbyId, after: String(next) }, {
    traffic: ({ entries }) => setEntries(known => merge(known ?? [], entries)),
    restarted: () => setEntries([]),
  });

  const lines = useMemo(() => historyOf(entries ?? []), [entries]);
  if (entries === undefined) return running.failure ? <FailureNote failure={running.failure} /> : <Loading />;
  const traffic = hrefOf('traffic', [], { lobby_id: lobbyId });
  if (lines.length === 0) {
    return (
      <EmptyState title={words.empty} text={words.emptyHint}>
        <a class="button" href={traffic}>
          {lobbyWords.openTraffic}
        </a>
      </EmptyState>
    );
  }
  return (
    <div class="stack">
      <ol class="entries lobby-history" aria-label={lobbyWords.tabs.history}>
        {lines.map(({ id, at_ms, text, detail, kind, isFailure, isEffect }) => (
          <li key={id} class={`entry ${isEffect ? 'effect' : ''}`}>
            <time class="hint mono">{eventTimeText(at_ms, id)}</time>
            <span class={isFailure ? 'badge fault' : `badge ${kind === 'request' ? 'good' : ''}`}>
              {words.kinds[kind]}
            </span>
            <span class="grow">
              {text} <span class="hint">{detail}</span>
            </span>
            <a href={hrefOf('traffic', [String(id)])} aria-label={words.openEntry(id)}>
              {words.open}
            </a>
          </li>
        ))}
      </ol>
      <FailureNote failure={running.failure} />
      <div class="row">
        {previous !== null && (
          <Button isBusy={running.isBusy} onClick={() => void read(previous)}>
            {words.older}
          </Button>
        )}
        <a href={traffic}>{lobbyWords.openTraffic}</a>
      </div>
    </div>
  );
}

/** Both, each entry once, the newest of them when there are too many. */
function merge(known: readonly TrafficEntry[], more: readonly TrafficEntry[]): readonly TrafficEntry[] {
  const byId = new Map([...known, ...more].map(entry => [entry.id, entry]));
  return [...byId.values()].toSorted((a, b) => a.id - b.id).slice(-keptMax);
}
