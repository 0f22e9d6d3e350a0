import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import type { ProcessLockKind } from '../../../src/sdk/index.ts';

/** How a {@link credential-process} is started: as JSON, its first argument. */
export interface CredentialProcessOptions {
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly folder: string;
  readonly lock: ProcessLockKind;
}

/**
 * Where a process that refreshes is killed: when it has noted that it will, when the service has answered, when it has
 * kept the answer.
 */
export const deaths = ['noted', 'answered', 'kept'] as const;
export type Death = (typeof deaths)[number];

/** The request to a process: get a token other than this one, and die at the given point if it is reached. */
export interface Round {
  readonly refused: string;
  readonly diesWhen?: Death | undefined;
}

/** What it answers: the token, or why there is none. */
export type RoundResult = { readonly token: string } | { readonly code: string };

const root = join(import.meta.dirname, '../../..');

/** Where this checkout's addon is built. */
export const native = join(root, 'dist/native', `${process.platform}-${process.arch}`);

// A process that is not killed at a point is killed this much after the start of a round, at the latest.
const killedMsMax = 100;

/**
 * Puts the program into one file: twenty processes that each read a hundred would take longer than all they do.
 *
 * @returns its path
 */
export async function buildProgram(folder: string): Promise<string> {
  const outfile = join(folder, 'credential-process.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'credential-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['keytar', '@napi-rs/keyring', 'electron'],
    logLevel: 'error',
  });
  return outfile;
}

/** A number from 0 (included) to 1 (excluded); the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The processes of one game, of which some are killed at any time. */
export class Crowd {
  readonly #program: string;
  readonly #size: number;
  readonly #options: CredentialProcessOptions;
  readonly #random: () => number;
  readonly #living = new Set<ChildProcess>();

  constructor(program: string, size: number, options: CredentialProcessOptions, seed: number) {
    this.#program = program;
    this.#size = size;
    this.#options = options;
    this.#random = seeded(seed);
  }

  /** Starts as many as are missing, so many at a time. */
  async fill(atATime = this.#size): Promise<void> {
    for (let missing = this.#size - this.#living.size; missing > 0; missing -= atATime) {
      await Promise.all(Array.from({ length: Math.min(atATime, missing) }, () => this.#start()));
    }
  }

  /**
   * All refresh concurrently. Most of them die at a given point if they reach it; some are killed at any time.
   *
   * @returns what those that lived to tell say
   */
  async refresh(refused: string, diesWhen: Death): Promise<RoundResult[]> {
    const results = [...this.#living].map(child => {
      const killedMs = this.#random() < 0.1 ? this.#random() * killedMsMax : undefined;
      return this.#play(child, this.#random() < 0.7 ? { refused, diesWhen } : { refused }, killedMs);
    });
    return (await Promise.all(results)).filter(result => result !== undefined);
  }

  async close(): Promise<void> {
    const gone = [...this.#living].map(child => once(child, 'exit'));
    for (const child of this.#living) child.kill('SIGKILL');
    await Promise.all(gone);
  }

  async #start(): Promise<void> {
    const child = fork(this.#program, [JSON.stringify(this.#options)], {
      execArgv: [],
      env: { ...process.env, RALLYPOINT_NATIVE: native, NODE_COMPILE_CACHE: dirname(this.#program) },
    });
    this.#living.add(child);
    child.once('exit', () => this.#living.delete(child));
    await once(child, 'message');
  }

  async #play(child: ChildProcess, round: Round, killedMs: number | undefined): Promise<RoundResult | undefined> {
    const answered = once(child, 'message').then(([result]) => result as RoundResult);
    const died = once(child, 'exit').then(() => undefined);
    if (killedMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killedMs);
    child.send(round);
    const result = await Promise.race([answered, died]);
    if (killedMs !== undefined) await died;
    return result;
  }
}
