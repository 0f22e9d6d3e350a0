import { constants, type FSWatcher, watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Cancel, Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { randomToken } from '../../wire/clock/ports.ts';

export interface ChangeSignalOptions {
  /** A file whose folder exists; its content is random and says nothing. */
  readonly path: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** Another process told of a change, once or more. */
  readonly changed: () => void;
}

// Our choice: what is lost by a file system that tells nobody is found this much later.
const lookMs = 30_000;
const idBytes = 16;

// A folder of the game's choice may be one that others write to: no link of theirs is followed, and a pipe in the file's
// place keeps nobody waiting. Windows has neither flag.
const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const asIs = O_NOFOLLOW | O_NONBLOCK;

/** Tells the other processes that what they share has changed: by a file that changes, which all of them watch. */
export class ChangeSignal {
  readonly #options: ChangeSignalOptions;
  readonly #watcher: FSWatcher | undefined;
  #cancelLook: Cancel = () => {};
  /** Begins what this process writes: its own changes are no news to it, however late it hears of them. */
  readonly #author: string;
  /** What another process wrote last. */
  #known: string | undefined;
  #isClosed = false;

  private constructor(options: ChangeSignalOptions, known: string | undefined) {
    this.#options = options;
    this.#author = randomToken(options.entropy, idBytes);
    this.#known = known;
    this.#watcher = this.#watch();
    this.#lookLater();
  }

  static async open(options: ChangeSignalOptions): Promise<ChangeSignal> {
    return new ChangeSignal(options, await read(options.path));
  }

  /** Resolves when the others can know. A failure is logged, no more: they find out when they use what they have. */
  async tell(): Promise<void> {
    const { path, entropy, logger } = this.#options;
    try {
      const flag = (O_WRONLY | O_CREAT | O_TRUNC | asIs) as unknown as string; // its type leaves numbers out
      await writeFile(path, `${this.#author} ${randomToken(entropy, idBytes)}`, { mode: 0o600, flag });
    } catch (error) {
      logger.warn({ code: codeOf(error) }, 'other processes cannot be told of the new credential');
    }
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#cancelLook();
    this.#watcher?.close();
  }

  // The folder and not the file: it may not be there yet.
  #watch(): FSWatcher | undefined {
    const { path, logger } = this.#options;
    const file = basename(path);
    const unwatched = (error: unknown) => logger.warn({ code: codeOf(error) }, 'changes are seen by looking alone');
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
        if (name === null || name === file) void this.#look();
      });
      return watcher.on('error', unwatched);
    } catch (error) {
      unwatched(error);
      return undefined;
    }
  }

  #lookLater(): void {
    this.#cancelLook = this.#options.clock.schedule(lookMs, () => {
      this.#lookLater();
      return this.#look();
    });
  }

  async #look(): Promise<void> {
    const found = await read(this.#options.path);
    // Empty while it is being written.
    if (this.#isClosed || !found || found === this.#known || found.startsWith(this.#author)) return;
    this.#known = found;
    this.#options.changed();
  }
}

function read(path: string): Promise<string | undefined> {
  return readFile(path, { encoding: 'utf8', flag: O_RDONLY | asIs }).catch(() => undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
