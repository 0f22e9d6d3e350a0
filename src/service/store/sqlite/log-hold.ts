import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../wire/clock/ports.ts';
import { sizeOf } from './kept-log.ts';

/** Pages of 4 KiB that the write-ahead log may reach before it is folded into the file: 16 MiB. */
export const walPages = 4096;
/** A wish that was not renewed for so long is one of a process that has died. */
const wishMs = 10_000;
/** A larger log is folded all the same. */
const heldBytesMax = 256 * 1024 * 1024;

function wishPath(location: string): string {
  return `${location}-hold`;
}

/**
 * Lets a process that copies the database of a busy service wish, by a file beside it, that the write-ahead log is not folded into
 * the database meanwhile. To be renewed every few seconds.
 */
export function wishToHold(location: string): void {
  writeFileSync(wishPath(location), '', { mode: 0o600 });
}

export function endWish(location: string): void {
  rmSync(wishPath(location), { force: true });
}

/** Grants such wishes, on the service's side. */
export class LogHold {
  readonly #database: DatabaseSync;
  readonly #location: string;
  #isHeld = false;

  constructor(database: DatabaseSync, location: string) {
    this.#database = database;
    this.#location = location;
  }

  /** Looks whether there is a wish. @returns whether the log is held */
  look(): boolean {
    const wish = statSync(wishPath(this.#location), { throwIfNoEntry: false });
    const isWished = wish !== undefined && Math.abs(systemClock.now() - wish.mtimeMs) < wishMs;
    const isHeld = isWished && sizeOf(`${this.#location}-wal`) < heldBytesMax;
    if (isHeld !== this.#isHeld) this.#database.exec(`PRAGMA wal_autocheckpoint = ${isHeld ? 0 : walPages}`);
    this.#isHeld = isHeld;
    return isHeld;
  }
}
