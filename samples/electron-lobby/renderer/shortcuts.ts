/** What the keys of {@link createHelp} do. */
export interface Shortcuts {
  /** @param place of the page among the tabs, from 0 */
  page(place: number): void;
  joinCode(): void;
  composer(): void;
  help(): void;
}

/** Hears the window's shortcuts while this part of it is shown. All of them take a modifier: letters are for writing. */
export function listenForKeys(shell: HTMLElement, shortcuts: Shortcuts): void {
  document.addEventListener('keydown', event => {
    if (shell.hidden || document.querySelector('dialog[open]')) return;
    const action = actionOf(event, shell, shortcuts);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function actionOf(event: KeyboardEvent, shell: HTMLElement, shortcuts: Shortcuts): (() => void) | undefined {
  const { key, altKey, shiftKey } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  if (key === 'F6') return () => focusRegion(shell, shiftKey ? -1 : 1);
  if (altKey && !isCommand && /^[1-5]$/.test(key)) return () => shortcuts.page(Number(key) - 1);
  if (!isCommand || altKey || shiftKey) return undefined;
  if (key === 'k') return () => shortcuts.joinCode();
  if (key === 'j') return () => shortcuts.composer();
  return key === '/' ? () => shortcuts.help() : undefined;
}

/** From one part of the window to the next, as in other programs. */
function focusRegion(shell: HTMLElement, step: 1 | -1): void {
  const regions = [...shell.querySelectorAll<HTMLElement>('[data-region]')].filter(isVisible);
  const at = regions.findIndex(region => region.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length] ?? regions[0];
  next?.focus();
}

function isVisible(element: HTMLElement): boolean {
  return element.checkVisibility();
}
