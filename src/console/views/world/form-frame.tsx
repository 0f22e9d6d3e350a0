import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { issueAt, type Running } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { ask, Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { worldWords } from '../../words/en/world.ts';

const words = worldWords;

/** The values of a form, and what was changed in them. */
export function useFields<Fields extends Readonly<Record<string, unknown>>>(initial: () => Fields) {
  const [first] = useState(initial);
  const [fields, setFields] = useState(first);
  const changedKeys = (Object.keys(fields) as (keyof Fields)[]).filter(
    key => JSON.stringify(fields[key]) !== JSON.stringify(first[key]),
  );
  return {
    fields,
    isChanged: changedKeys.length > 0,
    /** Only the fields that differ from what they were at first. */
    changed: Object.fromEntries(changedKeys.map(key => [key, fields[key]])) as Partial<Fields>,
    set: (changes: Partial<Fields>) => setFields(fields => ({ ...fields, ...changes })),
  };
}

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

/** What stands at a field of a form that failed. */
export function errorAt(running: Running, ...path: readonly string[]): { readonly error?: string } {
  const error = issueAt(running.failure, ...path);
  return error === undefined ? {} : { error };
}
