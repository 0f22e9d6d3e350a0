import { readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { RedirectError } from '../../../model/errors/errors.ts';
import { replaceFile } from '../../../wire/files/replace-file.ts';
import { makeFolder } from '../../../wire/make-folder.ts';
import type { Machine } from '../machine.ts';
import { desktopEntryText, execLineOf, mimeTypeOf } from './desktop-entry.ts';
import type { SchemeHandlers } from './scheme-handlers.ts';

/**
 * Who opens which scheme, on desktops that keep to freedesktop.org: desktop files, and `xdg-mime` for which of them is
 * the one. For Linux without the addon.
 */
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
      await makeFolder(folders.own, 0o755).catch(refused);
      await rewrite(join(folders.own, id), desktopEntryText({ name, scheme, command })).catch(refused);
      await xdgMime(environment, 'default', id, mimeTypeOf(scheme));
    },
    async unregister(scheme, id) {
      await rm(join(folders.own, id), { force: true }).catch(refused);
      await forget(folders.associations, mimeTypeOf(scheme), id).catch(refused);
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
  // The name of a file in a subfolder has dashes for slashes.
  const names = [id, id.replace('-', '/')];
  for (const path of folders.flatMap(folder => names.map(name => join(folder, name)))) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return execLineOf(text) ?? '';
  }
  return undefined;
}

/** Takes the program out of the list of who opens the type; other lines stay as they are. */
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

/** Whoever keeps the file elsewhere, behind a link, keeps it there, with its mode. */
async function rewrite(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    found => found.mode & 0o777,
    () => 0o644,
  );
  replaceFile(target, text, mode);
}

function refused(cause: NodeJS.ErrnoException): never {
  throw new RedirectError('registration_failed', `The system refused the registration (${cause.code}).`, { cause });
}

async function xdgMime(environment: Machine['environment'], ...args: readonly string[]): Promise<string> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile('xdg-mime', args, { env: { ...environment }, timeout: xdgMimeMsMax }, (cause, stdout) => {
      if (!cause) return resolve(stdout);
      const remedy =
        cause.code === 'ENOENT' ? 'xdg-mime is missing: install xdg-utils.' : 'xdg-mime refused the registration.';
      reject(new RedirectError('registration_failed', remedy, { cause }));
    });
  });
}

const xdgMimeMsMax = 10_000;
