import { Buffer } from 'node:buffer';
import { rm, stat } from 'node:fs/promises';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { copyChangingFile, naming, openToRead } from '../../../wire/files/copy-file.ts';
import { systemCode } from '../../../wire/http/transport.ts';
import { StoreError } from '../errors.ts';
import { endHold, requestHold } from './wal.ts';

/** How often a copy is tried while a service writes, and how long it rests in between. */
const triesMax = 40;
const pauseMs = 50;
/** After so many tries, a copy that may leave a trace asks the service to let its log grow. */
const triesAlone = 3;
/** How long the service takes to notice. */
const noticeMs = 1500;
const renewMs = 3000;
const logHeadBytes = 32;

/**
 * Copies a database and its write-ahead log as they were at one instant, while a service may be writing them. Nothing of the
 * database is changed. Not for the process that has the database open: closing a file drops its locks.
 *
 * SQLite restarts the log with another header after a checkpoint. Until then, every page that the service changes meanwhile is
 * in the log, which is copied last. A copy is therefore consistent if the log's header was the same before and after.
 *
 * @param copy path of the copy; its log is written next to it
 * @param options `mayHold`: a service that writes too much for that is asked, by a file in its folder, to let its log grow meanwhile
 * @throws StoreError `store_failed` when the service writes too much at a time; what the system says, with the path
 */
export async function copyLive(location: string, copy: string, { mayHold = false } = {}): Promise<void> {
  const holds = (tries: number) => mayHold && tries >= triesAlone;
  try {
    for (let tries = 0; tries < triesMax; tries++) {
      if (holds(tries)) requestHold(location);
      if (tries > 0) await pause(mayHold && tries === triesAlone ? noticeMs : pauseMs);
      if (await tryCopy(location, copy, () => holds(tries) && requestHold(location))) return;
    }
  } finally {
    if (mayHold) endHold(location);
  }
  throw new StoreError('store_failed', `${location} could not be copied: too much is written to it. Try again later.`);
}

/** @param renew called every few seconds @returns whether the copy is of one instant */
async function tryCopy(location: string, copy: string, renew: () => void): Promise<boolean> {
  const renewing = setInterval(renew, renewMs);
  try {
    const before = await instantOf(location);
    await copyChangingFile(location, copy);
    await copyIfThere(`${location}-wal`, `${copy}-wal`);
    return (await instantOf(location)) === before;
  } finally {
    clearInterval(renewing);
  }
}

/** What stays the same between two looks when nothing was folded into the database meanwhile. */
async function instantOf(location: string): Promise<string> {
  const head = await logHead(`${location}-wal`);
  if (head !== '') return head;
  const { mtimeMs, size } = await stat(location);
  return `${mtimeMs} ${size}`;
}

/** In hex; empty where there is no log. */
async function logHead(path: string): Promise<string> {
  const file = await openToRead(path).catch(notThere);
  if (!file) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(logHeadBytes), 0, logHeadBytes, 0).catch(naming(path));
    return buffer.toString('hex', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function copyIfThere(path: string, copy: string): Promise<void> {
  await rm(copy, { force: true });
  await copyChangingFile(path, copy).catch(notThere);
}

function notThere(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
}
