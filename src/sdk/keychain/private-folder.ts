import { randomUUID } from 'node:crypto';
import * as nodeFileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { KeychainError } from '../../model/errors/errors.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { makeFolder } from '../../wire/make-folder.ts';

/** The steps that are taken on the disk, as in `node:fs/promises`; tests break off between any two. */
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

/** Small files that only this user may read, each of them there whole or not at all. Names are without separators. */
export interface PrivateFolder {
  readonly path: string;
  /** Undefined when there is none. */
  read(name: string): Promise<Buffer | undefined>;
  /** Resolves when the new content would survive a power cut. Until then the old one is there. */
  replace(name: string, content: Uint8Array): Promise<void>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
  /** Removes what begins with `prefix`, but for one file; what resists stays for the next time. */
  sweep(prefix: string, kept?: string): Promise<void>;
}

/**
 * Opens the folder, which is made when missing (mode 0700), and closed to others when it was open to them.
 *
 * @param path absolute
 * @throws KeychainError `keychain_folder`: it cannot be made, is not a folder, or belongs to somebody else. What the
 *   folder's own calls throw has this code too
 */
export async function openPrivateFolder(
  path: string,
  files: FileSystem = nodeFileSystem,
  platform: NodeJS.Platform = process.platform,
): Promise<PrivateFolder> {
  await told(path, makePrivate(path, files));

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
    await keepNames(files, path, platform);
  }

  async function remove(name: string): Promise<boolean> {
    const removed = await unlessMissing(files.rm(join(path, name)).then(() => true));
    if (removed) await keepNames(files, path, platform);
    return removed ?? false;
  }

  async function sweep(prefix: string, kept?: string): Promise<void> {
    const names = await files.readdir(path).catch(() => []);
    const swept = names.filter(name => name.startsWith(prefix) && name !== kept);
    await Promise.allSettled(swept.map(name => files.rm(join(path, name), { force: true })));
  }

  return {
    path,
    read: name => told(path, unlessMissing(files.readFile(join(path, name)))),
    replace: (name, content) => told(path, replace(name, content)),
    remove: name => told(path, remove(name)),
    sweep,
  };
}

async function makePrivate(path: string, files: FileSystem): Promise<void> {
  await makeFolder(path, 0o700, files.mkdir);
  const found = await files.lstat(path);
  if (!found.isDirectory()) throw new KeychainError('keychain_folder', `${path} is not a folder.`);
  // Windows has no such modes: there the folder inherits the rules of the person's profile.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) {
    throw new KeychainError('keychain_folder', `${path} belongs to another user. Choose a folder of this user's own.`);
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

// On Windows a virus scanner or an indexer that has just opened the old file holds the name for some milliseconds.
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

/** Makes a renaming or removal survive a power cut; Windows does so by itself, and lets no folder be opened. */
async function keepNames(files: FileSystem, path: string, platform: NodeJS.Platform): Promise<void> {
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

async function told<Value>(path: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof KeychainError) throw cause;
    const why = systemCode(cause);
    throw new KeychainError('keychain_folder', `The keychain's folder ${path} cannot be used (${why}).`, { cause });
  }
}
