import { openClient } from '@rallypoint/sdk/electron/renderer';
import type { Bridge } from '../shared/bridge.ts';
import type { AppState } from '../shared/state.ts';
import { setShown } from './dom.ts';
import { AppModel } from './model.ts';
import { createShell } from './shell.ts';
import { keepTimes } from './time.ts';
import { createWelcome } from './welcome.ts';

declare global {
  interface Window {
    /** From the preload script. */
    readonly starfall: Bridge;
  }
}

const model = new AppModel(window.starfall, openClient(), () => show(model.state));
const welcome = createWelcome(model.actions);
const shell = createShell(model.actions);
// Neither, before it is known which: not both for a moment.
for (const { element } of [welcome, shell]) setShown(element, false);
document.body.append(welcome.element, shell.element);
keepTimes();

let shownStep: AppState['session']['step'] = 'starting';

function show(state: AppState): void {
  const isSignedIn = state.session.step === 'signed-in';
  setShown(welcome.element, !isSignedIn);
  setShown(shell.element, isSignedIn);
  const lobbyId = state.openLobby?.id ?? null;
  if (lobbyId !== history.state) history.replaceState(lobbyId, '');
  welcome.update(state);
  shell.update(state);
  if (state.session.step === shownStep) return;
  // What had the focus is gone; it goes to where the player goes on.
  shownStep = state.session.step;
  if (isSignedIn) shell.focus();
  else welcome.focus();
}

// A window that is reloaded goes on with the lobby that it showed.
if (typeof history.state === 'string') await model.actions.showLobby({ lobbyId: history.state });
await model.start(window.starfall.readState);
show(model.state);
