import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that is soon full. */
export class SmallDisk {
  readonly path: string;
  readonly #filler: string;

  /** @param mebibytes its size */
  constructor(mebibytes: number) {
    this.path = mkdtempSync(join(tmpdir(), 'rallypoint-disk-'));
    this.#filler = join(this.path, 'filler');
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', this.path], { stdio: 'pipe' });
  }

  /** Takes the space that is left, but for so many bytes. */
  fill(left = 0): void {
    const piece = Buffer.alloc(4096);
    try {
      for (;;) writeFileSync(this.#filler, piece, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    if (left > 0) truncateSync(this.#filler, Math.max(0, statSync(this.#filler).size - left));
  }

  /** Gives all of it back. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    execFileSync('umount', [this.path], { stdio: 'pipe' });
    rmSync(this.path, { recursive: true });
  }
}

/** Why this machine can have none; undefined where it can. */
export function smallDiskMissing(): string | undefined {
  try {
    new SmallDisk(1).remove();
    return undefined;
  } catch {
    return 'only root can mount a small file system, and not in every container';
  }
}
