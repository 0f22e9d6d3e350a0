import { lstat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { KeychainError, RedirectError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { fileRemedy } from '../../wire/files/file-remedy.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { makeFolder } from '../../wire/make-folder.ts';
import { openProcessLock } from '../credentials/process-lock.ts';
import type { Machine } from './machine.ts';

/** Where the game listens for the redirects of one scheme. */
export interface SocketLocation {
  /** The path of the socket; on Windows, of the named pipe. */
  readonly path: string;
  /** The socket's folder, which only this user can access. Undefined on Windows, where pipes have no folder. */
  readonly folder: string | undefined;
}

// The lowest limit of all systems (macOS: 104 with the final zero). Node would truncate a longer path silently.
const pathBytesMax = 103;
// The suffix of the path while the socket is created.
const suffixBytes = 4;

/**
 * `<runtime folder>/rallypoint-<uid>/<scheme>.sock`; on Windows `\\.\pipe\rallypoint-<user>-<scheme>`.
 *
 * @param folder in place of `<runtime folder>/rallypoint-<uid>`
 * @throws RedirectError `socket_path_too_long`
 */
export function socketLocationOf(scheme: string, folder: string | undefined, machine: Machine): SocketLocation {
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
      `${path} is too long for a socket, whose path can have ${pathBytesMax - suffixBytes} bytes. Pass a shorter folder.`,
    );
  }
  return { path, folder: own };
}

/**
 * Creates the folder if it does not exist, and checks that only this user can access it.
 *
 * @throws RedirectError `folder_not_private`, `no_folder`
 */
export async function preparePrivateFolder(folder: string, uid: number | undefined): Promise<void> {
  await makeFolder(folder, 0o700).catch(cause => {
    const code = systemCode(cause);
    // A link or a file in its place is reported below.
    if (code === 'EEXIST') return;
    throw new RedirectError('no_folder', `The folder ${folder} cannot be created (${code}). ${fileRemedy(cause)}`, {
      cause,
    });
  });
  const problem = await privacyProblem(folder, uid);
  if (problem) throw new RedirectError('folder_not_private', `${problem} Pass another folder.`);
}

/** Says why other users can access the folder. Returns undefined when they cannot. @throws when the folder does not exist */
export async function privacyProblem(folder: string, uid: number | undefined): Promise<string | undefined> {
  const found = await lstat(folder);
  if (found.isSymbolicLink()) return `${folder} is a symbolic link.`;
  if (!found.isDirectory()) return `${folder} is not a folder.`;
  if (found.uid !== uid) return `${folder} belongs to user ${found.uid}, not to user ${uid}.`;
  if ((found.mode & 0o077) !== 0) return `${folder} is accessible to other users; its mode must be 0700.`;
  return undefined;
}

/** Runs work while no other process runs work under the same lock. */
export type RunExclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A lock between processes that create the socket: of two that start at the same time, one becomes the first instance.
 * Windows needs none, because creating a pipe is atomic.
 *
 * @throws RedirectError `cannot_listen`, before the work began
 */
export function socketLock({ folder, path }: SocketLocation, clock: Clock): RunExclusively {
  if (folder === undefined) return work => work();
  return async work => {
    try {
      const lock = await openProcessLock({ path: `${path}.lock`, clock });
      return await lock.hold(work);
    } catch (cause) {
      if (!(cause instanceof KeychainError)) throw cause;
      throw new RedirectError('cannot_listen', cause.message, { cause });
    }
  };
}
