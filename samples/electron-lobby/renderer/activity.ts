import type { LogEntry } from '../shared/state.ts';
import { el, keyedList, type Row, setShown, setText } from './dom.ts';
import type { AppState } from './model.ts';
import { agoElement } from './time.ts';
import type { View } from './view.ts';

const toneWords = { plain: '', good: 'Good: ', warning: 'Note: ', bad: 'Problem: ' } as const;

/** What happened last, newest first. */
export function createActivity(): View {
  const list = el('ol', {});
  const update = keyedList<LogEntry>(list, entryRow);
  const empty = el('p', { class: 'empty-hint' }, 'Nothing has happened yet.');
  return {
    element: el(
      'aside',
      { class: 'activity', 'data-region': true, tabindex: 0, 'aria-label': 'Recent events' },
      el('h2', {}, 'Recent events'),
      empty,
      list,
    ),
    update({ log }: AppState) {
      setShown(empty, log.length === 0);
      update(log.toReversed());
    },
  };
}

function entryRow({ tone, atMs }: LogEntry): Row<LogEntry> {
  const text = el('span', {});
  const words = el('span', { class: 'visually-hidden' }, toneWords[tone]);
  return {
    element: el('li', { 'data-tone': tone }, words, text, agoElement(atMs)),
    update: entry => setText(text, entry.text),
  };
}
