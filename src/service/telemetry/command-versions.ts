import type { CommandRecord } from '../store/records.ts';
import { consoleLimits } from '../support/service-limits.ts';

/** A version of a command, as it was written. */
export interface KnownVersion {
  readonly atMs: number;
  /** Undefined: it was deleted. */
  readonly command: CommandRecord | undefined;
  readonly cause: number | null;
  readonly bytes: number;
}

/** Former versions of commands, as far as this process saw them written. Bounded, per command and in all, in number and in bytes. */
export class CommandVersions {
  readonly #versions = new Map<string, KnownVersion[]>();
  #count = 0;
  #bytes = 0;

  add(id: string, command: CommandRecord | undefined, atMs: number, cause: number | null): void {
    const known = this.#versions.get(id) ?? [];
    // Written last, dropped last.
    this.#versions.delete(id);
    this.#versions.set(id, known);
    const bytes = command === undefined ? 0 : JSON.stringify(command).length;
    known.push({ atMs, command, cause, bytes });
    this.#count++;
    this.#bytes += bytes;
    if (known.length > consoleLimits.commandVersionsMax) this.#forget(known.splice(0, 1));
    for (const [oldest, dropped] of this.#versions) {
      const isFull =
        this.#count > consoleLimits.commandVersionsInAllMax || this.#bytes > consoleLimits.commandVersionsBytesMax;
      if (!isFull || oldest === id) break;
      this.#versions.delete(oldest);
      this.#forget(dropped);
    }
    if (this.#bytes > consoleLimits.commandVersionsBytesMax) this.#forget(known.splice(0, known.length - 1));
  }

  #forget(versions: readonly KnownVersion[]): void {
    this.#count -= versions.length;
    for (const { bytes } of versions) this.#bytes -= bytes;
  }

  /** The newest first. */
  of(id: string): readonly KnownVersion[] {
    return this.#versions.get(id)?.toReversed() ?? [];
  }
}
