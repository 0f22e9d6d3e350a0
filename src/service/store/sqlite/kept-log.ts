import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';

/**
 * Keeps the write-ahead log of a database while that is opened and looked at: SQLite folds what it can read of it into the
 * database and deletes it with the last connection, and what stands behind a damaged frame would be gone.
 */
export class KeptLog {
  readonly #log: string;
  readonly #kept: string;

  constructor(location: string) {
    this.#log = `${location}-wal`;
    this.#kept = `${location}-wal-kept`;
    this.drop();
    if (sizeOf(this.#log) === 0) return;
    if (!tryLink(this.#log, this.#kept)) copyFileSync(this.#log, this.#kept);
  }

  /** The database is whole. */
  drop(): void {
    rmSync(this.#kept, { force: true });
  }

  /** Puts the log back where SQLite has deleted it. To be called when the database is closed. */
  putBack(): void {
    if (existsSync(this.#kept) && !existsSync(this.#log)) renameSync(this.#kept, this.#log);
    else this.drop();
  }
}

/** Not where files that are open cannot be deleted under any of their names, nor where there are no hard links. */
function tryLink(path: string, link: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    linkSync(path, link);
    return true;
  } catch {
    return false;
  }
}

/** In bytes; 0 when it is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
