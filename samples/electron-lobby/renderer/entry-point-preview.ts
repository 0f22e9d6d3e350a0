import type { EntryPointDraft } from '../../game-backend/contract.ts';
import { el, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';

/** The command as players come across it, and what a press on it leads to. */
export function createPreview(): { readonly element: HTMLElement; update(draft: EntryPointDraft): void } {
  const name = el('strong', {});
  const description = el('span', {});
  const answers = flow('A player uses it', 'The game server answers', 'The game decides what happens');
  const launches = flow('A player uses it', 'The service posts in the channel', 'The Activity opens');
  return {
    element: el(
      'section',
      { class: 'card' },
      el('h3', {}, 'What players see'),
      el(
        'div',
        { class: 'launcher' },
        icon('star'),
        el('span', { class: 'two-lines' }, name, description),
        icon('launch'),
      ),
      answers,
      launches,
    ),
    update(draft) {
      setText(name, draft.name.trim() || 'Name');
      setText(description, draft.description.trim() || 'Description');
      setShown(answers, draft.handler === 1);
      setShown(launches, draft.handler === 2);
    },
  };
}

/** Why the form above goes by way of a server. */
export function whyNotHere(): HTMLElement {
  return el(
    'section',
    { class: 'card' },
    el('h3', {}, 'Why the game asks its server'),
    el(
      'p',
      {},
      'Commands are registered with the application’s bot token, which gives full control of the application. ',
      'Players can read everything in a game on their computers, so the token stays on the server.',
    ),
    el(
      'ol',
      { class: 'hand-over' },
      el('li', {}, icon('account'), el('strong', {}, 'This game'), el('small', {}, 'your own token')),
      el(
        'li',
        {},
        icon('server'),
        el('strong', {}, 'Game server'),
        el('small', {}, 'checks it is you, holds the bot token'),
      ),
      el('li', {}, icon('launch'), el('strong', {}, 'Service'), el('small', {}, 'registers the command')),
    ),
  );
}

function flow(...steps: readonly string[]): HTMLElement {
  return el('ol', { class: 'flow' }, ...steps.map(step => el('li', {}, step)));
}
