import type { CommandOption } from '../../model/command.ts';
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
    const bytes = command === undefined ? 0 : sizeOf(command);
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

type Sized = Pick<CommandRecord, 'name_localizations' | 'description_localizations'> &
  Pick<CommandOption, 'options' | 'choices'>;

/** About how many bytes it takes at most. Counting its parts takes a tenth of the time of encoding it, and commands are written by hundreds. */
function sizeOf({ name_localizations, description_localizations, options, choices }: Partial<Sized>): number {
  let size = partBytes + translationBytes * (countOf(name_localizations) + countOf(description_localizations));
  if (options) for (const option of options) size += sizeOf(option as Partial<Sized>);
  if (choices) for (const choice of choices) size += partBytes + translationBytes * countOf(choice.name_localizations);
  return size;
}

function countOf(texts: object | null | undefined): number {
  return texts ? Object.keys(texts).length : 0;
}

/** A name, a description or value, and a translation, each as long as it may be. */
const partBytes = 256;
const translationBytes = 128;
