import type { Outcome } from '../shared/state.ts';
import { el, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import { createNotice, submits } from './notice.ts';

// Of the interface; the rulebook in the main process judges, this only shows it coming.
const lengthMax = 2_000;
const lengthShown = 1_800;

/**
 * The line to say something in. Enter sends, Shift and Enter begins a new line.
 *
 * @param label what screen readers call it
 */
export function createComposer(
  label: string,
  say: (text: string) => Promise<Outcome>,
): {
  readonly element: HTMLElement;
  focus(): void;
  update(isLive: boolean, isOther: boolean): void;
} {
  const text = el('textarea', {
    name: 'text',
    rows: 1,
    'aria-label': label,
    'aria-keyshortcuts': 'Control+J',
    placeholder: 'Say something …',
    maxlength: lengthMax,
    onkeydown: sendByEnter,
    oninput: showLength,
  });
  const left = el('small', { class: 'soft', role: 'status', hidden: true });
  const send = el('button', { class: 'primary', 'aria-label': 'Send' }, icon('send'));
  const notice = createNotice();
  const form = el(
    'form',
    { class: 'composer', novalidate: true },
    notice.element,
    el('div', { class: 'row' }, text, send),
    left,
  );

  submits(
    form,
    notice,
    () => (text.value.trim() === '' ? undefined : say(text.value)),
    () => {
      form.reset();
      showLength();
    },
  );

  function sendByEnter(event: Event): void {
    const { key, shiftKey, isComposing } = event as KeyboardEvent;
    if (key !== 'Enter' || shiftKey || isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  }

  function showLength(): void {
    setShown(left, text.value.length > lengthShown);
    setText(left, `${lengthMax - text.value.length} characters left`);
  }

  return {
    element: form,
    focus: () => text.focus(),
    update(isLive, isOther) {
      send.disabled = !isLive;
      text.placeholder = isLive ? 'Say something …' : 'Write on; it can be sent once the connection is back.';
      if (!isOther) return;
      form.reset();
      notice.show(undefined);
    },
  };
}
