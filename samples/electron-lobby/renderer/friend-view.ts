import type { SocialUserSnapshot } from '@rallypoint/sdk';
import type { Outcome } from '../shared/state.ts';
import { createComposer } from './composer.ts';
import { createConversation } from './conversation.ts';
import { el, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import { type Actions, type AppState, messagesWith } from './model.ts';
import { createNotice } from './notice.ts';
import type { View } from './view.ts';
import { canBeJoined, presenceWords } from './words.ts';

/** The friend that is shown: what they do, what was said, and what to do together. */
export function createFriendView(actions: Actions): View & { focusComposer(): void } {
  let friend: SocialUserSnapshot | undefined;
  const notice = createNotice();
  const name = el('h2', { class: 'clamped' });
  const presence = el('p', { class: 'soft', role: 'status' });
  const done = el('span', { role: 'status', class: 'copied' });
  const back = el(
    'button',
    { class: 'quiet back', onclick: () => actions.showFriend(null) },
    icon('back'),
    el('span', {}, 'Friends'),
  );
  const invite = el('button', { onclick: () => work(actions.invite, 'Invited') }, icon('plus'), 'Invite');
  const ask = el('button', { onclick: () => work(actions.askToJoin, 'Asked') }, 'Ask to join');
  const remove = el('button', { class: 'quiet', onclick: () => confirmation.showModal() }, 'Remove');
  const question = el('p', {});
  const confirmation = el(
    'dialog',
    { class: 'help', 'aria-labelledby': 'remove-heading' },
    el('h2', { id: 'remove-heading' }, 'Remove this friend?'),
    question,
    el(
      'div',
      { class: 'actions' },
      el('button', { onclick: () => end(actions.removeFriend) }, 'Remove'),
      el('button', { onclick: () => end(actions.block) }, 'Remove and block'),
      el('button', { class: 'primary', onclick: () => confirmation.close() }, 'Keep'),
    ),
  );
  const conversation = createConversation();
  const composer = createComposer('Write to your friend', text => actions.sayTo(friend?.id ?? '0', text));
  const open = el(
    'div',
    { class: 'lobby' },
    el('header', {}, back, el('div', { class: 'titles' }, name, presence), done, invite, ask, remove),
    notice.element,
    conversation.element,
    composer.element,
    confirmation,
  );
  const empty = el(
    'div',
    { class: 'empty' },
    el('div', { class: 'beacon', 'aria-hidden': 'true' }, icon('people')),
    el('h2', {}, 'No conversation is open'),
    el('p', {}, 'Choose a friend to write to them, or to play together.'),
  );

  async function work(act: (userId: SocialUserSnapshot['id']) => Promise<Outcome>, said: string): Promise<void> {
    if (!friend) return;
    const outcome = await act(friend.id);
    notice.show(outcome.ok ? undefined : outcome.problem);
    setText(done, outcome.ok ? said : '');
    setTimeout(() => setText(done, ''), 2_000);
  }

  async function end(act: (userId: SocialUserSnapshot['id']) => Promise<Outcome>): Promise<void> {
    confirmation.close();
    if (!friend) return;
    const outcome = await act(friend.id);
    if (outcome.ok) actions.showFriend(null);
    else notice.show(outcome.problem);
  }

  return {
    element: el(
      'section',
      { class: 'lobby-view friend-view', 'data-region': true, tabindex: -1, 'aria-label': 'Conversation' },
      open,
      empty,
    ),
    focusComposer: () => composer.focus(),
    update(state: AppState) {
      const { openFriend, connection, codes, lobbies, player } = state;
      setShown(open, openFriend !== undefined);
      setShown(empty, openFriend === undefined);
      if (!openFriend) return;
      const isOther = friend?.id !== openFriend.friend.id;
      ({ friend } = openFriend);
      if (isOther) notice.show(undefined);
      setText(name, friend.displayName);
      setText(presence, presenceWords(friend));
      setText(question, `${friend.displayName} is not told. You can send a request again later.`);
      const isWithYou = lobbies.some(({ members }) => members.some(({ id }) => id === openFriend.friend.id));
      // A friend is invited into a lobby that this game can let others into.
      const canInvite = lobbies.some(({ id }) => codes[id] !== undefined) && friend.status !== 'offline';
      setShown(invite, canInvite && !isWithYou);
      setShown(ask, canBeJoined(friend) && !isWithYou);
      setShown(remove, friend.relationship.type === 'friend' || friend.relationship.gameType === 'friend');
      conversation.update(messagesWith(state), player?.id ?? connection.userId, isOther);
      composer.update(connection.status === 'ready', isOther);
    },
  };
}
