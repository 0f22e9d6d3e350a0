import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandFailure } from './command-line.ts';
import { errorMessage } from './failure.ts';

/** A file that is there, whole, exactly while the service accepts traffic. It holds the control token: only its owner reads it. */
export interface ReadyFile {
  /** @throws CommandFailure */
  write(line: string): void;
  /** Does nothing when it is not there. @throws CommandFailure */
  remove(): void;
}

export function readyFile(path: string): ReadyFile {
  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw new CommandFailure(`The ready file ${path} cannot be written: ${errorMessage(error)}`);
    }
  }
  return {
    write: line =>
      attempt(() => {
        // Whoever waits for the file must never see a part of it.
        const unfinished = `${path}.${process.pid}`;
        writeFileSync(unfinished, `${line}\n`, { mode: 0o600 });
        renameSync(unfinished, path);
      }),
    remove: () => attempt(() => rmSync(path, { force: true })),
  };
}
