import { TransportError } from '../../model/errors/errors.ts';

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
    const fail = () => reject(new TransportError('browser_unavailable', `${command} could not open a browser.`));
    opener.once('error', fail);
    opener.once('exit', code => (code === 0 ? resolve() : fail()));
  });
}
