import type { RedirectView } from '../shared/state.ts';
import { el, setChildren, setShown, setText } from './dom.ts';
import { icon } from './icon.ts';
import type { Actions, AppState } from './model.ts';
import { createNotice } from './notice.ts';
import { agoElement } from './time.ts';
import type { View } from './view.ts';
import { keychainWords } from './words.ts';

/** The first thing a player sees: what this is, one button, and what it is going to do. */
export function createWelcome(actions: Actions): View & { focus(): void } {
  const notice = createNotice();
  // Without a keychain, and after a sign-in without one, it is for this run only.
  let isForThisRun = false;
  const signIn = el('button', { class: 'primary large', onclick: () => actions.signIn(isForThisRun) }, 'Sign in');
  const tryKeychain = el(
    'button',
    { class: 'quiet', hidden: true, onclick: () => actions.signIn(false) },
    'Try the keychain again',
  );
  const cancel = el('button', { onclick: () => actions.cancelSignIn() }, 'Cancel');
  const reopen = el('button', { class: 'quiet', onclick: () => actions.reopenPage() }, 'Open the page again');
  const since = el('span', { class: 'soft' });
  const lead = el('p', { class: 'lead' });
  const way = el('span', {});
  const keeping = el('p', { class: 'keeping' });

  const resting = el(
    'div',
    { class: 'resting' },
    el('div', { class: 'actions' }, signIn, tryKeychain),
    el(
      'ol',
      { class: 'steps' },
      step('browser', 'Your browser opens', 'You sign in there. The game never sees a password.'),
      step('check', 'You agree', 'You see what Starfall asks for, and can say no.'),
      el('li', {}, icon('back'), el('div', {}, el('strong', {}, 'You are back here'), way)),
    ),
    keeping,
  );
  const waiting = el(
    'div',
    { class: 'waiting', role: 'status' },
    el('div', { class: 'beacon sending', 'aria-hidden': 'true' }, icon('star')),
    el('p', {}, el('strong', {}, 'Waiting for your browser')),
    el('p', { class: 'soft' }, 'Finish signing in there; then come back to this window. ', since),
    el('div', { class: 'actions' }, cancel, reopen),
  );
  const element = el(
    'main',
    { class: 'welcome', 'data-region': true, tabindex: -1 },
    el(
      'section',
      { class: 'card' },
      el('div', { class: 'wordmark grand' }, icon('star'), el('h1', {}, 'Starfall')),
      lead,
      notice.element,
      resting,
      waiting,
    ),
    el('p', { class: 'colophon' }, 'A sample of Rallypoint, the social SDK for desktop games'),
  );

  return {
    element,
    focus: () => (waiting.hidden ? signIn : cancel).focus(),
    update({ signIn: { status, tier, backend }, signInProblem, redirect }: AppState) {
      const isWaiting = status === 'signing-in';
      const isUnavailable = status === 'unavailable';
      setText(lead, leads[status]);
      setShown(resting, isUnavailable || status === 'signed-out');
      setShown(waiting, isWaiting);
      if (isWaiting && since.childElementCount === 0) setChildren(since, agoElement(Date.now(), 'Opened '));
      if (!isWaiting) setChildren(since);
      notice.show(resting.hidden ? undefined : signInProblem);
      isForThisRun = isUnavailable || tier === 'memory';
      setShown(tryKeychain, isUnavailable);
      setText(signIn, isUnavailable ? 'Sign in for this run only' : 'Sign in');
      setText(way, wayWords(redirect));
      setShown(keeping, tier !== undefined);
      const text = el('span', {}, tier ? keychainWords(tier, backend) : '');
      if (keeping.textContent !== text.textContent) setChildren(keeping, icon('shield'), text);
    },
  };
}

const pitch = 'Meet your crew before the match: lobbies, members and chat, live.';
const leads: Readonly<Record<AppState['signIn']['status'], string>> = {
  opening: 'Looking for your last sign-in …',
  unavailable: pitch,
  'signed-out': pitch,
  'signing-in': pitch,
  'signing-out': 'Signing out …',
  'signed-in': '',
};

function step(name: 'browser' | 'check', title: string, text: string): HTMLElement {
  return el('li', {}, icon(name), el('div', {}, el('strong', {}, title), el('span', {}, text)));
}

function wayWords({ way }: RedirectView): string {
  if (way === 'checking') return 'Checking how …';
  if (way === 'custom-scheme') return 'The browser opens the game again by itself.';
  return 'The browser tells the game by itself.';
}
