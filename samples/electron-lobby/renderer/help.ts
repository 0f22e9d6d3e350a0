import { el } from './dom.ts';

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Alt 1 … 5', 'Lobbies, friends, entry point, account, recent events'],
  ['Ctrl K', 'Join a lobby with its code'],
  ['Ctrl J', 'Write a message'],
  ['↑ ↓', 'From lobby to lobby, in the list'],
  ['Enter', 'Send; with Shift, a new line'],
  ['F6', 'Next part of the window; with Shift, the one before'],
  ['Ctrl /', 'These keys'],
  ['Esc', 'Close this'],
];

/** The keys, in a dialog. */
export function createHelp(): { readonly element: HTMLDialogElement; open(): void } {
  const close = el('button', { class: 'primary', onclick: () => element.close() }, 'Close');
  const keys = shortcuts.flatMap(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)]);
  const element = el(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-heading' },
    el('h2', { id: 'help-heading' }, 'Keyboard'),
    el('dl', {}, ...keys),
    el('div', { class: 'actions' }, close),
  );
  return {
    element,
    open() {
      if (!element.open) element.showModal();
    },
  };
}
