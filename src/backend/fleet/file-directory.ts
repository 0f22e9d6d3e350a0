import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { createFile } from '../../wire/files/create-file.ts';
import { makeFolder } from '../../wire/make-folder.ts';
import type { LobbyDirectory } from './directory.ts';

/** A lobby directory in a file. */
export interface FileLobbyDirectory extends LobbyDirectory {
  /** Closes the file. Idempotent; a later use opens it again. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface FileLobbyDirectoryOptions {
  /** How long to wait while another process writes. Default {@link lockWaitMsDefault}. */
  readonly lockWaitMs?: number | undefined;
}

// A write holds the lock for well under a millisecond; a longer wait means that the disk is stuck.
const lockWaitMsDefault = 5_000;

/**
 * A directory for the servers of one machine, in an SQLite file. Its locks let one process write at a time, and a crash
 * at any moment leaves the last complete write. Do not use it on a network file system, where locks are unreliable.
 *
 * The first use creates the file and its folder and loads `node:sqlite`.
 */
export function fileLobbyDirectory(path: string, options?: FileLobbyDirectoryOptions): FileLobbyDirectory {
  requireType('path', path, 'string');
  const { lockWaitMs = lockWaitMsDefault } = parseOptions(options);
  let opened: Promise<OpenDirectory> | undefined;

  async function open(): Promise<OpenDirectory> {
    const { DatabaseSync } = await import('node:sqlite');
    await makeFolder(dirname(path), 0o777);
    createFile(path, 0o666);
    const database = new DatabaseSync(path, { timeout: lockWaitMs });
    try {
      return { ...prepare(database), close: () => database.close() };
    } catch (error) {
      database.close(); // the next use opens it again
      throw error;
    }
  }

  function statements(): Promise<OpenDirectory> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function close(): Promise<void> {
    const closing = opened;
    opened = undefined;
    // What could not be opened has nothing to close.
    const directory = await closing?.catch(() => undefined);
    directory?.close();
  }

  return {
    async get(key) {
      return (await statements()).get(key);
    },
    async list(prefix) {
      return (await statements()).list(prefix);
    },
    async compareAndSet(key, before, after) {
      return (await statements()).compareAndSet(key, before, after);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface OpenDirectory extends Statements {
  close(): void;
}

interface Statements {
  get(key: string): string | undefined;
  list(prefix: string): ReadonlyMap<string, string>;
  compareAndSet(key: string, before: string | undefined, after: string | undefined): boolean;
}

/** Each method is one statement, so SQLite makes it atomic. */
function prepare(database: DatabaseSync): Statements {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS directory (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT',
  );
  const get = database.prepare('SELECT value FROM directory WHERE key = ?');
  const list = database.prepare('SELECT key, value FROM directory WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key');
  const insert = database.prepare('INSERT INTO directory VALUES (?, ?) ON CONFLICT DO NOTHING');
  const update = database.prepare('UPDATE directory SET value = ?3 WHERE key = ?1 AND value = ?2');
  const remove = database.prepare('DELETE FROM directory WHERE key = ? AND value = ?');

  function compareAndSet(key: string, before: string | undefined, after: string | undefined): boolean {
    if (before === undefined && after === undefined) return get.get(key) === undefined;
    if (before === undefined) return insert.run(key, after as string).changes === 1;
    if (after === undefined) return remove.run(key, before).changes === 1;
    return update.run(key, before, after).changes === 1;
  }

  return {
    get: key => get.get(key)?.value as string | undefined,
    list: prefix => new Map(list.all(prefix).map(({ key, value }) => [key as string, value as string])),
    compareAndSet,
  };
}
