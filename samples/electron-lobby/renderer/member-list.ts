import type { MemberView } from '../shared/state.ts';
import { avatar, letterOf } from './avatar.ts';
import { el, keyedList, type Row, setAttribute, setChildren, setText } from './dom.ts';
import { agoElement } from './time.ts';

/** Who is in the lobby: those who are there first. */
export function createMemberList(): { readonly element: HTMLElement; update(members: readonly MemberView[]): void } {
  const list = el('ul', {});
  const update = keyedList<MemberView>(list, memberRow);
  return {
    element: el('section', { class: 'members', 'aria-label': 'Members', tabindex: 0 }, el('h3', {}, 'Members'), list),
    update,
  };
}

function memberRow({ id, name }: MemberView): Row<MemberView> {
  const label = el('strong', {});
  const state = el('small', {});
  const sign = avatar(id, name);
  const element = el('li', { class: 'member' }, sign, el('span', { class: 'two-lines' }, label, state));
  let shown = '';
  return {
    element,
    update(member) {
      setText(sign, letterOf(member.name));
      setText(label, member.isYou ? `${member.name} (you)` : member.name);
      setAttribute(element, 'data-online', String(member.connected));
      const next = `${member.connected} ${member.joinedAtMs}`;
      if (next === shown) return;
      shown = next;
      setChildren(state, document.createTextNode(member.connected ? 'online' : 'offline'), ...joined(member));
    },
  };
}

function joined({ joinedAtMs, isYou }: MemberView): Node[] {
  if (joinedAtMs === undefined) return isYou ? [] : [document.createTextNode(', here before you')];
  return [agoElement(joinedAtMs, ', joined ')];
}
