import { lstat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { RedirectError } from '../../model/errors/errors.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { makeFolder } from '../../wire/make-folder.ts';
import type { Machine } from './machine.ts';

/** Where the game listens for the redirects of one scheme. */
export interface Place {
  /** Of the socket; on Windows, of the named pipe. */
  readonly path: string;
  /** The socket's folder, for this user alone; undefined on Windows, where pipes are in none. */
  readonly folder: string | undefined;
}

// The least of all systems (macOS: 104 with the closing zero). Node would cut a longer one without a word.
const pathBytesMax = 103;
// What stands behind the path while the socket is being made.
const suffixBytes = 4;

/**
 * `<runtime folder>/rallypoint-<uid>/<scheme>.sock`; on Windows `\\.\pipe\rallypoint-<user>-<scheme>`.
 *
 * @param folder in place of `<runtime folder>/rallypoint-<uid>`
 * @throws RedirectError `socket_path_too_long`
 */
export function placeOf(scheme: string, folder: string | undefined, machine: Machine): Place {
  if (machine.platform === 'win32') {
    const user = machine.userName.replace(/[^\w.-]/g, '_');
    return { path: `\\\\.\\pipe\\rallypoint-${user}-${scheme}`, folder: undefined };
  }
  const { XDG_RUNTIME_DIR: runtime = '' } = machine.environment;
  const base = isAbsolute(runtime) ? runtime : machine.temporaryFolder;
  const own = folder !== undefined ? resolve(folder) : join(base, `rallypoint-${machine.uid}`);
  const path = join(own, `${scheme}.sock`);
  if (Buffer.byteLength(path) + suffixBytes > pathBytesMax) {
    throw new RedirectError(
      'socket_path_too_long',
      `${path} is too long for a socket (${pathBytesMax - suffixBytes} bytes at most); give a shorter folder.`,
    );
  }
  return { path, folder: own };
}

/**
 * Makes the folder if there is none, and sees that it is ours alone.
 *
 * @throws RedirectError `folder_not_private`, `no_folder`
 */
export async function makePrivate(folder: string, uid: number | undefined): Promise<void> {
  await makeFolder(folder, 0o700).catch(cause => {
    const code = systemCode(cause);
    // A link or a file in its place is judged below.
    if (code === 'EEXIST') return;
    throw new RedirectError('no_folder', `The folder ${folder} cannot be made (${code}).`, { cause });
  });
  const fault = await privacyFault(folder, uid);
  if (fault) throw new RedirectError('folder_not_private', fault);
}

/** Why the folder is not ours alone; undefined when it is. @throws when there is none */
export async function privacyFault(folder: string, uid: number | undefined): Promise<string | undefined> {
  const found = await lstat(folder);
  if (found.isSymbolicLink()) return `${folder} is a symbolic link.`;
  if (!found.isDirectory()) return `${folder} is no folder.`;
  if (found.uid !== uid) return `${folder} belongs to user ${found.uid}, not to ${uid}.`;
  if ((found.mode & 0o077) !== 0) return `${folder} is open to others; it needs the mode 0700.`;
  return undefined;
}
