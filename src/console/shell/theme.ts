import { signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'rallypoint.theme';

export const theme = signal<Theme>('system');

/** Reads the stored choice and shows it. */
export function applyTheme(): void {
  const stored = readStored();
  setTheme(themes.find(name => name === stored) ?? 'system');
}

export function setTheme(name: Theme): void {
  theme.value = name;
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // Storage can be switched off; the choice then lasts until the page is reloaded.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}
