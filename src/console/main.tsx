import { render } from 'preact';
import { startSession } from './control/session.ts';
import { startRouter } from './router.ts';
import { App } from './shell/app.tsx';
import { applyTheme } from './shell/theme.ts';
import { showControlCharacters } from './ui/text/control-characters.ts';

// The token must leave the address before anything else runs, so that no link, history entry or screenshot contains it.
startSession();
applyTheme();
startRouter();
showControlCharacters();

const root = document.getElementById('console');
if (root) render(<App />, root);
