import type { LobbyEntry, LobbyView } from '../shared/state.ts';
import { avatar } from './avatar.ts';
import { el, keyedList, type Row, setAttribute, setShown, setText } from './dom.ts';
import { clockElement } from './time.ts';

// Lines of one author that follow each other this closely share a head.
const togetherMs = 5 * 60_000;
const nearEndPixels = 80;

/** What was said and what happened, with the newest in view unless the player is reading further up. */
export function createConversation(): {
  readonly element: HTMLElement;
  update(lobby: LobbyView, isOther: boolean): void;
} {
  const list = el('ol', { class: 'entries', role: 'log', 'aria-label': 'Conversation' });
  const update = keyedList<LobbyEntry>(list, entryRow);
  const empty = el('p', { class: 'empty-hint' }, 'Nobody has said anything yet. Say hello!');
  const toEnd = el('button', { class: 'to-end', hidden: true, onclick: scrollToEnd }, 'New messages ↓');
  const scroller = el(
    'div',
    { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': 'Conversation', onscroll: noteEnd },
    empty,
    list,
  );
  const element = el('div', { class: 'conversation' }, scroller, toEnd);
  let lastId: string | undefined;
  let isAtEnd = true;
  // A window that is made smaller must not hide the newest line.
  new ResizeObserver(() => isAtEnd && scrollToEnd()).observe(scroller);

  function isNearEnd(): boolean {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < nearEndPixels;
  }

  function scrollToEnd(): void {
    scroller.scrollTop = scroller.scrollHeight;
  }

  function noteEnd(): void {
    isAtEnd = isNearEnd();
    if (isAtEnd) setShown(toEnd, false);
  }

  return {
    element,
    update({ entries }, isOther) {
      const last = entries.at(-1);
      const isNew = last?.id !== lastId;
      const follows = isOther || isAtEnd || (last?.kind === 'message' && last.isYou && isNew);
      lastId = last?.id;
      // Nobody wants to hear a whole history read out.
      setAttribute(list, 'aria-live', isOther ? 'off' : 'polite');
      setShown(empty, !entries.some(({ kind }) => kind === 'message'));
      update(entries);
      if (follows) scrollToEnd();
      else if (isNew) setShown(toEnd, true);
    },
  };
}

function entryRow(first: LobbyEntry): Row<LobbyEntry> {
  return first.kind === 'message' ? messageRow(first) : eventRow();
}

function messageRow(first: LobbyEntry & { kind: 'message' }): Row<LobbyEntry> {
  const author = el('strong', {}, first.isYou ? 'You' : first.author);
  const content = el('p', {});
  const edited = el('small', { class: 'soft' }, 'edited');
  const element = el(
    'li',
    { class: first.isYou ? 'message own' : 'message' },
    avatar(first.authorId, first.author),
    el('div', { class: 'bubble' }, el('div', { class: 'head' }, author, clockElement(first.atMs)), content, edited),
  );
  return {
    element,
    update(entry, before) {
      if (entry.kind !== 'message') return;
      setText(content, entry.content);
      setShown(edited, entry.isEdited);
      element.classList.toggle('continued', isContinued(entry, before));
    },
  };
}

function isContinued(entry: LobbyEntry & { kind: 'message' }, before: LobbyEntry | undefined): boolean {
  return before?.kind === 'message' && before.authorId === entry.authorId && entry.atMs - before.atMs < togetherMs;
}

function eventRow(): Row<LobbyEntry> {
  const text = el('span', {});
  const element = el('li', { class: 'event' }, text);
  return {
    element,
    update(entry) {
      if (entry.kind !== 'event' || text.textContent === entry.text) return;
      setText(text, entry.text);
      element.append(clockElement(entry.atMs));
    },
  };
}
