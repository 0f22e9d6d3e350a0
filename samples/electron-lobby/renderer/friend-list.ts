import type { SocialUserSnapshot } from '@rallypoint/sdk';
import { avatar } from './avatar.ts';
import { el, keyedList, type Row, setAttribute, setChildren, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { createNotice, type Notice, submits } from './notice.ts';
import type { View } from './view.ts';
import { presenceWords, unavailableWords } from './words.ts';

type Work = (userId: SocialUserSnapshot['id']) => ReturnType<Actions['addFriend']>;

/** The player's friends in three groups, requests, and the way to new friends. */
export function createFriendList(actions: Actions): View {
  const notice = createNotice();
  let state: AppState | undefined;
  const friendsOf = (heading: string) =>
    group(heading, user => friendRow(user, () => state, { open: () => actions.showFriend(user.id) }));
  const requests = group('Requests', user => requestRow(user, actions, notice));
  const playing = friendsOf('In Starfall');
  const elsewhere = friendsOf('Online');
  const offline = friendsOf('Offline');
  const sent = group('Sent requests', user =>
    plainRow(user, [['Cancel', actions.cancelFriend, `Cancel the request to ${user.displayName}`]], notice),
  );
  const blocked = group('Blocked', user =>
    plainRow(user, [['Unblock', actions.unblock, `Unblock ${user.displayName}`]], notice),
  );
  const groups = [requests, playing, elsewhere, offline, sent, blocked];
  const empty = el('p', { class: 'empty-hint' });

  const name = el('input', {
    id: 'friend-name',
    name: 'username',
    placeholder: 'username',
    autocomplete: 'off',
    spellcheck: 'false',
    autocapitalize: 'off',
    maxlength: 32,
  });
  const added = el('p', { role: 'status', class: 'soft' });
  let asked = '';
  /** As long as the request waits for an answer. */
  const showAsked = () => {
    const isWaiting = state?.requests.outgoing.some(({ username }) => username === asked.toLowerCase());
    setText(added, isWaiting ? `${asked} has your request.` : '');
  };
  const addNotice = createNotice();
  const add = el(
    'form',
    { class: 'stack', novalidate: true },
    el('label', { for: 'friend-name' }, 'Add a friend'),
    el('div', { class: 'row' }, name, el('button', { class: 'primary' }, icon('plus'), 'Add')),
    addNotice.element,
    added,
  );
  submits(
    add,
    addNotice,
    () => {
      asked = '';
      showAsked();
      return name.value.trim() === '' ? undefined : actions.addFriend(name.value);
    },
    () => {
      asked = name.value.trim();
      showAsked();
      add.reset();
    },
  );

  return {
    element: el(
      'section',
      { class: 'sidebar friends', 'data-region': true, tabindex: -1, 'aria-label': 'Friends' },
      el('h2', {}, 'Friends'),
      notice.element,
      empty,
      ...groups.map(({ element }) => element),
      el('div', { class: 'ways-in' }, add),
    ),
    update(now) {
      state = now;
      showAsked();
      const { friends } = now;
      requests.update(now.requests.incoming);
      playing.update(friends.onlinePlayingGame);
      elsewhere.update(friends.onlineElsewhere);
      offline.update(friends.offline);
      sent.update(now.requests.outgoing);
      blocked.update(now.blocked);
      const hasFriends = friends.onlinePlayingGame.length + friends.onlineElsewhere.length + friends.offline.length > 0;
      setShown(empty, !hasFriends);
      setText(empty, unavailableWords(friends) ?? 'None yet. Add somebody by the name that they sign in with.');
    },
  };
}

interface Group {
  readonly element: HTMLElement;
  update(users: readonly SocialUserSnapshot[]): void;
}

/** Users under a heading, which is there only while there are any. */
function group(heading: string, createRow: (user: SocialUserSnapshot) => Row<SocialUserSnapshot>): Group {
  const list = el('ul', { class: 'friend-list', 'aria-label': heading });
  const update = keyedList<SocialUserSnapshot>(list, createRow);
  const number = el('span', {});
  const element = el('div', { class: 'friend-group', hidden: true }, el('h3', {}, `${heading} `, number), list);
  return {
    element,
    update(users) {
      setShown(element, users.length > 0);
      setText(number, String(users.length));
      update(users);
    },
  };
}

function friendRow(
  { id, displayName }: SocialUserSnapshot,
  state: () => AppState | undefined,
  { open }: { open(): void },
): Row<SocialUserSnapshot> {
  const name = el('strong', { class: 'clamped' });
  const presence = el('small', { class: 'clamped' });
  const unread = el('span', { class: 'unread' });
  const button = el(
    'button',
    { onclick: open },
    avatar(id, displayName),
    el('span', { class: 'two-lines' }, name, presence),
    unread,
  );
  const element = el('li', { class: 'friend' }, button);
  return {
    element,
    update(friend) {
      const count = state()?.unreadFrom(id) ?? 0;
      setText(name, friend.displayName);
      setText(presence, presenceWords(friend));
      setAttribute(element, 'data-online', String(friend.status !== 'offline'));
      setShown(unread, count > 0);
      setText(unread, count > 99 ? '99+' : String(count));
      setAttribute(unread, 'aria-label', `${count} unread`);
      setAttribute(button, 'aria-current', state()?.openFriend?.friend.id === id ? 'true' : undefined);
    },
  };
}

function requestRow(user: SocialUserSnapshot, actions: Actions, notice: Notice): Row<SocialUserSnapshot> {
  return plainRow(
    user,
    [
      ['Accept', actions.acceptFriend, `Accept ${user.displayName}`],
      ['Decline', actions.declineFriend, `Decline ${user.displayName}`],
    ],
    notice,
  );
}

/** A user, and what can be done. */
function plainRow(
  { id, displayName }: SocialUserSnapshot,
  works: readonly (readonly [label: string, work: Work, description: string])[],
  notice: Notice,
): Row<SocialUserSnapshot> {
  const name = el('strong', { class: 'clamped' });
  const note = el('small', { class: 'clamped' });
  const buttons = works.map(([label, work, description]) =>
    el('button', { 'aria-label': description, onclick: () => run(work) }, label),
  );

  async function run(work: Work): Promise<void> {
    for (const button of buttons) button.disabled = true;
    const outcome = await work(id);
    notice.show(outcome.ok ? undefined : outcome.problem);
    for (const button of buttons) button.disabled = false;
  }

  const words = el('span', { class: 'two-lines' }, name);
  return {
    element: el('li', { class: 'friend request' }, avatar(id, displayName), words, ...buttons),
    update(user) {
      setText(name, user.displayName);
      const text = user.relationship.type === 'incoming' ? (user.relationship.note ?? '') : '';
      setText(note, text);
      setChildren(words, name, ...(text === '' ? [] : [note]));
    },
  };
}
