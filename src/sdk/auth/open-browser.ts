import { RallypointError, TransportError } from '../../model/errors/errors.ts';

/** Shows a page to the player. Resolving says nothing about what the player does there. */
export type OpenBrowser = (url: string) => Promise<void> | void;

/** How each system opens an address in the person's browser; the address is an argument of its own, never of a shell. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const freedesktopOpener = ['xdg-open'] as const;

/**
 * Opens the page with the system's own opener and resolves when that has ended.
 *
 * @throws TransportError `browser_unavailable`: there is no opener, or it found no browser
 */
export async function openSystemBrowser(url: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const [command = '', ...fixed] = openers[process.platform] ?? freedesktopOpener;
  const opener = spawn(command, [...fixed, url], { stdio: 'ignore', detached: true });
  opener.unref();
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error) => {
      const message = `${command} could not open a browser at ${placeOf(url)}: pass openBrowser to show pages by other means.`;
      reject(new TransportError('browser_unavailable', message, { cause: withoutQuery(cause, url) }));
    };
    opener.once('error', fail);
    opener.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else fail(new Error(`${command} ended with ${code === null ? `the signal ${signal}` : `exit code ${code}`}.`));
    });
  });
}

/**
 * Shows a page by whatever the game, or its default, opens pages with.
 *
 * @throws TransportError `browser_unavailable`, with what the opener threw as its cause; an error of this package as it is
 */
export async function showPage(openBrowser: OpenBrowser, url: string): Promise<void> {
  try {
    await openBrowser(url);
  } catch (error) {
    if (error instanceof RallypointError) throw error;
    const message = `openBrowser could not show the page at ${placeOf(url)}.`;
    throw new TransportError('browser_unavailable', message, { cause: withoutQuery(error, url) });
  }
}

/** Where the page is. What follows the path of a page for signing in is for the browser alone: state, challenge, nonce. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

// Shorter values (`code`, `S256`) say nothing, and stand in every text.
const secretLengthMin = 6;

/** What an opener threw may quote the address, in its message as in fields of its own. */
function withoutQuery(error: unknown, url: string): unknown {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  if (query.size === 0) return error;
  const { name = 'Error', code } = Object(error) as { name?: string; code?: unknown };
  let message = error instanceof Error ? error.message : String(error);
  message = message.replaceAll(url, placeOf(url));
  for (const value of query.values()) {
    for (const text of [value, encodeURIComponent(value)]) {
      if (text.length >= secretLengthMin) message = message.replaceAll(text, '[hidden]');
    }
  }
  return Object.assign(new Error(message), { name, ...(typeof code === 'string' && { code }) });
}
