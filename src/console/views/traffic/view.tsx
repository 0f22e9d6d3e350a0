import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ControlStatus } from '../../../wire/control/status.ts';
import type { TrafficEntry } from '../../../wire/control/traffic.ts';
import type { ApplicationsPage, UsersPage } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { hrefOf, navigate, setQuery, type ViewProps } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { Split } from '../../ui/split.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { clockText } from '../../ui/text/time.ts';
import { words } from '../../words/en/traffic.ts';
import type { Names } from './describe.ts';
import { TrafficDetail } from './detail.tsx';
import { TrafficFeed } from './feed.ts';
import { Filters, filterNames, filterOf } from './filters.tsx';
import { Recordings } from './recordings.tsx';
import { Timeline } from './timeline.tsx';

/** All that the service exchanges, as one timeline. `#/traffic/12?status=4xx`: the entry that is open, and the filters. */
export default function TrafficView({ path, query }: ViewProps) {
  const filter = filterOf(query);
  const key = JSON.stringify(filter);
  const feed = useFeed(key);
  const { data } = useControl<ApplicationsPage>('/applications', { query: { limit: 1000 }, areas: ['applications'] });
  // Names of the first are enough: ids stand for the others.
  const { data: known } = useControl<UsersPage>('/users', { query: { limit: 1000 }, areas: ['users'] });
  const applications = data?.applications ?? [];
  const names: Names = useMemo(
    () => ({
      applications: new Map(applications.map(({ id, name }) => [id, name])),
      users: new Map((known?.users ?? []).map(({ id, username }) => [id, username])),
    }),
    [data, known],
  );
  const [isPaused, setPaused] = useState(false);
  const opened = path[0];
  const list = useRef<HTMLDivElement>(null);

  const open = (entry: TrafficEntry) =>
    navigate(hrefOf('traffic', [String(entry.id)], query), { replace: opened !== undefined });
  const close = () => {
    navigate(hrefOf('traffic', [], query));
    list.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus();
  };
  const only = (changes: Record<string, string | undefined>) =>
    setQuery({ ...Object.fromEntries(filterNames.map(name => [name, undefined])), ...changes });
  useCommands(
    [
      { id: 'pause', label: words.commands.pause, run: () => setPaused(isPaused => !isPaused) },
      { id: 'errors', label: words.commands.errors, run: () => only({ status: '4xx,5xx' }) },
      { id: 'requests', label: words.commands.requests, run: () => only({ kind: 'request' }) },
      { id: 'events', label: words.commands.events, run: () => only({ kind: 'dispatch' }) },
      { id: 'all', label: words.commands.all, run: () => only({}) },
    ],
    [],
  );

  return (
    <div class="traffic">
      <div class="view-head">
        <h1>{words.title}</h1>
        <Button icon={isPaused ? 'play' : 'pause'} isPressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? words.resume : words.pause}
        </Button>
        <Recordings filter={filter} onCleared={() => feed.retry()} />
      </div>
      <Filters query={query} applications={applications} events={() => eventsOf(feed.entries.peek())} />
      <Notices feed={feed} />
      <div ref={list} class="traffic-body">
        <Split
          storageKey="traffic"
          main={
            <List
              feed={feed}
              names={names}
              isPaused={isPaused}
              isFiltered={key !== '{}'}
              openedId={opened}
              onOpen={open}
            />
          }
          side={opened !== undefined && <TrafficDetail id={opened} names={names} query={query} onClose={close} />}
        />
      </div>
    </div>
  );
}

function useFeed(key: string): TrafficFeed {
  const [feed, setFeed] = useState(() => new TrafficFeed(JSON.parse(key)));
  const known = useRef(key);
  useEffect(() => {
    if (known.current === key) return;
    known.current = key;
    setFeed(new TrafficFeed(JSON.parse(key)));
  }, [key]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

function Notices({ feed }: { readonly feed: TrafficFeed }) {
  const error = feed.error.value;
  return (
    <>
      {error && <ErrorNote error={error} onRetry={() => feed.retry()} />}
      {feed.isRestarted.value && <p class="hint">{words.restarted}</p>}
      {feed.omitted.value > 0 && <p class="hint">{words.omitted(feed.omitted.value)}</p>}
    </>
  );
}

function List({
  feed,
  names,
  isPaused,
  isFiltered,
  openedId,
  onOpen,
}: {
  readonly feed: TrafficFeed;
  readonly names: Names;
  readonly isPaused: boolean;
  readonly isFiltered: boolean;
  readonly openedId: string | undefined;
  onOpen(entry: TrafficEntry): void;
}) {
  if (feed.entries.value.length > 0) {
    return <Timeline feed={feed} names={names} isPaused={isPaused} openedId={openedId} onOpen={onOpen} />;
  }
  if (feed.isLoading.value) return <Loading />;
  if (feed.error.value) return null;
  return <Nothing isFiltered={isFiltered} />;
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const { data } = useControl<ControlStatus>('/status');
  const sinceMs = data?.features?.traffic_since_ms;
  const { title, text, filtered, filteredText, stage, lobbies, since } = words.empty;
  const told = isFiltered ? filteredText : text;
  return (
    <EmptyState
      title={isFiltered ? filtered : title}
      text={typeof sinceMs === 'number' ? `${told} ${since(clockText(sinceMs))}` : told}
    >
      {!isFiltered && (
        <>
          <a class="button primary" href={hrefOf('stage')}>
            {stage}
          </a>
          <a class="button" href={hrefOf('lobbies')}>
            {lobbies}
          </a>
        </>
      )}
    </EmptyState>
  );
}

const eventsShownMax = 100;

function eventsOf(entries: readonly TrafficEntry[]): readonly string[] {
  const found = new Set<string>();
  // The newest are enough for suggestions.
  for (const entry of entries.slice(-500)) if (entry.kind === 'dispatch') found.add(entry.event);
  return [...found].sort().slice(0, eventsShownMax);
}
