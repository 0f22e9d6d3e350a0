import { constants, type FSWatcher, watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Cancel, Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { randomToken } from '../../wire/clock/ports.ts';

export interface ChangeNotifierOptions {
  /** A file whose folder exists. Its content is random and holds no secret. */
  readonly path: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** Called after another process has reported one or more changes. */
  readonly onChange: () => void;
}

// Unspecified: some file systems report no changes. There a change is found this much later.
const pollMs = 30_000;
const idBytes = 16;

// A folder that the game chose may be writable for others: their links are not followed, and a named pipe in the file's
// place blocks nothing. Windows has neither flag.
const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const neitherLinkNorPipe = O_NOFOLLOW | O_NONBLOCK;

/** Notifies the game's other processes that the credential has changed, by writing a file that all of them watch. */
export class ChangeNotifier {
  readonly #options: ChangeNotifierOptions;
  readonly #watcher: FSWatcher | undefined;
  #cancelPoll: Cancel = () => {};
  /** The beginning of everything that this process writes, by which it ignores its own changes. */
  readonly #author: string;
  /** The latest content that another process wrote. */
  #latest: string | undefined;
  #isClosed = false;

  private constructor(options: ChangeNotifierOptions, latest: string | undefined) {
    this.#options = options;
    this.#author = randomToken(options.entropy, idBytes);
    this.#latest = latest;
    this.#watcher = this.#watch();
    this.#schedulePoll();
  }

  static async open(options: ChangeNotifierOptions): Promise<ChangeNotifier> {
    return new ChangeNotifier(options, await read(options.path));
  }

  /** Resolves once the file is written. A failure is only logged: the other processes then read the change when they refresh. */
  async notify(): Promise<void> {
    const { path, entropy, logger } = this.#options;
    try {
      const flag = (O_WRONLY | O_CREAT | O_TRUNC | neitherLinkNorPipe) as unknown as string; // its type omits numbers
      await writeFile(path, `${this.#author} ${randomToken(entropy, idBytes)}`, { mode: 0o600, flag });
    } catch (error) {
      logger.warn({ code: codeOf(error) }, 'other processes could not be notified of the new credential');
    }
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPoll();
    this.#watcher?.close();
  }

  // The folder is watched, because the file may not exist yet.
  #watch(): FSWatcher | undefined {
    const { path, logger } = this.#options;
    const file = basename(path);
    const warn = (error: unknown) =>
      logger.warn({ code: codeOf(error), pollMs }, 'the credential cannot be watched for changes; it is polled');
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_, name) => {
        if (name === null || name === file) void this.#check();
      });
      return watcher.on('error', warn);
    } catch (error) {
      warn(error);
      return undefined;
    }
  }

  #schedulePoll(): void {
    this.#cancelPoll = this.#options.clock.schedule(pollMs, () => {
      this.#schedulePoll();
      return this.#check();
    });
  }

  async #check(): Promise<void> {
    const found = await read(this.#options.path);
    // The file is empty while it is being written.
    if (this.#isClosed || !found || found === this.#latest || found.startsWith(this.#author)) return;
    this.#latest = found;
    this.#options.onChange();
  }
}

function read(path: string): Promise<string | undefined> {
  return readFile(path, { encoding: 'utf8', flag: O_RDONLY | neitherLinkNorPipe }).catch(() => undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
