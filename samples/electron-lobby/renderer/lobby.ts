import { titleOf } from '../shared/names.ts';
import { createComposer } from './composer.ts';
import { createConversation } from './conversation.ts';
import { el, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import { createMemberList } from './member-list.ts';
import { type Actions, type AppState, entriesOf } from './model.ts';
import { createNotice } from './notice.ts';
import type { View } from './view.ts';
import { count, onlineIn } from './words.ts';

/** The lobby that is shown: who is in it, what was said, and a line to say something. */
export function createLobby(actions: Actions): View & { focusComposer(): void } {
  let lobbyId = '';
  const notice = createNotice();
  const title = el('h2', { class: 'clamped' });
  const people = el('p', { class: 'soft' });
  const code = el('code', { class: 'join-code' });
  const copied = el('span', { role: 'status', class: 'copied' });
  const share = el(
    'div',
    { class: 'share' },
    icon('key'),
    el('span', { class: 'visually-hidden' }, 'Code to share: '),
    code,
    el('button', { class: 'quiet', onclick: copyCode }, icon('copy'), 'Copy'),
    copied,
  );
  const back = el(
    'button',
    { class: 'quiet back', onclick: () => actions.showLobby(null) },
    icon('back'),
    el('span', {}, 'Lobbies'),
  );
  const leave = el('button', { class: 'quiet leave', onclick: leaveLobby }, icon('leave'), el('span', {}, 'Leave'));
  const conversation = createConversation();
  const composer = createComposer('Message', text => actions.say(lobbyId, text));
  const members = createMemberList();
  const open = el(
    'div',
    { class: 'lobby' },
    el('header', {}, back, el('div', { class: 'titles' }, title, people), share, leave),
    notice.element,
    members.element,
    conversation.element,
    composer.element,
  );
  const empty = el(
    'div',
    { class: 'empty' },
    el('div', { class: 'beacon', 'aria-hidden': 'true' }, icon('star')),
    el('h2', {}, 'No lobby is open'),
    el('p', {}, 'Choose one of yours, create a new one, or join a friend with the code that they gave you.'),
  );
  const element = el(
    'section',
    { class: 'lobby-view', 'data-region': true, tabindex: -1, 'aria-label': 'Lobby' },
    open,
    empty,
  );

  async function copyCode(): Promise<void> {
    await actions.copyCode(lobbyId);
    setText(copied, 'Copied');
    setTimeout(() => setText(copied, ''), 2_000);
  }

  async function leaveLobby(): Promise<void> {
    const outcome = await actions.leaveLobby(lobbyId);
    notice.show(outcome.ok ? undefined : outcome.problem);
  }

  return {
    element,
    focusComposer: () => composer.focus(),
    update(state: AppState) {
      const { openLobby, connection, codes, player } = state;
      setShown(open, openLobby !== undefined);
      setShown(empty, openLobby === undefined);
      if (!openLobby) return;
      const { lobby } = openLobby;
      const isOther = lobbyId !== lobby.id;
      lobbyId = lobby.id;
      if (isOther) notice.show(undefined);
      setText(title, titleOf(lobby));
      setText(people, `${count(lobby.members.length, 'member')}, ${onlineIn(lobby)} online`);
      setShown(share, codes[lobbyId] !== undefined);
      setText(code, codes[lobbyId] ?? '');
      members.update(state);
      conversation.update(entriesOf(state), player?.id ?? connection.userId, isOther);
      composer.update(connection.status === 'ready', isOther);
    },
  };
}
