import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Pages given back in one step: a few milliseconds. */
const pagesPerStep = 64;
/** A file keeps this many free pages of 4 KiB in any case, and a thirty-second of its pages: the next records need them. */
const pagesKeptMin = 128;

/** Gives the pages that deleted records have left back to the file system, in small steps. */
export class FreeSpace {
  readonly #database: DatabaseSync;
  readonly #free: StatementSync;
  readonly #all: StatementSync;
  #isGivingBack = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#free = database.prepare('PRAGMA freelist_count');
    this.#all = database.prepare('PRAGMA page_count');
  }

  /** Does one step, if there is something worth it. @returns whether there is more to do */
  step(): boolean {
    const free = Number(this.#free.get()?.freelist_count);
    const kept = Math.max(pagesKeptMin, Math.ceil(Number(this.#all.get()?.page_count) / 32));
    // It begins later than it ends, so that pages which come and go all the time are left alone.
    if (free > (this.#isGivingBack ? kept : 2 * kept)) {
      this.#isGivingBack = true;
      this.#database.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
      return true;
    }
    if (!this.#isGivingBack) return false;
    // The file shrinks when the log is folded into it.
    this.#isGivingBack = false;
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return false;
  }
}
