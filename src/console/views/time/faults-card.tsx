import { useState } from 'preact/hooks';
import type { ArmedFaultView } from '../../../wire/control/calls.ts';
import type { TrafficFault } from '../../../wire/control/traffic.ts';
import { control } from '../../control/client.ts';
import { useStream } from '../../control/live.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { hrefOf } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { ask } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { EmptyState, ErrorNote, Loading } from '../../ui/states.tsx';
import { eventTimeText } from '../../ui/text/time.ts';
import { toast } from '../../ui/toast.ts';
import { timeWords } from '../../words/en/time.ts';
import {
  emptyFaultForm,
  type FaultForm,
  type FaultInput,
  type FaultKind,
  faultKindNames,
  formOf,
} from './fault-form.ts';
import { FaultFormCard } from './fault-form-card.tsx';
import { PresetsCard } from './presets-card.tsx';

const words = timeWords.faults;
const strikesKept = 50;

/** Armed faults, what they struck, presets, and the form that arms one. */
export function FaultsCard({
  query,
  isCluster,
}: {
  readonly query: Readonly<Record<string, string>>;
  readonly isCluster: boolean;
}) {
  const faults = useControl<{ readonly faults: readonly ArmedFaultView[] }>('/faults', {
    areas: ['faults'],
  });
  const strikes = useStrikes(faults.reload);
  const [form, setForm] = useState<FaultForm>(() => formFrom(query));
  const running = useRun();
  const armed = faults.data?.faults ?? [];

  const clearAll = async () => {
    const isSure = await ask({
      title: words.clearTitle,
      text: words.clearText(armed.length),
      confirm: words.clear,
      isDanger: true,
    });
    if (!isSure) return;
    await running.run(async () => {
      await control.delete('/faults');
      toast(words.cleared);
    });
    faults.reload();
  };
  const clearOne = async (fault: ArmedFaultView) => {
    await running.run(async () => {
      await control.delete(`/faults/${encodeURIComponent(fault.id)}`);
      // A fault that was cleared by mistake is armed again as it was.
      toast(words.clearedOne, 'note', { label: words.undo, run: () => void arm([documentOf(fault)]) });
    });
    faults.reload();
  };
  const arm = async (documents: readonly FaultInput[]) => {
    await running.run(() => control.post('/faults', documents));
    faults.reload();
  };
  useCommands(armed.length > 0 ? [{ id: 'faults-clear', label: words.clear, run: () => void clearAll() }] : [], [
    armed.length,
  ]);

  return (
    <div class="stack">
      <section class="card stack" aria-label={words.armed}>
        <div class="row">
          <h2 class="grow">{words.armed}</h2>
          {armed.length > 0 && (
            <Button kind="danger" isBusy={running.isBusy} onClick={() => void clearAll()}>
              {words.clear}
            </Button>
          )}
        </div>
        <FailureNote failure={running.failure} />
        {faults.error && <ErrorNote error={faults.error} onRetry={faults.reload} />}
        {!faults.data && !faults.error && <Loading />}
        {faults.data && armed.length === 0 && <EmptyState title={words.empty} text={words.emptyHint} />}
        <ul class="entries">
          {armed.map(fault => (
            <li key={fault.id} class="entry">
              <div class="grow">
                <div class="row">
                  <strong>{nameOf(fault)}</strong>
                  <span class="badge warn">{fault.left === null ? words.unlimited : words.left(fault.left)}</span>
                  {fault.struck > 0 && <span class="badge">{words.struck(fault.struck)}</span>}
                  {fault.cluster === true && <span class="badge">{words.cluster}</span>}
                </div>
                <div class="hint">{[detailsOf(fault), aimOf(fault), chanceOf(fault)].filter(Boolean).join(' · ')}</div>
              </div>
              <Button kind="quiet" onClick={() => setForm(formOf(documentOf(fault)))}>
                {words.again}
              </Button>
              <Button
                kind="quiet"
                icon="trash"
                label={words.clearOne(nameOf(fault))}
                onClick={() => void clearOne(fault)}
              />
            </li>
          ))}
        </ul>
        {strikes.length > 0 && (
          <section class="stack" aria-label={words.strikes}>
            <h3>{words.strikes}</h3>
            <ol class="entries time-strikes" tabIndex={0} aria-label={words.strikes}>
              {strikes.map(({ id, at_ms, fault, route, connection }) => (
                <li key={id} class="entry">
                  <time class="hint mono">{eventTimeText(at_ms, id)}</time>
                  <span class="grow">
                    {timeWords.kinds[fault as FaultKind]?.name ?? fault}{' '}
                    <span class="hint">{route ?? (connection === null ? '' : words.connection(connection))}</span>
                  </span>
                  <a href={hrefOf('traffic', [String(id)])} aria-label={words.openStrike(id)}>
                    {words.open}
                  </a>
                </li>
              ))}
            </ol>
          </section>
        )}
      </section>
      <PresetsCard onArmed={faults.reload} />
      <FaultFormCard form={form} isCluster={isCluster} onChange={setForm} onArmed={faults.reload} />
    </div>
  );
}

/** What faults struck since the view was opened, the newest first. */
function useStrikes(onStrike: () => void): readonly TrafficFault[] {
  const [strikes, setStrikes] = useState<readonly TrafficFault[]>([]);
  const next = useControl<{ readonly next: number }>('/traffic', { query: { limit: 1 } }).data?.next;
  useStream(next === undefined ? undefined : { events: 'traffic', kind: 'fault', after: String(next) }, {
    traffic: ({ entries }) => {
      const found = entries.filter(entry => entry.kind === 'fault');
      setStrikes(strikes => [...found.toReversed(), ...strikes].slice(0, strikesKept));
      onStrike();
    },
    restarted: () => setStrikes([]),
  });
  return strikes;
}

function nameOf({ kind }: ArmedFaultView): string {
  return timeWords.kinds[kind as FaultKind]?.name ?? kind;
}

/** The armed fault as it was given, without what the service adds; `left` counts where it had a bound. */
function documentOf({ id: _, struck: __, left, ...fault }: ArmedFaultView): FaultInput {
  return { ...(fault as unknown as FaultInput), count: left };
}

function detailsOf({ ms, status, scope, retry_after_ms, resumable }: ArmedFaultView): string {
  return [
    ms !== undefined && words.ms(Number(ms)),
    status !== undefined && String(status),
    scope !== undefined && String(scope),
    retry_after_ms !== undefined && words.retryAfter(Number(retry_after_ms)),
    resumable !== undefined && (resumable ? words.resumable : words.notResumable),
  ]
    .filter(Boolean)
    .join(', ');
}

function aimOf({ match = {} }: ArmedFaultView): string {
  const aims = Object.entries(match).map(([name, value]) => `${name} ${value}`);
  return aims.length === 0 ? words.everywhere : aims.join(', ');
}

function chanceOf({ percent, seed }: ArmedFaultView): string {
  return percent === undefined ? '' : words.chance(Number(percent), Number(seed ?? 0));
}

/** The form as a link fills it. */
function formFrom(query: Readonly<Record<string, string>>): FaultForm {
  return {
    ...emptyFaultForm,
    kind: faultKindNames.find(name => name === query.fault) ?? emptyFaultForm.kind,
    route: query.route ?? '',
    applicationId: query.application_id ?? '',
    userId: query.user_id ?? '',
    event: query.event ?? '',
  };
}
