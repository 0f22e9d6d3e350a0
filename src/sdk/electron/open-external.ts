import type { Shell } from 'electron';
import { ArgumentError } from '../../model/errors/errors.ts';
import { isPrivate } from '../../wire/addresses.ts';
import type { OpenBrowser } from '../auth/open-browser.ts';

/**
 * Opens pages by Electron's shell; for {@link ClientOptions.openBrowser}. Only `https:`, and `http:` on this machine:
 * `openExternal` would run programs for other schemes.
 *
 * @param shell from the `electron` module of the main process
 */
export function openWithShell(shell: Pick<Shell, 'openExternal'>): OpenBrowser {
  return async url => {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (!target || !/^https?:$/.test(target.protocol) || !isPrivate(target)) {
      throw new ArgumentError('unsafe_address', 'Only https pages, and http pages of this machine, are opened.');
    }
    await shell.openExternal(target.href);
  };
}
