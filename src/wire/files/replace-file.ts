import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Which file it is, under whatever name. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Puts a new file at `path`, in place of one that is there. It is written next to it under an unpredictable name, and
 * created exclusively: files and links that others put into the folder are neither written nor followed, and no reader sees a part of it.
 *
 * @throws what the system says, with its `code`; then `path` is as before
 */
export function replaceFile(path: string, text: string, mode: number): FileIdentity {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  const file = openSync(unfinished, 'wx', mode);
  try {
    let identity: FileIdentity;
    try {
      writeFileSync(file, text);
      // The umask does not decide here.
      fchmodSync(file, mode);
      identity = fstatSync(file, { bigint: true });
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    return identity;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
