import { signal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../words/en.ts';
import { Button } from './button.tsx';

/** Opens a dialog element as long as its component is shown. The browser keeps the focus in it. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The browser gives the focus back to what opened a dialog only when that is closed, not when it is removed.
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return dialog;
}

/** A modal dialog. The focus begins in its first field, if it has one. Escape and the close button call `onClose`. */
export function Dialog({
  title,
  children,
  footer,
  isWide = false,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly isWide?: boolean;
  onClose(): void;
}) {
  const dialog = useModal();
  const titleId = useId();
  useEffect(() => {
    const field = ':is(input, textarea, select):not(:disabled, [type=file])';
    dialog.current?.querySelector<HTMLElement>(`.dialog-body ${field}`)?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" icon="close" label={words.kit.close} onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
      {footer !== undefined && <div class="dialog-foot">{footer}</div>}
    </dialog>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The words of the button that does it: a verb. */
  readonly confirm: string;
  readonly isDanger?: boolean;
}

const question = signal<(Question & { readonly answer: (isConfirmed: boolean) => void }) | undefined>(undefined);

/** Asks before something is lost. Resolves to whether it was confirmed. */
export function ask(asked: Question): Promise<boolean> {
  question.peek()?.answer(false);
  return new Promise(resolve => {
    question.value = {
      ...asked,
      answer: isConfirmed => {
        question.value = undefined;
        resolve(isConfirmed);
      },
    };
  });
}

/** Where questions of {@link ask} appear. */
export function Dialogs() {
  const asked = question.value;
  if (!asked) return null;
  return (
    <Dialog
      title={asked.title}
      onClose={() => asked.answer(false)}
      footer={
        <>
          <Button onClick={() => asked.answer(false)}>{words.kit.cancel}</Button>
          <Button kind={asked.isDanger ? 'danger' : 'primary'} onClick={() => asked.answer(true)}>
            {asked.confirm}
          </Button>
        </>
      }
    >
      <p>{asked.text}</p>
    </Dialog>
  );
}
