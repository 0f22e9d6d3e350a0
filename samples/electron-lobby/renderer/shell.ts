import { createAccount } from './account.ts';
import { createActivity } from './activity.ts';
import { el, setAttribute } from './dom.ts';
import { createEntryPoint } from './entry-point.ts';
import { createFriendList } from './friend-list.ts';
import { createFriendView } from './friend-view.ts';
import { createHelp } from './help.ts';
import { type IconName, icon } from './icon.ts';
import { createInvites } from './invites.ts';
import { createLobby } from './lobby.ts';
import { createLobbyList } from './lobby-list.ts';
import type { Actions, AppState } from './model.ts';
import { listenForKeys } from './shortcuts.ts';
import { createTopBar } from './top-bar.ts';
import type { View } from './view.ts';

export type PageName = 'lobbies' | 'friends' | 'entry-point' | 'account' | 'activity';

const pages: readonly (readonly [name: PageName, label: string, icon: IconName])[] = [
  ['lobbies', 'Lobbies', 'lobbies'],
  ['friends', 'Friends', 'people'],
  ['entry-point', 'Entry point', 'launch'],
  ['account', 'Account', 'account'],
  ['activity', 'Activity', 'activity'],
];

/** Everything that a signed-in player sees. On a wide window all of it, on a narrow one a page at a time. */
export function createShell(actions: Actions): View & { focus(): void } {
  const lobbyList = createLobbyList(actions);
  const lobby = createLobby(actions);
  const friendList = createFriendList(actions);
  const friend = createFriendView(actions);
  const invites = createInvites(actions, () => go('lobbies'));
  const entryPoint = createEntryPoint(actions);
  const account = createAccount(actions);
  const activity = createActivity();
  const help = createHelp();
  const topBar = createTopBar(actions, { account: () => go('account'), help: () => help.open() });
  const buttons = pages.map(([name, label, picture], place) =>
    el(
      'button',
      { 'data-page': name, 'aria-keyshortcuts': `Alt+${place + 1}`, onclick: () => go(name) },
      icon(picture),
      el('span', {}, label),
    ),
  );
  const element = el(
    'div',
    { class: 'shell' },
    topBar.element,
    el('nav', { class: 'tabs', 'data-region': true, tabindex: -1, 'aria-label': 'Pages' }, ...buttons),
    el(
      'main',
      {},
      lobbyList.element,
      lobby.element,
      friendList.element,
      friend.element,
      entryPoint.element,
      account.element,
    ),
    invites.element,
    activity.element,
    help.element,
  );

  function go(page: PageName): void {
    element.dataset.page = page;
    for (const button of buttons)
      setAttribute(button, 'aria-current', button.dataset.page === page ? 'page' : undefined);
  }

  go('lobbies');
  listenForKeys(element, {
    page(place) {
      const name = pages[place]?.[0];
      if (name) go(name);
      // On a wide window what happened is always in view, and has no tab.
      const button = buttons[place];
      (button?.checkVisibility() ? button : activity.element).focus();
    },
    joinCode() {
      go('lobbies');
      element.dataset.lobby = 'closed';
      lobbyList.focusCode();
    },
    composer() {
      if (element.dataset.page === 'friends') return friend.focusComposer();
      go('lobbies');
      lobby.focusComposer();
    },
    help: () => help.open(),
  });

  const views: readonly View[] = [topBar, lobbyList, lobby, friendList, friend, invites, entryPoint, account, activity];
  return {
    element,
    focus: () => buttons[0]?.focus(),
    update(state: AppState) {
      element.dataset.lobby = state.openLobby ? 'open' : 'closed';
      element.dataset.friend = state.openFriend ? 'open' : 'closed';
      for (const view of views) view.update(state);
    },
  };
}
