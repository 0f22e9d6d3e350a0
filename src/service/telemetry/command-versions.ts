import type { CommandRecord } from '../store/records.ts';
import { consoleLimits } from '../support/service-limits.ts';

/** A version of a command, as it was written. */
export interface KnownVersion {
  readonly atMs: number;
  /** Undefined: it was deleted. */
  readonly command: CommandRecord | undefined;
  readonly cause: number | null;
}

/** Former versions of commands, as far as this process saw them written. Bounded, per command and in all. */
export class CommandVersions {
  readonly #versions = new Map<string, KnownVersion[]>();
  #count = 0;

  add(id: string, command: CommandRecord | undefined, atMs: number, cause: number | null): void {
    const known = this.#versions.get(id) ?? [];
    // Written last, dropped last.
    this.#versions.delete(id);
    this.#versions.set(id, known);
    known.push({ atMs, command, cause });
    this.#count++;
    if (known.length > consoleLimits.commandVersionsMax) {
      known.shift();
      this.#count--;
    }
    for (const [oldest, dropped] of this.#versions) {
      if (this.#count <= consoleLimits.commandVersionsInAllMax || oldest === id) break;
      this.#versions.delete(oldest);
      this.#count -= dropped.length;
    }
  }

  /** The newest first. */
  of(id: string): readonly KnownVersion[] {
    return this.#versions.get(id)?.toReversed() ?? [];
  }
}
