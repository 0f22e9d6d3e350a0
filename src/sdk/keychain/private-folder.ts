import { randomUUID } from 'node:crypto';
import * as nodeFileSystem from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, posix, win32 } from 'node:path';
import { KeychainError } from '../../model/errors/errors.ts';
import { fileRemedy } from '../../wire/files/file-remedy.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { makeFolder } from '../../wire/make-folder.ts';

/** The package's folder among this user's application data, by the convention of each system. */
export function dataFolder(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string {
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local'), 'rallypoint');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'rallypoint');
  const data = env.XDG_DATA_HOME;
  return posix.join(data && isAbsolute(data) ? data : posix.join(home, '.local', 'share'), 'rallypoint');
}

/** The file operations that are used, as in `node:fs/promises`. Tests interrupt them at any point. */
export interface FileSystem {
  chmod(path: string, mode: number): Promise<void>;
  lstat(path: string): Promise<{ isDirectory(): boolean; readonly uid: number; readonly mode: number }>;
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>;
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options?: { force?: boolean }): Promise<void>;
}

export interface OpenFile {
  writeFile(content: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Small files that only this user can read, written atomically. File names contain no separators. */
export interface PrivateFolder {
  readonly path: string;
  /** Resolves with undefined when the file does not exist. */
  read(name: string): Promise<Buffer | undefined>;
  /** Resolves when the new content would survive a power failure. Until then the old content is in place. */
  replace(name: string, content: Uint8Array): Promise<void>;
  /** Resolves with false when the file does not exist. */
  remove(name: string): Promise<boolean>;
  /** Deletes the files whose names begin with `prefix`, except `kept`. Files that cannot be deleted are left. */
  sweep(prefix: string, kept?: string): Promise<void>;
}

/**
 * Opens the folder. Creates it when missing (mode 0700), and removes the access of other users.
 *
 * @param path absolute
 * @throws KeychainError `keychain_folder`: the folder cannot be created, is not a folder, or belongs to another user. The
 *   calls of the folder throw this code too
 */
export async function openPrivateFolder(
  path: string,
  files: FileSystem = nodeFileSystem,
  platform: NodeJS.Platform = process.platform,
): Promise<PrivateFolder> {
  await withFolderError(path, makePrivate(path, files));

  async function replace(name: string, content: Uint8Array): Promise<void> {
    const target = join(path, name);
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await writeNew(files, temporary, content);
      await rename(files, temporary, target, platform);
    } catch (error) {
      await files.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await syncFolder(files, path, platform);
  }

  async function remove(name: string): Promise<boolean> {
    const removed = await unlessMissing(files.rm(join(path, name)).then(() => true));
    if (removed) await syncFolder(files, path, platform);
    return removed ?? false;
  }

  async function sweep(prefix: string, kept?: string): Promise<void> {
    const names = await files.readdir(path).catch(() => []);
    const swept = names.filter(name => name.startsWith(prefix) && name !== kept);
    await Promise.allSettled(swept.map(name => files.rm(join(path, name), { force: true })));
  }

  return {
    path,
    read: name => withFolderError(path, unlessMissing(files.readFile(join(path, name)))),
    replace: (name, content) => withFolderError(path, replace(name, content)),
    remove: name => withFolderError(path, remove(name)),
    sweep,
  };
}

async function makePrivate(path: string, files: FileSystem): Promise<void> {
  await makeFolder(path, 0o700, files.mkdir);
  const found = await files.lstat(path);
  if (!found.isDirectory())
    throw new KeychainError('keychain_folder', `${path} is not a folder. Remove it, or pass another folder.`);
  // Windows has no modes: there the folder inherits the access rules of the user's profile.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) {
    throw new KeychainError(
      'keychain_folder',
      `${path} belongs to another user. Pass a folder that belongs to this user.`,
    );
  }
  if ((found.mode & 0o077) !== 0) await files.chmod(path, 0o700);
}

async function writeNew(files: FileSystem, path: string, content: Uint8Array): Promise<void> {
  const file = await files.open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

const renameAttempts = 10;
const busy = new Set(['EACCES', 'EBUSY', 'EPERM']);

// On Windows a virus scanner or an indexer can hold the old file open for some milliseconds.
async function rename(files: FileSystem, from: string, to: string, platform: NodeJS.Platform): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await files.rename(from, to);
    } catch (error) {
      if (platform !== 'win32' || attempt === renameAttempts || !busy.has(systemCode(error))) throw error;
      await new Promise(resolve => setTimeout(resolve, 10 * attempt));
    }
  }
}

/** Makes a rename or deletion survive a power failure. Windows does so by itself, and cannot open folders. */
async function syncFolder(files: FileSystem, path: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') return;
  const folder = await files.open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessMissing<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function withFolderError<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof KeychainError) throw cause;
    const why = systemCode(cause);
    throw new KeychainError(
      'keychain_folder',
      `The keychain's folder ${path} cannot be used (${why}). ${fileRemedy(cause)}`,
      { cause },
    );
  }
}
