import type { DirectMessageSnapshot, LobbyMessageSnapshot } from '@rallypoint/sdk';
import { avatar } from './avatar.ts';
import { el, keyedList, type Row, setAttribute, setShown, setText } from './dom.ts';
import { type Entry, timeOf } from './model.ts';
import { clockElement } from './time.ts';

// Lines of one author that follow each other this closely share a head.
const togetherMs = 5 * 60_000;
const nearEndPixels = 80;

/** What somebody said, in a lobby or to a friend. */
type Said = LobbyMessageSnapshot | DirectMessageSnapshot;

/** What was said and what happened, with the newest in view unless the player is reading further up. */
export function createConversation(): {
  readonly element: HTMLElement;
  update(entries: readonly Entry[], ownId: string | undefined, isOther: boolean): void;
} {
  const list = el('ol', { class: 'entries', role: 'log', 'aria-label': 'Conversation' });
  let ownId: string | undefined;
  const update = keyedList<Entry>(list, entry =>
    isMessage(entry) ? messageRow(entry, entry.author !== undefined && entry.author.id === ownId) : eventRow(),
  );
  const empty = el('p', { class: 'empty-hint' }, 'Nobody has said anything yet. Say hello!');
  const toEnd = el('button', { class: 'to-end', hidden: true, onclick: scrollToEnd }, 'New messages ↓');
  const scroller = el(
    'div',
    { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': 'Conversation', onscroll: noteEnd },
    empty,
    list,
  );
  const element = el('div', { class: 'conversation' }, scroller, toEnd);
  let lastId: Entry['id'] | undefined;
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
    update(entries, own, isOther) {
      ownId = own;
      const last = entries.at(-1);
      const isNew = last?.id !== lastId;
      const follows = isOther || isAtEnd || (isNew && isMessage(last) && last.author?.id === own);
      lastId = last?.id;
      // Nobody wants to hear a whole history read out.
      setAttribute(list, 'aria-live', isOther ? 'off' : 'polite');
      setShown(empty, !entries.some(isMessage));
      update(entries);
      if (follows) scrollToEnd();
      else if (isNew) setShown(toEnd, true);
    },
  };
}

function isMessage(entry: Entry | undefined): entry is Said {
  return entry !== undefined && 'content' in entry;
}

function messageRow({ author, sentAtMs }: Said, isYou: boolean): Row<Entry> {
  const name = author?.displayName ?? 'Somebody';
  const content = el('p', {});
  const edited = el('small', { class: 'soft' }, 'edited');
  const head = el('div', { class: 'head' }, el('strong', {}, isYou ? 'You' : name), clockElement(sentAtMs));
  const element = el(
    'li',
    { class: isYou ? 'message own' : 'message' },
    avatar(author?.id ?? '0', name),
    el('div', { class: 'bubble' }, head, content, edited),
  );
  return {
    element,
    update(entry, before) {
      if (!isMessage(entry)) return;
      setText(content, entry.content);
      setShown(edited, entry.editedAtMs !== undefined);
      element.classList.toggle('continued', isContinued(entry, before));
    },
  };
}

function isContinued(entry: Said, before: Entry | undefined): boolean {
  return isMessage(before) && before.author?.id === entry.author?.id && entry.sentAtMs - before.sentAtMs < togetherMs;
}

function eventRow(): Row<Entry> {
  const text = el('span', {});
  const element = el('li', { class: 'event' }, text);
  return {
    element,
    update(entry) {
      const news = isMessage(entry) ? undefined : entry.news?.text;
      if (news === undefined || text.textContent === news) return;
      setText(text, news);
      element.append(clockElement(timeOf(entry)));
    },
  };
}
