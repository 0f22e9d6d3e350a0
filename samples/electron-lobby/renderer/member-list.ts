import type { LobbyMemberSnapshot } from '@rallypoint/sdk';
import { nameOf } from '../shared/names.ts';
import { avatar, letterOf } from './avatar.ts';
import { el, keyedList, type Row, setAttribute, setText } from './dom.ts';
import type { AppState } from './model.ts';
import { agoElement } from './time.ts';

/** Who is in the lobby: those who are there first. */
export function createMemberList(): { readonly element: HTMLElement; update(state: AppState): void } {
  const list = el('ul', {});
  let state: AppState | undefined;
  const update = keyedList<LobbyMemberSnapshot>(list, member => memberRow(member, () => state));
  return {
    element: el('section', { class: 'members', 'aria-label': 'Members', tabindex: 0 }, el('h3', {}, 'Members'), list),
    update(now) {
      state = now;
      update([...(now.openLobby?.lobby.members ?? [])].sort(byPresence));
    },
  };
}

function memberRow(first: LobbyMemberSnapshot, state: () => AppState | undefined): Row<LobbyMemberSnapshot> {
  const label = el('strong', {});
  const presence = el('small', {});
  const sign = avatar(first.id, nameOf(first));
  const element = el('li', { class: 'member' }, sign, el('span', { class: 'two-lines' }, label, presence));
  let shown = '';
  return {
    element,
    update(member) {
      const { id, connected } = member;
      const { player, connection, log = [], openLobby } = state() ?? {};
      const isYou = id === (player?.id ?? connection?.userId);
      // When this game saw them come in; nothing of who was there before.
      const joined = log.findLast(
        ({ news }) => news?.isJoin && news.memberId === id && news.lobbyId === openLobby?.lobby.id,
      );
      setText(sign, letterOf(nameOf(member)));
      setText(label, isYou ? `${nameOf(member)} (you)` : nameOf(member));
      setAttribute(element, 'data-online', String(connected));
      const next = `${connected} ${joined?.atMs}`;
      if (next === shown) return;
      shown = next;
      const since = joined ? agoElement(joined.atMs, ', joined ') : isYou ? '' : ', here before you';
      presence.replaceChildren(connected ? 'online' : 'offline', since);
    },
  };
}

function byPresence(a: LobbyMemberSnapshot, b: LobbyMemberSnapshot): number {
  return Number(b.connected) - Number(a.connected) || nameOf(a).localeCompare(nameOf(b));
}
