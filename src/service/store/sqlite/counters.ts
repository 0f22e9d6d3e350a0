import { Buffer } from 'node:buffer';
import { closeSync, constants, existsSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '../../../wire/clock/ports.ts';
import { obstacleTo } from '../../../wire/files/obstacle.ts';
import { StoreError } from '../errors.ts';
import { isMissing } from './failure.ts';

const digits = 16;

/** The file beside a database that holds the number of its commits. */
export function markPath(location: string): string {
  return `${location}-mark`;
}

/**
 * How many commits the database at `location` had at least; undefined when nothing says so.
 *
 * @throws StoreError `store_unusable`: there is a mark, but it cannot be read
 */
export function readMark(location: string): number | undefined {
  const path = markPath(location);
  try {
    const text = readStart(path, digits + 1);
    return /^\d{16}\n/.test(text) ? Number(text.slice(0, digits)) : undefined;
  } catch (cause) {
    const obstacle = obstacleTo(path);
    const isInPlace = obstacle?.path === path;
    if (isMissing(cause) && !isInPlace) return undefined;
    const reason = isInPlace ? `it is ${obstacle.what}` : (cause as Error).message;
    const message = `${path} cannot be read: ${reason}. It says how many commits the database must have.`;
    throw new StoreError('store_unusable', message, { cause });
  }
}

/** The first bytes of a file. Whatever else has its name is rejected; a pipe would be waited for. */
function readStart(path: string, bytes: number): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a file');
    const start = Buffer.alloc(bytes);
    return start.toString('latin1', 0, readSync(file, start, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Counts the commits of a database in a separate file. SQLite silently drops what follows a damaged frame of its write-ahead log,
 * and treats a deleted log as an empty one; a database that has fewer commits than its mark has lost some.
 *
 * The mark moves after each commit, before anything is answered. It is not synced: when the machine loses its power
 * the mark may lag behind the database, never the other way round.
 */
export class CommitMark {
  readonly #file: number;
  readonly #location: string;
  readonly #log: Logger;
  readonly #text = Buffer.alloc(digits + 1, '\n');
  #hasFailed = false;
  #isDeleted = false;

  /** Opens the mark and moves it to `commits`. @throws what the system says */
  constructor(location: string, commits: number, log: Logger) {
    this.#log = log;
    this.#location = resolve(location);
    this.#file = openSync(markPath(location), 'a+', 0o600);
    closeSync(this.#file);
    this.#file = openSync(markPath(location), 'r+');
    this.#write(commits);
  }

  /** Never fails: what was committed stays committed. */
  move(commits: number): void {
    try {
      this.#write(commits);
      this.#noticeDeletion();
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.warn({ error }, 'The number of commits could not be recorded; a loss of data may go unnoticed.');
      this.#hasFailed = true;
    }
  }

  close(): void {
    try {
      fsyncSync(this.#file);
    } catch {
      // It then lags behind at the worst.
    }
    closeSync(this.#file);
  }

  /** An open file that has no name any more can be written for as long as the process lives. */
  #noticeDeletion(): void {
    if (this.#isDeleted || existsSync(this.#location)) return;
    this.#isDeleted = true;
    this.#log.error(
      { location: this.#location },
      'The database was deleted or moved. If it was deleted, all state is lost when the service ends: save it before, by GET /control/snapshot.',
    );
  }

  #write(commits: number): void {
    this.#text.write(String(commits).padStart(digits, '0'), 0, 'latin1');
    writeSync(this.#file, this.#text, 0, this.#text.length, 0);
  }
}

/**
 * Numbers that are kept beside the records: `commits` counts every commit that changed something, `revision` is the last
 * commit number that was reserved.
 */
export type Counter = 'commits' | 'revision';

const writeSql = 'INSERT INTO counters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';

/** @returns 0 for one that was never written, also where a database has no counters yet */
export function readCounter(database: DatabaseSync, name: Counter): number {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'counters'").get();
  return table ? Number(database.prepare('SELECT value FROM counters WHERE name = ?').get(name)?.value ?? 0) : 0;
}

/** Writes counters within a transaction of the caller's. */
export function counterWriter(database: DatabaseSync): (name: Counter, value: number) => void {
  const statement = database.prepare(writeSql);
  return (name, value) => void statement.run(name, value);
}
