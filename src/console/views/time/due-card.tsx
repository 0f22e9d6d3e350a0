import { useMemo } from 'preact/hooks';
import type { TimerDetails, TimerKind, TimersAnswer } from '../../../wire/control/time.ts';
import { serviceNow } from '../../control/clock.ts';
import type { Loaded } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf, setQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Countdown } from '../../ui/countdown.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Select } from '../../ui/field.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { clockText, durationText } from '../../ui/text/time.ts';
import { timeWords } from '../../words/en/time.ts';
import { advance } from './advance.ts';
import { countSpans } from './due.ts';

const words = timeWords.due;
const kindNames = Object.keys(words.kinds) as TimerKind[];

/** Everything that happens by itself, next first. */
export function DueCard({
  timers,
  kind,
  isVirtual,
}: {
  readonly timers: Loaded<TimersAnswer>;
  readonly kind: string;
  readonly isVirtual: boolean;
}) {
  const running = useRun();
  const { data, error, isLoading, reload } = timers;
  const rows = data?.timers ?? [];

  const moveTo = async ({ at_ms }: TimerDetails) => {
    const byMs = at_ms - serviceNow.peek();
    if (await running.run(() => advance({ to_ms: at_ms }, byMs))) reload();
  };
  const columns: readonly Column<TimerDetails>[] = [
    { id: 'in', label: words.columns.in, width: '7rem', cell: ({ at_ms }) => <Countdown atMs={at_ms} /> },
    {
      id: 'what',
      label: words.columns.what,
      cell: timer => (
        <span class="time-what" title={`${clockText(timer.at_ms)} ${timer.what}`}>
          {timer.what} <code>{timer.lobby_id}</code>
        </span>
      ),
    },
    {
      id: 'acts',
      label: words.columns.acts,
      width: isVirtual ? '5.5rem' : '3.5rem',
      cell: timer => (
        <span class="row">
          {isVirtual && (
            <Button
              kind="quiet"
              icon="play"
              label={timeWords.clock.toThis}
              isBusy={running.isBusy}
              onClick={() => void moveTo(timer)}
            />
          )}
          <TimerLink timer={timer} />
        </span>
      ),
    },
  ];
  return (
    <section class="card stack" aria-label={words.title}>
      <div class="row">
        <h2 class="grow">{words.title}</h2>
        <Select
          label={words.filter}
          isLabelHidden
          value={kind}
          choices={[
            { value: '', label: words.all },
            ...kindNames.map(name => ({ value: name as string, label: words.kinds[name] })),
          ]}
          onChange={value => setQuery({ kind: value })}
        />
      </div>
      <FailureNote failure={running.failure} />
      {error && <ErrorNote error={error} onRetry={reload} />}
      {!data && !error && isLoading && <Loading />}
      {data && rows.length === 0 && <EmptyState title={words.empty} text={words.emptyHint} />}
      {rows.length > 0 && (
        <>
          <Spans timers={rows} />
          <div class="time-due">
            <Table
              label={words.title}
              columns={columns}
              rows={rows}
              keyOf={({ kind, at_ms, id, lobby_id, user_id }) => [kind, at_ms, id, lobby_id, user_id].join('/')}
              rowHeight={48}
            />
          </div>
          {data?.truncated && <p class="hint">{words.truncated(rows.length)}</p>}
        </>
      )}
    </section>
  );
}

/** The time line: how much is due soon, and how much later. */
function Spans({ timers }: { readonly timers: readonly TimerDetails[] }) {
  // Once a second is often enough; the timers themselves change rarely.
  const nowMs = serviceNow.value;
  const spans = useMemo(() => countSpans(timers, nowMs), [timers, nowMs]);
  const most = Math.max(...spans.map(({ count }) => count));
  return (
    <ol class="time-spans" aria-label={words.chart}>
      {spans.map(({ untilMs, count }) => (
        <li key={untilMs} class={count === 0 ? 'none' : undefined}>
          <span class="time-span-count">{count}</span>
          <span class="time-span-bar" style={{ height: `${(count / most) * 100}%` }} />
          <span class="time-span-end">{Number.isFinite(untilMs) ? durationText(untilMs) : words.later}</span>
        </li>
      ))}
    </ol>
  );
}

function TimerLink({ timer: { lobby_id, link, what } }: { readonly timer: TimerDetails }) {
  const href = lobby_id !== null ? hrefOf('lobbies', [lobby_id]) : link?.startsWith('#/') ? link : undefined;
  return href === undefined ? null : (
    <a href={href} aria-label={words.openLabel(what)}>
      {words.open}
    </a>
  );
}
