import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { issueAt, type Running, useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { worldWords } from '../../words/en/world.ts';

const words = worldWords;

type TextName<Fields> = { [Name in keyof Fields]: Fields[Name] extends string ? Name : never }[keyof Fields] & string;

/**
 * The values of a form, what was changed in them, and the saving of them.
 *
 * @param path where the service names the fields in its issues
 */
export function useForm<Fields extends Readonly<Record<string, unknown>>>(
  initial: () => Fields,
  path: readonly string[] = [],
) {
  const running = useRun();
  const [first] = useState(initial);
  const [fields, setFields] = useState(first);
  const set = (changes: Partial<Fields>) => setFields(fields => ({ ...fields, ...changes }));
  const at = (name: keyof Fields & string) => errorAt(running, ...path, name);
  const change = (name: string) => (value: unknown) => set({ [name]: value } as Partial<Fields>);
  const changedKeys = (Object.keys(fields) as (keyof Fields)[]).filter(
    key => JSON.stringify(fields[key]) !== JSON.stringify(first[key]),
  );
  return {
    ...{ running, fields, set, at },
    isChanged: changedKeys.length > 0,
    /** Only the fields that differ from what they were at first. */
    changed: Object.fromEntries(changedKeys.map(key => [key, fields[key]])) as Partial<Fields>,
    /** A field that one types in. */
    text: (name: TextName<Fields>) => ({ value: fields[name] as string, ...at(name), onInput: change(name) }),
    /** A field with choices. */
    choice: (name: TextName<Fields>) => ({ value: fields[name] as string, ...at(name), onChange: change(name) }),
    flag: (name: keyof Fields & string) => ({ isChecked: fields[name] === true, onChange: change(name) }),
  };
}

/** Without an owner the service would make up a user. */
export const noOwner = { message: words.noOwner, issues: [{ path: ['owner_id'], message: words.noOwner }] };

/** A dialog with a form, which asks before what was entered is lost. */
export function FormDialog({
  title,
  running,
  isChanged,
  shown,
  saveLabel = words.save,
  onSave,
  onClose,
  children,
}: {
  readonly title: string;
  readonly running: Running;
  readonly isChanged: boolean;
  /** The fields at which issues are shown. */
  readonly shown: readonly string[];
  readonly saveLabel?: string;
  onSave(): Promise<void>;
  onClose(): void;
  readonly children: ComponentChildren;
}) {
  const close = async () => {
    const question = {
      title: words.discardTitle,
      text: words.discardText,
      confirm: words.discard,
      isDanger: true,
    };
    if (!isChanged || (await ask(question))) onClose();
  };
  return (
    <Dialog
      title={title}
      isWide
      onClose={() => void close()}
      footer={
        <>
          <Button onClick={() => void close()}>{words.cancel}</Button>
          <Button kind="primary" isBusy={running.isBusy} onClick={() => void onSave()}>
            {saveLabel}
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          void onSave();
        }}
      >
        <FailureNote failure={running.failure} shown={shown} />
        {children}
        <p class="hint">{words.fixtureNote}</p>
        {/* Enter in a field saves: the visible button stands outside the form. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** Checkboxes of which each puts one value into a list. */
export function CheckboxSet<Value extends string | number>({
  legend,
  choices,
  value,
  error,
  onChange,
}: {
  readonly legend: string;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly value: readonly Value[];
  readonly error?: string;
  onChange(value: readonly Value[]): void;
}) {
  return (
    <fieldset class="stack">
      <legend>{legend}</legend>
      {choices.map(({ value: one, label }) => (
        <Checkbox
          key={one}
          label={label}
          isChecked={value.includes(one)}
          onChange={isOn => onChange(isOn ? [...value, one] : value.filter(other => other !== one))}
        />
      ))}
      <FieldError error={error} />
    </fieldset>
  );
}

/** What is wrong with several fields together. */
export function FieldError({ error }: { readonly error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <p class="field-error" role="alert">
      {error}
    </p>
  );
}

/** What stands at a field of a form that failed. */
function errorAt(running: Running, ...path: readonly string[]): { readonly error?: string } {
  const error = issueAt(running.failure, ...path);
  return error === undefined ? {} : { error };
}
