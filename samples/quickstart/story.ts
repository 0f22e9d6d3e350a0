import { styleText } from 'node:util';

/** Prints the story as it happens: each step with its time, and what to do when one fails. */
export class Story {
  readonly #started = performance.now();
  #step = 0;

  /** A heading between parts of the story. */
  chapter(title: string): void {
    print(`\n${bold(title)}`);
  }

  /**
   * Runs one step and prints how it went.
   *
   * @param what what happens, in plain words
   * @param remedy what a reader can do when it fails
   * @param work resolves with the line that tells the outcome
   */
  async step<T>(what: string, remedy: string, work: () => Promise<T>, outcome: (result: T) => string): Promise<T> {
    this.#step++;
    const started = performance.now();
    try {
      const result = await work();
      const took = `${(performance.now() - started).toFixed(0)} ms`;
      print(`${green('✓')} ${String(this.#step).padStart(2)}  ${what}  ${dim(took)}\n       ${outcome(result)}`);
      return result;
    } catch (error) {
      throw new StepFailed(what, remedy, error);
    }
  }

  /** Seconds since the story began. */
  get elapsedSeconds(): number {
    return (performance.now() - this.#started) / 1000;
  }
}

/** A step that did not work out: what it was, why, and what to do. */
export class StepFailed extends Error {
  readonly remedy: string;

  constructor(what: string, remedy: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StepFailed';
    this.remedy = remedy;
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export const bold = (text: string): string => styleText('bold', text);
export const dim = (text: string): string => styleText('dim', text);
export const green = (text: string): string => styleText('green', text);
export const red = (text: string): string => styleText('red', text);
