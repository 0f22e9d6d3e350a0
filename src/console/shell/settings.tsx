import { signOut } from '../control/session.ts';
import { Button } from '../ui/button.tsx';
import { words } from '../words/en.ts';
import { setTheme, type Theme, theme, themes } from './theme.ts';

/** At the end of the bar; on small screens below the views. */
export function Settings() {
  return (
    <>
      <label class="theme-switch">
        <span class="visually-hidden">{words.shell.theme}</span>
        <select value={theme.value} onChange={event => setTheme(event.currentTarget.value as Theme)}>
          {themes.map(name => (
            <option key={name} value={name}>
              {words.shell.themes[name]}
            </option>
          ))}
        </select>
      </label>
      <Button kind="quiet" onClick={() => signOut()}>
        {words.shell.signOut}
      </Button>
    </>
  );
}
