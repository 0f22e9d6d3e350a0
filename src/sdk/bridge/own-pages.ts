import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgumentError } from '../../model/errors/errors.ts';
import { requireType } from '../../wire/arguments.ts';

/** Which pages are the game's own. Without either option none is. */
export interface OwnPages {
  /** From the `electron` module of the main process: files in the app's folder are the game's own pages. */
  readonly app?: { getAppPath(): string } | undefined;
  /**
   * Addresses of further pages of the game's own. One that ends with `/` stands for every page below it:
   * `game://app/` for a scheme that the game serves (`protocol.handle`), `http://localhost:5173/` for a development server.
   */
  readonly pages?: readonly string[] | undefined;
}

/** @throws ArgumentError `invalid_argument` */
export function checkOwnPages({ app, pages = [] }: OwnPages): void {
  if (app !== undefined) requireType('app.getAppPath', app?.getAppPath, 'function');
  for (const page of pages) {
    if (typeof page === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(page) && URL.canParse(page)) continue;
    throw new ArgumentError(
      'invalid_argument',
      `pages must be addresses with a scheme and a path, for example "game://app/" (got ${JSON.stringify(page)}).`,
    );
  }
}

/** Whether a page is the game's own: a file of the app, or a page that `pages` names. Everything else is foreign. */
export function isOwnPage(url: string, { app, pages = [] }: OwnPages = {}): boolean {
  if (!URL.canParse(url)) return false;
  const page = new URL(url);
  return pages.some(own => isBelow(page, new URL(own))) || (app !== undefined && isAppFile(page, app.getAppPath()));
}

function isBelow(page: URL, own: URL): boolean {
  if (page.protocol !== own.protocol || page.host !== own.host) return false;
  return own.pathname.endsWith('/') ? page.pathname.startsWith(own.pathname) : page.pathname === own.pathname;
}

function isAppFile(page: URL, appPath: string): boolean {
  // With a host it is a file of another machine.
  if (page.protocol !== 'file:' || page.host !== '') return false;
  let path: string;
  try {
    path = fileURLToPath(page);
  } catch {
    return false; // an encoded separator
  }
  return [resolve(appPath), realPathOf(appPath)].some(folder => {
    const within = relative(folder, path);
    return within !== '' && within !== '..' && !within.startsWith(`..${sep}`) && !isAbsolute(within);
  });
}

/** Modules know their real path, the app's folder may be a link to it. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
