import type { SignInSnapshot } from '@rallypoint/sdk/electron/renderer';
import { problemOf } from '../shared/problem.ts';
import type { RedirectView } from '../shared/state.ts';
import { avatar } from './avatar.ts';
import { el, setChildren, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { createNotice } from './notice.ts';
import { agoElement } from './time.ts';
import type { View } from './view.ts';
import { connectionWords, playerName, tierWords } from './words.ts';

/** Who is signed in, how well that is kept, and how everything is connected. */
export function createAccount(actions: Actions): View {
  const who = el('div', { class: 'person' });
  const notice = createNotice();
  const leaving = createNotice();
  const signOut = el('button', { onclick: leave }, icon('leave'), 'Sign out');
  const keeping = createKeeping();
  const way = el('p', {});
  const connection = el('dl', {});
  const scopes = el('ul', { class: 'tags' });
  let shown = '';
  let since: { readonly status: string; readonly atMs: number } | undefined;

  async function leave(): Promise<void> {
    const outcome = await actions.signOut();
    leaving.show(outcome.ok ? undefined : outcome.problem);
  }

  return {
    element: el(
      'section',
      { class: 'page account', 'data-region': true, tabindex: -1, 'aria-label': 'Account' },
      el('h2', {}, 'Account'),
      el('p', { class: 'lead' }, 'Who you are here, and how well that is kept.'),
      el(
        'div',
        { class: 'cards' },
        el(
          'div',
          { class: 'column' },
          el(
            'section',
            { class: 'card' },
            el('h3', {}, 'Player'),
            who,
            notice.element,
            leaving.element,
            el('div', { class: 'actions' }, signOut),
          ),
          keeping.element,
        ),
        el(
          'div',
          { class: 'column' },
          el('section', { class: 'card' }, el('h3', {}, 'Connection'), connection),
          el('section', { class: 'card' }, el('h3', {}, 'The way back from the browser'), way),
          el('section', { class: 'card' }, el('h3', {}, 'What you granted'), scopes),
        ),
      ),
    ),
    update(state: AppState) {
      const { signIn, player, problem, entryPoint } = state;
      const { status } = state.connection;
      if (since?.status !== status) since = { status, atMs: Date.now() };
      notice.show(signIn.status === 'signed-in' ? problem : undefined);
      keeping.update(signIn);
      setText(way, wayWords(state.redirect));
      const next = JSON.stringify([signIn.status, signIn.scopes, player, state.connection, entryPoint.mayEdit]);
      if (next === shown) return;
      shown = next;
      setChildren(who, ...person(state));
      setChildren(connection, ...connectionRows(state, since.atMs));
      setChildren(scopes, ...(signIn.scopes ?? '').split(' ').map(scope => el('li', {}, scope)));
    },
  };
}

function person(state: AppState): Node[] {
  const { player } = state;
  const name = playerName(state);
  const role = state.entryPoint.mayEdit ? 'Owner of this application' : 'Player';
  return [
    avatar(player?.id ?? '0', name),
    el(
      'span',
      { class: 'two-lines' },
      el('strong', {}, name),
      el(
        'small',
        {},
        player ? `@${player.username}, ${player.id}` : 'The service has not told the game who you are yet.',
      ),
      player ? el('small', {}, role) : undefined,
    ),
  ];
}

function connectionRows({ connection, app }: AppState, sinceMs: number): Node[] {
  const [text] = connectionWords(connection);
  return [
    ...row('State', text, ' ', agoElement(sinceMs, 'since ')),
    ...(connection.error ? row('Why', problemOf(connection.error).message) : []),
    ...row('Application', app.applicationId),
    ...row('Windows', app.shell === 'electron' ? 'Electron' : 'Chromium, in place of Electron'),
  ];
}

function row(term: string, ...values: readonly (Node | string)[]): Node[] {
  return [el('dt', {}, term), el('dd', {}, ...values)];
}

/** The tiers from best to least, with the one that is used. */
function createKeeping(): { readonly element: HTMLElement; update(signIn: SignInSnapshot): void } {
  const tiers = (['system', 'encrypted-file', 'memory'] as const).map(tier => {
    const [name, text] = tierWords[tier];
    const backend = el('code', {});
    const item = el(
      'li',
      {},
      icon('shield'),
      el('span', { class: 'two-lines' }, el('strong', {}, name, ' ', backend), el('small', {}, text)),
    );
    return { tier, backend, item };
  });
  const trouble = createNotice();
  const expiry = el('p', { class: 'soft' });
  let expiresAtMs: number | undefined;
  return {
    element: el(
      'section',
      { class: 'card' },
      el('h3', {}, 'Where your sign-in is kept'),
      el('ol', { class: 'tiers' }, ...tiers.map(({ item }) => item)),
      expiry,
      trouble.element,
    ),
    update(signIn) {
      trouble.show(signIn.trouble && problemOf(signIn.trouble));
      for (const { tier, backend, item } of tiers) {
        const isUsed = tier === signIn.tier;
        item.ariaCurrent = isUsed ? 'true' : null;
        setText(backend, isUsed ? (signIn.backend ?? '') : '');
      }
      setShown(expiry, signIn.expiresAtMs !== undefined);
      if (signIn.expiresAtMs === expiresAtMs || signIn.expiresAtMs === undefined) return;
      expiresAtMs = signIn.expiresAtMs;
      setChildren(
        expiry,
        document.createTextNode('The access token expires '),
        agoElement(expiresAtMs),
        document.createTextNode(' and is renewed before that.'),
      );
    },
  };
}

function wayWords({ way, scheme }: RedirectView): string {
  if (way === 'checking') return 'Checking …';
  if (way === 'custom-scheme') return `Your system opens this game for addresses that begin with ${scheme}:.`;
  return 'The game listens on an address of this computer while you sign in.';
}
