import { dirname } from 'node:path';
import { KeychainError } from '../../model/errors/errors.ts';
import { type Clock, type Entropy, systemClock, systemEntropy } from '../../wire/clock/ports.ts';
import { createFile } from '../../wire/files/create-file.ts';
import { fileRemedy } from '../../wire/files/file-remedy.ts';
import { type Backoff, backoffMs } from '../../wire/http/backoff.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { systemCode } from '../../wire/http/transport.ts';
import { makeFolder } from '../../wire/make-folder.ts';
import { loadNative } from '../native/addon.ts';

export interface ProcessLockOptions {
  /** Absolute. Its folder is created (mode 0700) when missing. The files there are empty and are never deleted. */
  readonly path: string;
  /** How long {@link ProcessLock.hold} waits for the lock. Default: {@link lockWaitMsDefault}. */
  readonly waitMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly entropy?: Entropy | undefined;
  /** The kinds that may be used, in order of preference. Default: both. */
  readonly kinds?: readonly ProcessLockKind[] | undefined;
}

/**
 * - `native`: a file lock of the system, through the addon
 * - `sqlite`: an exclusive transaction on an empty `node:sqlite` file; the fallback where there is no addon
 *
 * The system releases either lock when its process dies. The two kinds do not exclude each other: all processes that share a
 * path should belong to one installation.
 */
export type ProcessLockKind = 'native' | 'sqlite';

/** Mutual exclusion between all processes of this user that pass the same path. */
export interface ProcessLock {
  readonly kind: ProcessLockKind;
  /**
   * Runs `work` while holding the lock, and settles as `work` does. Calls of one process run in the order they were made.
   *
   * @param signal aborts the wait, not `work` once it has begun
   * @throws TransportError `deadline_exceeded`, `aborted`, both before `work` began; KeychainError `lock_unusable`
   */
  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** Unspecified: how long to wait. This is longer than a request may take, and short enough to report a process that hangs. */
export const lockWaitMsDefault = 30_000;

// A process holds the lock for milliseconds, or for one request to the service.
const polling: Backoff = { firstMs: 10, maxMs: 100 };

/** Takes the lock without waiting. @returns what releases it; undefined while the lock is held */
type TryLock = () => (() => void) | undefined;

/** @throws KeychainError `lock_unusable`: none of the kinds works here */
export async function openProcessLock(options: ProcessLockOptions): Promise<ProcessLock> {
  const { path, kinds = ['native', 'sqlite'] } = options;
  const failures: string[] = [];
  await makeFolder(dirname(path), 0o700).catch(error => {
    throw unusable(path, systemCode(error), fileRemedy(error));
  });
  for (const kind of kinds) {
    const found = await openers[kind](path);
    if ('tryLock' in found) return new PolledLock(kind, found.tryLock, options);
    failures.push(...found.missing);
  }
  throw unusable(path, 'no kind of lock works here', failures.join(' '));
}

type Opened = { readonly tryLock: TryLock } | { readonly missing: readonly string[] };

const openers: Readonly<Record<ProcessLockKind, (path: string) => Promise<Opened>>> = {
  async native(path) {
    const found = await loadNative();
    if ('missing' in found) return found;
    return {
      tryLock: () => {
        const lock = found.addon.tryLock(path);
        return lock && (() => lock.release());
      },
    };
  },

  async sqlite(path) {
    const file = `${path}.sqlite`;
    try {
      const { DatabaseSync } = await import('node:sqlite');
      createFile(file, 0o600);
      return { tryLock: () => tryTransaction(new DatabaseSync(file)) };
    } catch (error) {
      return { missing: [`node:sqlite: ${reasonOf(error)}. ${fileRemedy(error)}`] };
    }
  },
};

// Only SQLite may open its file: closing any other handle would release this process's locks on it.
function tryTransaction(database: import('node:sqlite').DatabaseSync): (() => void) | undefined {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** The lower eight bits are the code; the upper ones give details. @see https://www.sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  const { errcode } = Object(error) as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5;
}

class PolledLock implements ProcessLock {
  readonly kind: ProcessLockKind;
  readonly #tryLock: TryLock;
  readonly #path: string;
  readonly #waitMs: number;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  /** Resolves when the earlier calls of this process are done. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(kind: ProcessLockKind, tryLock: TryLock, options: ProcessLockOptions) {
    this.kind = kind;
    this.#tryLock = tryLock;
    this.#path = options.path;
    this.#waitMs = options.waitMs ?? lockWaitMsDefault;
    this.#clock = options.clock ?? systemClock;
    this.#entropy = options.entropy ?? systemEntropy;
  }

  async hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const before = this.#turn;
    const ended = Promise.withResolvers<void>();
    this.#turn = before.then(() => ended.promise);
    try {
      const release = await this.#acquire(before, signal);
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      ended.resolve();
    }
  }

  async #acquire(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<() => void> {
    const deadline = new Deadline(this.#clock, this.#waitMs, signal);
    try {
      await deadline.within(before);
      for (let attempt = 0; ; attempt++) {
        deadline.signal.throwIfAborted();
        const release = this.#try();
        if (release) return release;
        await deadline.sleep(backoffMs(polling, attempt, this.#entropy));
      }
    } finally {
      deadline.close();
    }
  }

  #try(): (() => void) | undefined {
    try {
      return this.#tryLock();
    } catch (error) {
      throw unusable(this.#path, reasonOf(error), fileRemedy(error));
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : systemCode(error);
}

function unusable(path: string, reason: string, remedy: string): KeychainError {
  return new KeychainError('lock_unusable', `The lock file ${path} cannot be used: ${reason}. ${remedy}`.trimEnd());
}
