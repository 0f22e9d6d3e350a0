import type { InviteSnapshot } from '@rallypoint/sdk';
import { avatar } from './avatar.ts';
import { el, keyedList, type Row } from './dom.ts';
import type { Actions } from './model.ts';
import { createNotice } from './notice.ts';
import type { View } from './view.ts';

/** More at a time would hide the game. */
const shownMax = 3;

/** Invites of friends, above everything else: one click, and the player is in their lobby. */
export function createInvites(actions: Actions, onJoined: () => void): View {
  const list = el('ul', { role: 'log', 'aria-label': 'Invites' });
  const update = keyedList<InviteSnapshot>(list, invite => inviteRow(invite, actions, onJoined));
  return {
    element: el('aside', { class: 'invites', 'aria-label': 'Invites' }, list),
    update: ({ invites }) => update(invites.slice(0, shownMax)),
  };
}

function inviteRow(invite: InviteSnapshot, actions: Actions, onJoined: () => void): Row<InviteSnapshot> {
  const { sender, senderId, type } = invite;
  const name = sender?.displayName ?? 'A player';
  const isInvite = type === 'join';
  const notice = createNotice();
  const answer = el('button', { class: 'primary', onclick: accept }, isInvite ? 'Join' : 'Let them join');
  const ignore = el('button', { class: 'quiet', onclick: () => actions.dismissInvite(invite) }, 'Ignore');

  async function accept(): Promise<void> {
    answer.disabled = true;
    const outcome = await actions.answerInvite(invite);
    answer.disabled = false;
    notice.show(outcome.ok ? undefined : outcome.problem);
    if (outcome.ok && isInvite) onJoined();
  }

  return {
    element: el(
      'li',
      { class: 'invite' },
      avatar(senderId, name),
      el('p', {}, el('strong', {}, name), isInvite ? ' invites you to join' : ' would like to join you'),
      answer,
      ignore,
      notice.element,
    ),
    update() {},
  };
}
