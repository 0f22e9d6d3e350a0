import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { RedirectError } from '../../../model/errors/errors.ts';
import { replaceFile } from '../../../wire/files/replace-file.ts';
import { makeFolder } from '../../../wire/make-folder.ts';
import type { SchemeHandler, SchemeRegistration } from '../../native/contract.ts';
import type { Machine } from '../machine.ts';
import { desktopEntryText, execLineOf, mimeTypeOf } from './desktop-entry.ts';

/** Which programs the system opens schemes with. */
export interface SchemeHandlers {
  /** How the system's settings are read and written. */
  readonly by: 'addon' | 'xdg-mime';
  handlerOf(scheme: string): Promise<SchemeHandler | undefined>;
  register(registration: SchemeRegistration): Promise<void>;
  unregister(scheme: string, id: string): Promise<void>;
}

/** The handlers on a freedesktop.org desktop: desktop files, and `xdg-mime`, which selects one of them. For Linux without the addon. */
export function freedesktopHandlers({ environment }: Machine): SchemeHandlers {
  const folders = applicationFolders(environment);
  return {
    by: 'xdg-mime',
    async handlerOf(scheme) {
      const id = (await xdgMime(environment, 'query', 'default', mimeTypeOf(scheme))).trim();
      if (id === '') return undefined;
      const command = await execLineIn(folders.all, id);
      return command === undefined ? undefined : { id, command };
    },
    async register({ scheme, id, name, command }) {
      await makeFolder(folders.own, 0o755).catch(reject);
      await rewrite(join(folders.own, id), desktopEntryText({ name, scheme, command })).catch(reject);
      await xdgMime(environment, 'default', id, mimeTypeOf(scheme));
    },
    async unregister(scheme, id) {
      await rm(join(folders.own, id), { force: true }).catch(reject);
      await forget(folders.associations, mimeTypeOf(scheme), id).catch(reject);
    },
  };
}

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ */
function applicationFolders(environment: Machine['environment']) {
  const home = environment.HOME || homedir();
  const absolute = (path: string | undefined, fallback: string) => (path && isAbsolute(path) ? path : fallback);
  const data = absolute(environment.XDG_DATA_HOME, join(home, '.local', 'share'));
  const shared = (environment.XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':').filter(isAbsolute);
  return {
    own: join(data, 'applications'),
    all: [data, ...shared].map(folder => join(folder, 'applications')),
    associations: join(absolute(environment.XDG_CONFIG_HOME, join(home, '.config')), 'mimeapps.list'),
  };
}

async function execLineIn(folders: readonly string[], id: string): Promise<string | undefined> {
  // The id of a file in a subfolder has dashes for slashes.
  const names = [id, id.replace('-', '/')];
  for (const path of folders.flatMap(folder => names.map(name => join(folder, name)))) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return execLineOf(text) ?? '';
  }
  return undefined;
}

/** Removes the program from the list of those that open the type. Other lines are unchanged. */
async function forget(list: string, type: string, id: string): Promise<void> {
  const text = await readFile(list, 'utf8').catch(() => '');
  const lines = text.split('\n').flatMap(line => {
    if (!line.startsWith(`${type}=`)) return [line];
    const ids = line.slice(type.length + 1).split(';');
    const left = ids.filter(other => other !== '' && other !== id);
    return left.length > 0 ? [`${type}=${left.join(';')};`] : [];
  });
  const left = lines.join('\n');
  if (left !== text) await rewrite(list, left);
}

/** Follows a link, and keeps the file's mode. */
async function rewrite(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    found => found.mode & 0o777,
    () => 0o644,
  );
  replaceFile(target, text, mode);
}

function reject(cause: NodeJS.ErrnoException): never {
  throw new RedirectError(
    'registration_failed',
    `The system rejected the registration (${cause.code}). Run rallypoint doctor.`,
    { cause },
  );
}

async function xdgMime(environment: Machine['environment'], ...args: readonly string[]): Promise<string> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile('xdg-mime', args, { env: { ...environment }, timeout: xdgMimeMsMax }, (cause, stdout) => {
      if (!cause) return resolve(stdout);
      const remedy =
        cause.code === 'ENOENT'
          ? 'xdg-mime is missing: install xdg-utils.'
          : 'xdg-mime rejected the registration. Run rallypoint doctor.';
      reject(new RedirectError('registration_failed', remedy, { cause }));
    });
  });
}

const xdgMimeMsMax = 10_000;
