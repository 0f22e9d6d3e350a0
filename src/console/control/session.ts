import { signal } from '@preact/signals';

/** The name in the session storage, which belongs to one tab and ends with it. */
const storageKey = 'rallypoint.control-token';

/** The control token of this tab; undefined while nobody is signed in. */
export const controlToken = signal<string | undefined>(undefined);

/** What made the console ask for a token again. */
export const signInReason = signal<'none' | 'rejected'>('none');

/** Signs in by what the address or the tab has, and from then on by every link with a token that is opened in this tab. */
export function startSession(): void {
  if (!takeTokenFromAddress()) controlToken.value = readStored();
  addEventListener('hashchange', takeTokenFromAddress);
}

/** Reads the token from `#token=…`, removes it from the address, and keeps it for this tab. */
function takeTokenFromAddress(): boolean {
  const fromAddress = readTokenIn(location.hash);
  if (fromAddress === undefined) return false;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  signIn(fromAddress);
  return true;
}

export function signIn(token: string): void {
  try {
    sessionStorage.setItem(storageKey, token);
  } catch {
    // Storage can be switched off; the token then lasts until the page is reloaded.
  }
  signInReason.value = 'none';
  controlToken.value = token;
}

/** Forgets the token. */
export function signOut(reason: typeof signInReason.value = 'none'): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // As above: then nothing was stored.
  }
  signInReason.value = reason;
  controlToken.value = undefined;
}

function readTokenIn(hash: string): string | undefined {
  if (!hash.startsWith('#token=')) return undefined;
  return new URLSearchParams(hash.slice(1)).get('token') || undefined;
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}
