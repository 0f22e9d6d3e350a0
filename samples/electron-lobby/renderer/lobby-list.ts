import type { Bridge } from '../shared/bridge.ts';
import type { AppState, LobbySummary } from '../shared/state.ts';
import { el, keyedList, type Row, setAttribute, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import { createNotice, submits } from './notice.ts';
import type { View } from './view.ts';
import { count } from './words.ts';

/** The player's lobbies, and the two ways into another. */
export function createLobbyList(bridge: Bridge): View & { focusSecret(): void } {
  let shownId: string | undefined;
  const list = el('ul', { class: 'lobby-list', 'aria-label': 'Your lobbies', onkeydown: moveByArrows });
  const update = keyedList<LobbySummary>(list, ({ id }) => lobbyRow(bridge, id, () => shownId));
  const empty = el(
    'p',
    { class: 'empty-hint' },
    'None yet. Make one and share its secret, or enter the one you were given.',
  );

  const secret = el('input', {
    id: 'secret',
    name: 'secret',
    placeholder: 'amber-comet-…',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-keyshortcuts': 'Control+K',
  });
  const joinNotice = createNotice();
  const join = el(
    'form',
    { class: 'stack', novalidate: true },
    el('label', { for: 'secret' }, 'Join by secret'),
    el('div', { class: 'row' }, secret, el('button', {}, 'Join')),
    joinNotice.element,
  );
  submits(
    join,
    joinNotice,
    () => (secret.value.trim() ? bridge.joinLobby({ secret: secret.value }) : undefined),
    () => join.reset(),
  );

  const title = el('input', {
    id: 'title',
    name: 'title',
    placeholder: 'Friday crew',
    autocomplete: 'off',
    maxlength: 60,
  });
  const makeNotice = createNotice();
  const make = el(
    'form',
    { class: 'stack', novalidate: true },
    el('label', { for: 'title' }, 'New lobby'),
    el('div', { class: 'row' }, title, el('button', { class: 'primary' }, icon('plus'), 'Make')),
    makeNotice.element,
  );
  submits(
    make,
    makeNotice,
    () => bridge.makeLobby({ title: title.value }),
    () => make.reset(),
  );

  const element = el(
    'section',
    { class: 'sidebar', 'data-region': true, tabindex: -1, 'aria-label': 'Lobbies' },
    el('h2', {}, 'Lobbies'),
    empty,
    list,
    el('div', { class: 'ways-in' }, make, join),
  );

  return {
    element,
    focusSecret: () => secret.focus(),
    update({ lobbies, openLobby }: AppState) {
      shownId = openLobby?.id;
      setShown(empty, lobbies.length === 0);
      update(lobbies);
    },
  };
}

function lobbyRow(bridge: Bridge, lobbyId: string, shownId: () => string | undefined): Row<LobbySummary> {
  const title = el('strong', { class: 'clamped' });
  const people = el('small', {});
  const unread = el('span', { class: 'unread' });
  const button = el(
    'button',
    { onclick: () => bridge.showLobby({ lobbyId }) },
    icon('lobbies'),
    el('span', { class: 'two-lines' }, title, people),
    unread,
  );
  return {
    element: el('li', {}, button),
    update(lobby) {
      setText(title, lobby.title);
      setText(people, `${lobby.onlineCount} of ${count(lobby.memberCount, 'member')} online`);
      setShown(unread, lobby.unread > 0);
      setText(unread, lobby.unread > 99 ? '99+' : String(lobby.unread));
      setAttribute(unread, 'aria-label', `${lobby.unread} unread`);
      setAttribute(button, 'aria-current', shownId() === lobbyId ? 'true' : undefined);
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
