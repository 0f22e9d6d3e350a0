import { askHidden, askWhether } from './prompt.ts';

/** Somewhere to write. */
export interface Output {
  write(text: string): unknown;
  /** A screen, on which a line can be written over. */
  readonly isTTY?: boolean;
  /** Absent or false: text stays plain. */
  hasColors?(): boolean;
}

/** Where a command runs: what it writes to, what it is told, whom it can ask. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks for a secret that is not shown; undefined where nobody can answer. */
  askHidden(question: string): Promise<string | undefined>;
  /** Asks a question of yes or no; undefined where nobody can answer. Anything but yes is no. */
  askWhether(question: string): Promise<boolean | undefined>;
}

export const systemTerminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  askHidden,
  askWhether,
};
