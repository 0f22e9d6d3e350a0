import { el, setAttribute, setShown, setText } from './dom.ts';

/** A labelled line of text, with a hint and a place for what is wrong with it. */
export interface Field {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** Undefined: nothing is wrong. */
  fault(message: string | undefined): void;
}

export function createField(id: string, label: string, hint: string, lengthMax: number): Field {
  const input = el('input', {
    id,
    name: id,
    autocomplete: 'off',
    maxlength: lengthMax,
    'aria-describedby': `${id}-hint ${id}-fault`,
  });
  const fault = el('p', { class: 'fault', id: `${id}-fault`, role: 'alert', hidden: true });
  return {
    input,
    element: el(
      'div',
      { class: 'field' },
      el('label', { for: id }, label),
      input,
      el('small', { class: 'soft', id: `${id}-hint` }, hint),
      fault,
    ),
    fault(message) {
      setAttribute(input, 'aria-invalid', message === undefined ? undefined : 'true');
      setShown(fault, message !== undefined);
      setText(fault, message ?? '');
    },
  };
}

/** One choice of a group, with what it means. */
export function createChoice(
  group: string,
  value: string,
  label: string,
  text: string,
): { element: HTMLElement; input: HTMLInputElement } {
  const input = el('input', { type: 'radio', name: group, value });
  const element = el(
    'label',
    { class: 'choice' },
    input,
    el('span', { class: 'two-lines' }, el('strong', {}, label), el('small', {}, text)),
  );
  return { element, input };
}
