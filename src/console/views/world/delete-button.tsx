import { control } from '../../control/client.ts';
import { messageOf } from '../../control/errors.ts';
import { useRun } from '../../control/use-run.ts';
import { Button } from '../../ui/button.tsx';
import { ask } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure-note.tsx';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';

const words = worldWords.deleting;

/** Deletes something after a question that says what goes with it. */
export function DeleteButton({
  name,
  path,
  text,
  isBare,
  restore,
  onDeleted,
}: {
  readonly name: string;
  /** Of the control call. */
  readonly path: string;
  /** What is deleted with it. */
  readonly text: string;
  /** An icon in a list, not a button with a word. */
  readonly isBare?: boolean;
  /** Brings back what was deleted, if that can be undone. */
  restore?(): Promise<unknown>;
  /** Called again after it was brought back. */
  onDeleted(): void;
}) {
  const running = useRun();
  const remove = async () => {
    const question = { title: words.title(name), text, confirm: words.confirm, isDanger: true };
    if (!(await ask(question))) return;
    const isDone = await running.run(async () => {
      await control.delete(path);
      return true;
    });
    if (!isDone) return;
    const undo = restore && {
      label: words.undo,
      run: () => void restore().then(onDeleted, error => toast(messageOf(error), 'fault')),
    };
    toast(words.done(name), 'note', undo);
    onDeleted();
  };
  const label = words.label(name);
  return (
    <>
      {isBare ? (
        <Button kind="quiet" icon="trash" label={label} isBusy={running.isBusy} onClick={() => void remove()} />
      ) : (
        <Button kind="danger" icon="trash" label={label} isBusy={running.isBusy} onClick={() => void remove()}>
          {words.confirm}
        </Button>
      )}
      <FailureNote failure={running.failure} />
    </>
  );
}
