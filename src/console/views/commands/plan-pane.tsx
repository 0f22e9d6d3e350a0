import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { ValidationError } from '../../../model/errors/errors.ts';
import { formatPath } from '../../../model/errors/issue.ts';
import type { DesiredCommand } from '../../../model/rules/commands/plan/desired.ts';
import { makePlan } from '../../../model/rules/commands/plan/make-plan.ts';
import type { Plan, PlanItem } from '../../../model/rules/commands/plan/plan.ts';
import { fewestWrites } from '../../../model/rules/commands/plan/writes.ts';
import { isFields } from '../../../model/rules/field.ts';
import { readJsonFile } from '../../../wire/json-file.ts';
import { serviceNow } from '../../control/clock.ts';
import { messageOf } from '../../control/errors.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { EmptyState, ErrorNote } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { commandWords as words } from '../../words/en/commands.ts';
import { Changes } from './changes.tsx';
import { definitionOf } from './draft.ts';
import { readJsonPlaces } from './json-places.ts';
import { nameOf } from './links.ts';
import { commandActs, type Scope } from './scope.ts';

/** The text of each scope's file: it stays while other views are shown. */
const texts = signal<ReadonlyMap<string, string>>(new Map());

const fileBytesMax = 2 * 1024 * 1024;

/** What a file of definitions would change, and the act of changing it. */
export function PlanPane({ scope, onChanged }: { readonly scope: Scope; onChanged(): void }) {
  const key = `${scope.application.id}/${scope.guildId ?? ''}`;
  const text = texts.value.get(key) ?? '';
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const setText = (next: string) => {
    texts.value = new Map(texts.peek()).set(key, next);
    setError(undefined);
  };
  const registered = () => JSON.stringify(scope.commands.map(definitionOf), null, 2);
  const openFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > fileBytesMax) setError(new Error(words.plan.tooLarge));
    else setText(await file.text());
  };
  const made = text.trim() === '' ? undefined : planOf(text, scope);
  const apply = async (plan: Plan) => {
    const deletes = plan.items.filter(({ action }) => action === 'delete').map(nameOf);
    const { applyTitle: title, applyDeletes, apply: confirm } = words.plan;
    const isLoss = deletes.length > 0;
    if (isLoss && !(await ask({ title, text: applyDeletes(deletes.join(', ')), confirm, isDanger: true }))) return;
    setBusy(true);
    setError(undefined);
    try {
      const { write } = commandActs(scope);
      for (const one of fewestWrites(plan, scope.context)) await write(one);
      toast(words.plan.applied);
    } catch (error) {
      setError(error instanceof Error ? error : new Error(messageOf(error)));
    }
    setBusy(false);
    onChanged();
  };
  return (
    <div class="commands-columns">
      <section class="card stack">
        <TextArea label={words.plan.file} hint={words.plan.fileHint} isMono rows={18} value={text} onInput={setText} />
        <div class="row">
          <Button icon="in" onClick={() => picker.current?.click()}>
            {words.plan.open}
          </Button>
          <input
            ref={picker}
            class="visually-hidden"
            type="file"
            accept=".json,application/json"
            tabIndex={-1}
            aria-hidden="true"
            onChange={event => {
              void openFile(event.currentTarget.files?.[0]);
              event.currentTarget.value = '';
            }}
          />
          <Button onClick={() => setText(registered())}>{words.plan.fromScope}</Button>
          <CopyButton text={registered} label={words.plan.copy} kind="plain" />
        </div>
      </section>
      <section class="stack">
        {error && <ErrorNote error={error} />}
        {!made && <EmptyState title={words.plan.empty} text={words.plan.emptyHint} />}
        {made && 'faults' in made && (
          <ul class="card stack" role="alert">
            {made.faults.map(fault => (
              <li key={fault} class="fault">
                {fault}
              </li>
            ))}
          </ul>
        )}
        {made && 'plan' in made && <PlanTable plan={made.plan} isBusy={isBusy} onApply={() => void apply(made.plan)} />}
      </section>
    </div>
  );
}

type Made = { readonly plan: Plan } | { readonly faults: readonly string[] };

function planOf(text: string, { application, guildId, commands, context }: Scope): Made {
  const reading = readJsonFile(text);
  if ('fault' in reading) return { faults: [`${reading.fault}.`] };
  const { value } = reading;
  const list = Array.isArray(value) ? value : isFields(value) ? value.commands : undefined;
  if (!Array.isArray(list)) return { faults: [words.plan.noList] };
  const place = { applicationId: application.id, ...(guildId !== undefined && { guildId }) };
  try {
    return { plan: makePlan(commands, list as DesiredCommand[], { ...context, place, nowMs: serviceNow.peek() }) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const placeOf = readJsonPlaces(text);
    const prefix = Array.isArray(value) ? [] : ['commands'];
    return {
      faults: error.issues.map(({ path, message }) => {
        const { line } = placeOf([...prefix, ...path]);
        return `${words.editor.line(line)}, ${formatPath(path)}: ${message}`;
      }),
    };
  }
}

const tones = { create: 'good', edit: 'warn', delete: 'fault', leave: '' } as const;

function PlanTable({ plan, isBusy, onApply }: { readonly plan: Plan; readonly isBusy: boolean; onApply(): void }) {
  const count = (action: PlanItem['action']) => plan.items.filter(item => item.action === action).length;
  const isBlocked = plan.warnings.some(({ code }) => code === 'too_many_commands');
  return (
    <>
      <div class="card row">
        <p class="grow" role="status">
          {plan.isInSync
            ? words.plan.inSync
            : words.plan.summary(count('create'), count('edit'), count('delete'), count('leave'))}
        </p>
        <Button kind="primary" isDisabled={plan.isInSync || isBlocked} isBusy={isBusy} onClick={onApply}>
          {words.plan.apply}
        </Button>
      </div>
      {plan.warnings.length > 0 && (
        <section class="card stack">
          <h2>{words.plan.warnings}</h2>
          <ul class="stack">
            {plan.warnings.map(({ code, message, command }) => (
              <li key={`${code} ${command?.name ?? ''} ${message}`} class="warn">
                {command && <strong>{command.name}: </strong>}
                {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      <PlanItems items={plan.items.filter(({ action }) => action !== 'leave')} />
      {count('leave') > 0 && (
        <details>
          <summary>{words.plan.left(count('leave'))}</summary>
          <PlanItems items={plan.items.filter(({ action }) => action === 'leave')} />
        </details>
      )}
    </>
  );
}

function PlanItems({ items }: { readonly items: readonly PlanItem[] }) {
  return (
    <ul class="stack">
      {items.map(item => (
        <li key={`${item.action} ${item.type} ${item.name}`} class="card stack">
          <div class="row">
            <span class={`badge ${tones[item.action]}`}>{words.plan.actions[item.action]}</span>
            <strong class="grow">{nameOf(item)}</strong>
            <span class="hint">{words.types[item.type]}</span>
          </div>
          {item.action === 'edit' && <Changes changes={item.changes} label={words.plan.fields} />}
        </li>
      ))}
    </ul>
  );
}
