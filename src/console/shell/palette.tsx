import { signal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { signOut } from '../control/session.ts';
import { hrefOf, navigate, route, viewNames } from '../router.ts';
import { viewCommands } from '../ui/commands.ts';
import { useModal } from '../ui/dialog.tsx';
import { words } from '../words/en.ts';
import { type Found, useFound } from './palette-search.ts';
import { setTheme, themes } from './theme.ts';

export const isPaletteOpen = signal(false);

const shownMax = 50;

/** Ctrl-K: every view, the commands that the present view offers, and what the service has. */
export function CommandPalette() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return isPaletteOpen.value ? <Palette /> : null;
}

function Palette() {
  const dialog = useModal();
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries();
  const inService = useFound(text);
  const found = useMemo(
    () => [...matching(entries, text), ...inService].slice(0, shownMax),
    [entries, text, inService],
  );
  const at = Math.min(chosen, found.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });

  const close = () => {
    isPaletteOpen.value = false;
  };
  const run = (entry: Found | undefined) => {
    if (!entry) return;
    close();
    // After the dialog has given the focus back, so that a command can move it.
    queueMicrotask(() => entry.run());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(found[at]);
    else if (step !== undefined) setChosen((at + step + found.length) % Math.max(1, found.length));
    else return;
    event.preventDefault();
  };

  return (
    <dialog ref={dialog} class="palette" aria-label={words.palette.title} onCancel={close} onClose={close}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] && `${id}-${at}`}
        aria-label={words.palette.placeholder}
        placeholder={words.palette.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label={words.palette.title}>
        {found.map((entry, index) => (
          <li
            key={`${entry.group}/${entry.id}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(entry)}
          >
            <span>{entry.label}</span>
            <small>{entry.group}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="hint">{words.palette.empty}</p>}
      <p class="hint palette-hint">{words.palette.hint}</p>
    </dialog>
  );
}

function useEntries(): readonly Found[] {
  const { view } = route.value;
  const here = viewCommands.value;
  return useMemo(() => {
    const { groups, go } = words.palette;
    return [
      ...here.map(command => ({ ...command, group: groups.here })),
      ...viewNames
        .filter(name => name !== view)
        .map(name => ({
          id: name,
          label: go(words.views[name]),
          group: groups.views,
          run: () => navigate(hrefOf(name)),
        })),
      ...themes.map(name => ({
        id: `theme-${name}`,
        label: words.palette.theme(words.shell.themes[name]),
        group: groups.console,
        run: () => setTheme(name),
      })),
      { id: 'sign-out', label: words.shell.signOut, group: groups.console, run: () => signOut() },
    ];
  }, [view, here]);
}

/** The entries that contain every word, in any order; those whose label begins with the text come first. */
function matching(entries: readonly Found[], text: string): readonly Found[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (entry: Found) => {
    const label = `${entry.label} ${entry.keywords ?? ''}`.toLowerCase();
    return wanted.every(word => label.includes(word));
  };
  const rank = (entry: Found) => (entry.label.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1);
  return entries.filter(has).sort((a, b) => rank(a) - rank(b));
}
