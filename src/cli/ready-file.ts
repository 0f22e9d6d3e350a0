import { rename, rm, writeFile } from 'node:fs/promises';
import { CommandFailure } from './command-line.ts';
import { errorMessage } from './failure.ts';

/** A file that is there, whole, exactly while the service accepts traffic. It holds the control token: only its owner reads it. */
export interface ReadyFile {
  /** @throws CommandFailure */
  write(line: string): Promise<void>;
  /** Does nothing when it is not there. @throws CommandFailure */
  remove(): Promise<void>;
}

export function readyFile(path: string): ReadyFile {
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new CommandFailure(`The ready file ${path} cannot be written: ${errorMessage(error)}`);
    }
  }
  return {
    write: line =>
      attempt(async () => {
        // Whoever waits for the file must never see a part of it.
        const unfinished = `${path}.${process.pid}`;
        await writeFile(unfinished, `${line}\n`, { mode: 0o600 });
        await rename(unfinished, path);
      }),
    remove: () => attempt(() => rm(path, { force: true })),
  };
}
