import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrafficDetails, TrafficEntry, TrafficPage } from '../../../wire/control/traffic.ts';
import { control } from '../../control/client.ts';
import { isClockVirtual } from '../../control/clock.ts';
import { messageOf } from '../../control/errors.ts';
import { useStream } from '../../control/live.ts';
import { hrefOf } from '../../router.ts';
import { Select } from '../../ui/field.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState, ErrorNote } from '../../ui/states.tsx';
import { durationText, eventTimeText, timeText } from '../../ui/text/time.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import type { Use } from './screen.ts';

/** How often the traffic of a busy application is read again. */
const readEveryMs = 300;

/** Something in the life of an interaction, and who is behind it. */
export interface Happening {
  readonly role: 'sent' | 'received' | 'answered' | 'delivered';
  readonly entry: TrafficEntry;
}

/** Sorts the traffic of an interaction: what the user sent, what the application received and answered, what users received. */
export function happeningsOf(entries: readonly TrafficEntry[], requestId: number | undefined): readonly Happening[] {
  return entries
    .flatMap((entry): Happening[] => {
      if (entry.kind === 'request') return [{ role: entry.id === requestId ? 'sent' : 'answered', entry }];
      if (entry.kind === 'delivery') return entry.delivery === 'interaction' ? [{ role: 'received', entry }] : [];
      if (entry.kind === 'dispatch')
        return [{ role: entry.event === 'INTERACTION_CREATE' ? 'received' : 'delivered', entry }];
      return [];
    })
    .toSorted((a, b) => a.entry.id - b.entry.id);
}

/** What the application received and answered, use by use. */
export function AppSide({ uses }: { readonly uses: readonly Use[] }) {
  const [picked, setPicked] = useState<string>();
  const use = uses.find(({ nonce }) => nonce === picked) ?? uses.at(-1);
  const choices = uses.toReversed().map(({ nonce, label, startedMs, trafficId }) => {
    const order = trafficId === undefined || !isClockVirtual.value ? '' : ` #${trafficId}`;
    return { value: nonce, label: `${label} · ${timeText(startedMs).slice(0, 8)}${order}` };
  });
  return (
    <section class="stage-side card stack" aria-label={words.side.title}>
      <div class="row">
        <h2 class="grow">{words.side.title}</h2>
        {uses.length > 0 && (
          <Select
            label={words.side.which}
            isLabelHidden
            value={use?.nonce ?? ''}
            choices={choices}
            onChange={setPicked}
          />
        )}
      </div>
      {use ? (
        <Happenings key={use.nonce} use={use} />
      ) : (
        <EmptyState title={words.side.empty} text={words.side.emptyHint} />
      )}
    </section>
  );
}

function Happenings({ use }: { readonly use: Use }) {
  const [entries, setEntries] = useState<readonly TrafficEntry[]>([]);
  const [error, setError] = useState<string>();
  const [count, setCount] = useState(0);
  const { trafficId, interactionId } = use;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const readSoon = () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setCount(count => count + 1);
    }, readEveryMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  // The answers of the application are not caused by the request: they are found by the interaction that they name.
  useStream({ events: 'traffic', application_id: use.applicationId }, { traffic: readSoon });
  useEffect(() => {
    const abort = new AbortController();
    const read = async (query: Readonly<Record<string, string>>) => {
      return (await control.get<TrafficPage>('/traffic', { query: { ...query, limit: 200 }, signal: abort.signal }))
        .entries;
    };
    const load = async () => {
      const own = trafficId === undefined ? [] : await read({ chain: String(trafficId) });
      const named = interactionId === undefined ? [] : await read({ search: interactionId });
      const causes = named.flatMap(({ cause }) => (cause === null ? [] : [cause]));
      const known = new Map([...own, ...named].map(entry => [entry.id, entry]));
      const missing = [...new Set(causes)].filter(id => !known.has(id));
      const found = await Promise.all(
        missing.map(id =>
          control.get<TrafficDetails>(`/traffic/${id}`, { signal: abort.signal }).catch(() => undefined),
        ),
      );
      for (const details of found) if (details) known.set(details.entry.id, details.entry);
      setEntries([...known.values()]);
      setError(undefined);
    };
    load().catch(error => {
      if (!abort.signal.aborted) setError(messageOf(error));
    });
    return () => abort.abort();
  }, [trafficId, interactionId, use.state, count]);

  const happenings = happeningsOf(entries, trafficId);
  return (
    <>
      {error !== undefined && <ErrorNote error={{ message: error }} onRetry={() => setCount(count => count + 1)} />}
      {happenings.length === 0 && error === undefined && (
        <p class="hint">{words.uses[use.state === 'answered' ? 'answered' : use.state]}</p>
      )}
      <ol class="stage-happenings">
        {happenings.map(happening => (
          <HappeningView key={happening.entry.id} happening={happening} />
        ))}
      </ol>
    </>
  );
}

function HappeningView({ happening: { role, entry } }: { readonly happening: Happening }) {
  const [details, setDetails] = useState<TrafficDetails>();
  const [error, setError] = useState<string>();
  const open = async () => {
    if (details) return;
    try {
      setDetails(await control.get<TrafficDetails>(`/traffic/${entry.id}`));
    } catch (error) {
      setError(messageOf(error));
    }
  };
  return (
    <li class={`stage-happening ${role}`}>
      <details onToggle={event => (event.currentTarget as HTMLDetailsElement).open && void open()}>
        <summary>
          <span class="hint">
            {words.side[role]} · {eventTimeText(entry.at_ms, entry.id)}
          </span>
          <span class="stage-happening-title">{titleOf(entry)}</span>
        </summary>
        {error !== undefined && <ErrorNote error={{ message: error }} />}
        {details && <JsonView label={words.side.body} value={bodyOf(details)} depth={6} />}
        <a class="hint" href={hrefOf('traffic', [String(entry.id)])}>
          {words.side.traffic}
        </a>
      </details>
    </li>
  );
}

function titleOf(entry: TrafficEntry): string {
  switch (entry.kind) {
    case 'request':
      return `${entry.method} ${entry.target.replace('/api/v10', '')} → ${entry.status} ${words.side.duration(durationText(entry.duration_ms))}${entry.error === null ? '' : `: ${entry.error}`}`;
    case 'delivery':
      return `${words.side.byHttp(entry.url)} → ${entry.status ?? entry.error ?? ''}`;
    case 'dispatch':
      return `${entry.event} ${words.side.byGateway(entry.sessions)}`;
    default:
      return entry.kind;
  }
}

function bodyOf({ entry, request, answer, data }: TrafficDetails): unknown {
  if (entry.kind === 'dispatch') return data;
  return {
    ...(request?.body != null && { request: request.body }),
    ...(answer?.body != null && { answer: answer.body }),
  };
}
