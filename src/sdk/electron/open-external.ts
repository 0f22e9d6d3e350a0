import type { Shell } from 'electron';
import { ArgumentError } from '../../model/errors/errors.ts';
import { isPrivate } from '../../wire/addresses.ts';
import type { OpenBrowser } from '../auth/open-browser.ts';

/**
 * Opens pages with Electron's shell; for {@link ClientOptions.openBrowser}. Accepts `https:`, and `http:` on this machine,
 * because `openExternal` runs programs for other schemes.
 *
 * @param shell from the `electron` module of the main process
 */
export function openWithShell(shell: Pick<Shell, 'openExternal'>): OpenBrowser {
  return async url => {
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (!target || !/^https?:$/.test(target.protocol) || !isPrivate(target)) {
      throw new ArgumentError('unsafe_address', 'url must be an https: address, or an http: address of this machine.');
    }
    await shell.openExternal(target.href);
  };
}
