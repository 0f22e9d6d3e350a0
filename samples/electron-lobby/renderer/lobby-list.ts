import type { LobbySnapshot } from '@rallypoint/sdk';
import { titleOf } from '../shared/names.ts';
import { el, keyedList, type Row, setAttribute, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { createNotice, submits } from './notice.ts';
import type { View } from './view.ts';
import { count, onlineIn } from './words.ts';

/** The player's lobbies, and the two ways into another. */
export function createLobbyList(actions: Actions): View & { focusCode(): void } {
  let state: AppState | undefined;
  const list = el('ul', { class: 'lobby-list', 'aria-label': 'Your lobbies', onkeydown: moveByArrows });
  const update = keyedList<LobbySnapshot>(list, ({ id }) => lobbyRow(actions, id, () => state));
  const empty = el(
    'p',
    { class: 'empty-hint' },
    'None yet. Create one and share its code, or enter the code that you were given.',
  );

  const code = el('input', {
    id: 'code',
    name: 'code',
    placeholder: 'amber-comet-…',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-keyshortcuts': 'Control+K',
  });
  const joinNotice = createNotice();
  const createIt = el('button', { type: 'button', hidden: true, onclick: createAnyway }, 'Create it again');
  const join = el(
    'form',
    { class: 'stack', novalidate: true },
    el('label', { for: 'code' }, 'Join with a code'),
    el('div', { class: 'row' }, code, el('button', {}, 'Join')),
    joinNotice.element,
    createIt,
  );
  submits(
    join,
    joinNotice,
    async () => {
      setShown(createIt, false);
      if (code.value.trim() === '') return undefined;
      const outcome = await actions.joinLobby(code.value, false);
      setShown(createIt, !outcome.ok && outcome.problem.code === 'no_such_lobby');
      return outcome;
    },
    () => join.reset(),
  );
  code.addEventListener('input', () => setShown(createIt, false));

  /** The player knows now that no lobby has the code. */
  async function createAnyway(): Promise<void> {
    setShown(createIt, false);
    const outcome = await actions.joinLobby(code.value, true);
    joinNotice.show(outcome.ok ? undefined : outcome.problem);
    if (outcome.ok) join.reset();
  }

  const title = el('input', {
    id: 'title',
    name: 'title',
    placeholder: 'Friday crew',
    autocomplete: 'off',
    maxlength: 60,
  });
  const titleNotice = createNotice();
  const create = el(
    'form',
    { class: 'stack', novalidate: true },
    el('label', { for: 'title' }, 'Create a lobby'),
    el('div', { class: 'row' }, title, el('button', { class: 'primary' }, icon('plus'), 'Create')),
    titleNotice.element,
  );
  submits(
    create,
    titleNotice,
    () => actions.createLobby(title.value),
    () => create.reset(),
  );

  const element = el(
    'section',
    { class: 'sidebar', 'data-region': true, tabindex: -1, 'aria-label': 'Lobbies' },
    el('h2', {}, 'Lobbies'),
    empty,
    list,
    el('div', { class: 'ways-in' }, create, join),
  );

  return {
    element,
    focusCode: () => code.focus(),
    update(now: AppState) {
      state = now;
      setShown(empty, now.lobbies.length === 0);
      update(now.lobbies);
    },
  };
}

function lobbyRow(actions: Actions, lobbyId: string, state: () => AppState | undefined): Row<LobbySnapshot> {
  const title = el('strong', { class: 'clamped' });
  const people = el('small', {});
  const unread = el('span', { class: 'unread' });
  const button = el(
    'button',
    { onclick: () => actions.showLobby(lobbyId) },
    icon('lobbies'),
    el('span', { class: 'two-lines' }, title, people),
    unread,
  );
  return {
    element: el('li', {}, button),
    update(lobby) {
      const unreadCount = state()?.unreadOf(lobbyId) ?? 0;
      setText(title, titleOf(lobby));
      setText(people, `${onlineIn(lobby)} of ${count(lobby.members.length, 'member')} online`);
      setShown(unread, unreadCount > 0);
      setText(unread, unreadCount > 99 ? '99+' : String(unreadCount));
      setAttribute(unread, 'aria-label', `${unreadCount} unread`);
      setAttribute(button, 'aria-current', state()?.openLobby?.lobby.id === lobbyId ? 'true' : undefined);
    },
  };
}

/** Up and down go from lobby to lobby; Tab goes on to what follows. */
function moveByArrows(event: Event): void {
  const { key, currentTarget } = event as KeyboardEvent;
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(currentTarget instanceof HTMLElement)) return;
  const buttons = [...currentTarget.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = buttons[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
