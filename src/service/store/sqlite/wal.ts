import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../wire/clock/ports.ts';

/** What can be read of a write-ahead log. @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
export interface LogState {
  /** Frames that SQLite reads, up to the last commit among them. */
  readonly frames: number;
  readonly commits: number;
  /** Frames behind those that belong to the same log, and that SQLite drops. */
  readonly dropped: number;
  /** Its head can be read, or the log is empty. */
  readonly hasHead: boolean;
}

const headBytes = 32;
const frameHeadBytes = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;

export function readLog(bytes: Uint8Array): LogState {
  const nothing = { frames: 0, commits: 0, dropped: 0 };
  if (bytes.byteLength === 0) return { ...nothing, hasHead: true };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = readHead(view);
  if (!head) return { ...nothing, hasHead: false };

  const frameBytes = frameHeadBytes + head.pageBytes;
  let sum = head.sum;
  let isWhole = true;
  let read = 0;
  let state = nothing;
  for (let at = headBytes; at + frameBytes <= view.byteLength; at += frameBytes) {
    // Frames of an older log stand behind those of this one, where that is shorter.
    if (view.getUint32(at + 8) !== head.salt1 || view.getUint32(at + 12) !== head.salt2) {
      isWhole = false;
      continue;
    }
    if (isWhole) {
      sum = sumOf(view, at, 8, head.isLittleEndian, sum);
      sum = sumOf(view, at + frameHeadBytes, head.pageBytes, head.isLittleEndian, sum);
      isWhole = sum[0] === view.getUint32(at + 16) && sum[1] === view.getUint32(at + 20);
    }
    if (!isWhole) {
      state = { ...state, dropped: state.dropped + 1 };
      continue;
    }
    read++;
    const isCommit = view.getUint32(at + 4) !== 0;
    if (isCommit) state = { ...state, frames: read, commits: state.commits + 1 };
  }
  return { ...state, hasHead: true };
}

type Sum = readonly [number, number];

function readHead(view: DataView) {
  if (view.byteLength < headBytes) return undefined;
  const magic = view.getUint32(0);
  if (magic !== magicLittleEndian && magic !== magicBigEndian) return undefined;
  const isLittleEndian = magic === magicLittleEndian;
  const sum = sumOf(view, 0, 24, isLittleEndian, [0, 0]);
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return undefined;
  return {
    ...{ isLittleEndian, sum, pageBytes: view.getUint32(8) },
    ...{ salt1: view.getUint32(16), salt2: view.getUint32(20) },
  };
}

function sumOf(view: DataView, from: number, length: number, isLittleEndian: boolean, [first, second]: Sum): Sum {
  let s0 = first;
  let s1 = second;
  for (let at = from; at < from + length; at += 8) {
    s0 = (s0 + view.getUint32(at, isLittleEndian) + s1) >>> 0;
    s1 = (s1 + view.getUint32(at + 4, isLittleEndian) + s0) >>> 0;
  }
  return [s0, s1];
}

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

/** Pages of 4 KiB that the write-ahead log may reach before it is folded into the file: 16 MiB. */
export const walPages = 4096;
/** A request to hold that was not renewed for this long comes from a process that has died. */
const holdMs = 10_000;
/** A larger log is folded all the same. */
const heldBytesMax = 256 * 1024 * 1024;

function holdPath(location: string): string {
  return `${location}-hold`;
}

/**
 * Requests, by a file beside the database, that a busy service does not fold its write-ahead log into
 * the database meanwhile. To be renewed every few seconds.
 */
export function requestHold(location: string): void {
  writeFileSync(holdPath(location), '', { mode: 0o600 });
}

export function endHold(location: string): void {
  rmSync(holdPath(location), { force: true });
}

/** The service's side: holds the log while a request is present. */
export class LogHold {
  readonly #database: DatabaseSync;
  readonly #location: string;
  #isHeld = false;

  constructor(database: DatabaseSync, location: string) {
    this.#database = database;
    this.#location = location;
  }

  /** Checks for a request. @returns whether the log is held */
  look(): boolean {
    const request = statSync(holdPath(this.#location), { throwIfNoEntry: false });
    const isRequested = request !== undefined && Math.abs(systemClock.now() - request.mtimeMs) < holdMs;
    const isHeld = isRequested && sizeOf(`${this.#location}-wal`) < heldBytesMax;
    if (isHeld !== this.#isHeld) this.#database.exec(`PRAGMA wal_autocheckpoint = ${isHeld ? 0 : walPages}`);
    this.#isHeld = isHeld;
    return isHeld;
  }
}
