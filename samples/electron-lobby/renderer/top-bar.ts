import type { ConnectionSnapshot } from '@rallypoint/sdk';
import { problemOf } from '../shared/problem.ts';
import { avatar } from './avatar.ts';
import { el, setAttribute, setChildren, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { relative } from './time.ts';
import type { View } from './view.ts';
import { connectionWords, playerName } from './words.ts';

/** The game's name, how it is connected, and who plays; below it, what to know while the connection is not up. */
export function createTopBar(actions: Actions, open: { account(): void; help(): void }): View {
  const pillText = el('span', {});
  const pill = el(
    'span',
    { class: 'pill', role: 'status' },
    el('span', { class: 'dot', 'aria-hidden': 'true' }),
    pillText,
  );
  const name = el('span', { class: 'name' });
  const who = el('button', { class: 'who quiet', onclick: open.account, 'aria-label': 'Account' });
  const bannerText = el('p', {});
  const tryNow = el('button', { onclick: () => actions.reconnect() }, 'Try now');
  const banner = el('div', { class: 'banner', role: 'status', hidden: true }, icon('plug'), bannerText, tryNow);
  let shownName: string | undefined;

  return {
    element: el(
      'header',
      { class: 'top' },
      el(
        'div',
        { class: 'bar' },
        el('div', { class: 'wordmark' }, icon('star'), el('h1', {}, 'Starfall')),
        pill,
        el(
          'button',
          {
            class: 'quiet keys',
            onclick: open.help,
            'aria-label': 'Keyboard shortcuts',
            title: 'Keyboard shortcuts',
            'aria-keyshortcuts': 'Control+/',
          },
          icon('keyboard'),
        ),
        who,
      ),
      banner,
    ),
    update(state: AppState) {
      const [text, tone] = connectionWords(state.connection);
      setText(pillText, text);
      setAttribute(pill, 'data-tone', tone);
      const { signIn, connection } = state;
      const isDown = signIn.status === 'signed-in' && tone !== 'good' && isWorthSaying(connection);
      setShown(banner, isDown);
      if (isDown) setText(bannerText, bannerWords(connection));
      const player = playerName(state);
      if (player === shownName) return;
      shownName = player;
      setText(name, player);
      setChildren(who, avatar(state.player?.id ?? '0', player), name);
      setAttribute(who, 'aria-label', `Account of ${player}`);
    },
  };
}

/** Connecting for the first time takes a moment and needs no word. */
function isWorthSaying({ status, error }: ConnectionSnapshot): boolean {
  return error !== undefined || status === 'reconnecting' || status === 'http_wait' || status === 'disconnected';
}

function bannerWords({ status, error, retryAtMs }: ConnectionSnapshot): string {
  const why = error ? ` ${problemOf(error).message}` : '';
  if (status === 'disconnected') return `You are not connected.${why}`;
  const next =
    retryAtMs === undefined ? 'The game is trying again now.' : `The game tries again ${relative(retryAtMs)}.`;
  return `The connection was lost. You see what the game last received. ${next}`;
}
