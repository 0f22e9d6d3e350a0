import { RallypointError, TransportError } from '../../model/errors/errors.ts';

/** Shows a page to the player. May resolve before or after the player has used the page. */
export type OpenBrowser = (url: string) => Promise<void> | void;

/** The program that opens an address in the default browser. The address is one argument, and no shell is involved. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const freedesktopOpener = ['xdg-open'] as const;

/** Where somebody reads along, if it is a terminal. */
interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Opens the page with the system's opener, and resolves when that has exited. If it opens none, a terminal shows the whole address,
 * so that the player can open it.
 *
 * @throws TransportError `browser_unavailable`: there is no opener, or it found no browser, and there is no terminal
 */
export async function openSystemBrowser(url: string, screen: Screen = process.stderr): Promise<void> {
  const { spawn } = await import('node:child_process');
  const [command = '', ...fixed] = openers[process.platform] ?? freedesktopOpener;
  const opener = spawn(command, [...fixed, url], { stdio: 'ignore', detached: true });
  opener.unref();
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error) => {
      if (screen.isTTY) {
        screen.write(`${command} could not open a browser. Open this page in a browser on this machine:\n\n${url}\n\n`);
        resolve();
        return;
      }
      const message = `${command} could not open a browser at ${locationOf(url)}: pass openBrowser to show pages in another way. It receives the whole address.`;
      reject(new TransportError('browser_unavailable', message, { cause: withoutQuery(cause, url) }));
    };
    opener.once('error', fail);
    opener.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else fail(new Error(`${command} exited with ${code === null ? `the signal ${signal}` : `exit code ${code}`}.`));
    });
  });
}

/**
 * Shows a page with the game's opener or the default one.
 *
 * @throws TransportError `browser_unavailable`, with the opener's error as its cause; errors of this package are passed on
 */
export async function showPage(openBrowser: OpenBrowser, url: string): Promise<void> {
  try {
    await openBrowser(url);
  } catch (error) {
    if (error instanceof RallypointError) throw error;
    const message = `openBrowser could not show the page at ${locationOf(url)}. See cause for its error.`;
    throw new TransportError('browser_unavailable', message, { cause: withoutQuery(error, url) });
  }
}

/** The address without its query, which holds state, challenge and nonce and is for the browser only. */
function locationOf(url: string): string {
  if (!URL.canParse(url)) return 'an invalid address';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

// Shorter values (`code`, `S256`) are not secret and may occur in any text.
const secretLengthMin = 6;

/** An opener's error may contain the address, in its message and in other fields. */
function withoutQuery(error: unknown, url: string): unknown {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  if (query.size === 0) return error;
  const { name = 'Error', code } = Object(error) as { name?: string; code?: unknown };
  let message = error instanceof Error ? error.message : String(error);
  message = message.replaceAll(url, locationOf(url));
  for (const value of query.values()) {
    for (const text of [value, encodeURIComponent(value)]) {
      if (text.length >= secretLengthMin) message = message.replaceAll(text, '[hidden]');
    }
  }
  return Object.assign(new Error(message), { name, ...(typeof code === 'string' && { code }) });
}
