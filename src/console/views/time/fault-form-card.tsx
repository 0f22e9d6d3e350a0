import { dispatchIntents } from '../../../model/gateway.ts';
import type { ApplicationsPage } from '../../../wire/control/world.ts';
import { control } from '../../control/client.ts';
import { useControl } from '../../control/use-control.ts';
import { issueAt, useRun } from '../../control/use-run.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { timeWords } from '../../words/en/time.ts';
import { type FaultForm, faultKindNames, faultKinds, faultOf, faultRoutes } from './fault-form.ts';

const words = timeWords.form;
const events = Object.keys(dispatchIntents).toSorted();

/** The form for one fault of any kind. */
export function FaultFormCard({
  form,
  isCluster,
  onChange,
  onArmed,
}: {
  readonly form: FaultForm;
  readonly isCluster: boolean;
  onChange(form: FaultForm): void;
  onArmed(): void;
}) {
  const running = useRun();
  const { failure } = running;
  const applications = useControl<ApplicationsPage>('/applications', { query: { limit: 1000 } });
  const change = (changes: Partial<FaultForm>) => onChange({ ...form, ...changes });
  const { strikes, fields } = faultKinds[form.kind];
  const has = (field: string) => (fields as readonly string[]).includes(field);
  const error = (...path: readonly string[]) => {
    const found = issueAt(failure, ...path);
    return found === undefined ? {} : { error: found };
  };
  const arm = async (event: Event) => {
    event.preventDefault();
    if (!(await running.run(() => control.post('/faults', faultOf(form))))) return;
    toast(words.armed(timeWords.kinds[form.kind].name));
    onArmed();
  };
  return (
    <section class="card stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <form class="time-fault-form" onSubmit={event => void arm(event)}>
        <Select
          label={words.kind}
          hint={timeWords.kinds[form.kind].does}
          value={form.kind}
          choices={faultKindNames.map(name => ({ value: name, label: timeWords.kinds[name].name }))}
          onChange={kind => change({ kind })}
        />
        {has('ms') && <TextField label={words.ms} value={form.ms} {...error('ms')} onInput={ms => change({ ms })} />}
        {has('status') && (
          <TextField
            label={words.status}
            value={form.status}
            {...error('status')}
            onInput={status => change({ status })}
          />
        )}
        {has('scope') && (
          <Select
            label={words.scope}
            value={form.scope}
            choices={Object.entries(words.scopes).map(([value, label]) => ({ value, label }))}
            onChange={scope => change({ scope })}
          />
        )}
        {has('retry_after_ms') && (
          <TextField
            label={words.retryAfter}
            value={form.retryAfterMs}
            {...error('retry_after_ms')}
            onInput={retryAfterMs => change({ retryAfterMs })}
          />
        )}
        {has('resumable') && (
          <Checkbox label={words.resumable} isChecked={form.resumable} onChange={resumable => change({ resumable })} />
        )}
        {strikes === 'requests' ? (
          <Select
            label={words.route}
            value={form.route}
            choices={[
              { value: '', label: words.anyRoute },
              ...faultRoutes.map(value => ({ value: value as string, label: value })),
            ]}
            onChange={route => change({ route })}
          />
        ) : (
          <TextField
            label={words.event}
            hint={words.eventHint}
            value={form.event}
            suggestions={events}
            {...error('match', 'event')}
            onInput={event => change({ event })}
          />
        )}
        <Select
          label={words.application}
          value={form.applicationId}
          choices={[
            { value: '', label: words.anyApplication },
            ...(applications.data?.applications ?? []).map(({ id, name }) => ({ value: id as string, label: name })),
          ]}
          onChange={applicationId => change({ applicationId })}
        />
        <UserPicker
          label={words.user}
          hint={words.userHint}
          value={form.userId}
          {...error('match', 'user_id')}
          onChange={userId => change({ userId })}
        />
        <TextField
          label={words.count}
          hint={words.countHint}
          value={form.count}
          {...error('count')}
          onInput={count => change({ count })}
        />
        <TextField
          label={words.percent}
          value={form.percent}
          {...error('percent')}
          onInput={percent => change({ percent })}
        />
        <TextField
          label={words.seed}
          hint={words.seedHint}
          value={form.seed}
          {...error('seed')}
          onInput={seed => change({ seed })}
        />
        {isCluster && (
          <Checkbox label={words.cluster} isChecked={form.cluster} onChange={cluster => change({ cluster })} />
        )}
        <FailureNote
          failure={failure}
          shown={['ms', 'status', 'retry_after_ms', 'match', 'count', 'percent', 'seed']}
        />
        <div class="row">
          <Button kind="primary" type="submit" isBusy={running.isBusy}>
            {words.arm}
          </Button>
          <CopyButton text={() => JSON.stringify(faultOf(form), null, 2)} label={words.asJson} />
        </div>
      </form>
    </section>
  );
}
