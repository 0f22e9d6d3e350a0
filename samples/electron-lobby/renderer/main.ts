import { openClient } from '@rallypoint/sdk/electron/renderer';
import { setShown } from './dom.ts';
import { AppModel, type AppState } from './model.ts';
import { createShell } from './shell.ts';
import { keepTimes } from './time.ts';
import { createWelcome } from './welcome.ts';

const model = new AppModel(openClient(), () => show(model.state));
const welcome = createWelcome(model.actions);
const shell = createShell(model.actions);
// Neither, before it is known which: not both for a moment.
for (const { element } of [welcome, shell]) setShown(element, false);
document.body.append(welcome.element, shell.element);
keepTimes();

let shownStatus: AppState['signIn']['status'] = 'opening';

function show(state: AppState): void {
  const { status } = state.signIn;
  const isSignedIn = status === 'signed-in';
  setShown(welcome.element, !isSignedIn);
  setShown(shell.element, isSignedIn);
  const lobbyId = state.openLobby?.lobby.id ?? null;
  if (lobbyId !== history.state) history.replaceState(lobbyId, '');
  welcome.update(state);
  shell.update(state);
  if (status === shownStatus) return;
  // What had the focus is gone; it goes to where the player goes on.
  shownStatus = status;
  if (isSignedIn) shell.focus();
  else welcome.focus();
}

// A window that is reloaded goes on with the lobby that it showed.
await model.start(typeof history.state === 'string' ? history.state : undefined);
show(model.state);
