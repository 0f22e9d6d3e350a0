import { Writable } from 'node:stream';
import type { Clock } from '../wire/clock/ports.ts';
import { CommandFailure } from './command-line.ts';

/** Somewhere to write. */
export interface Output {
  write(text: string): unknown;
  /** Nothing can be written any more. Absent: that does not happen. */
  once?(event: 'error', listener: () => void): unknown;
  /** A screen, on which a line can be written over. */
  readonly isTTY?: boolean;
  /** Absent or false: text stays plain. */
  hasColors?(): boolean;
}

/** The environment of a command: its output, its arguments and its prompts. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absent: the system's. */
  readonly clock?: Clock;
  /** Prompts for a secret without echo; undefined if there is no terminal. */
  askHidden(question: string): Promise<string | undefined>;
  /** Asks a yes/no question; undefined if there is no terminal. Anything but yes is no. */
  askWhether(question: string): Promise<boolean | undefined>;
}

export const systemTerminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  askHidden,
  askWhether,
};

/** Prompts for a secret without echo; undefined if there is no terminal. The prompt goes to stderr. */
async function askHidden(question: string): Promise<string | undefined> {
  if (!isAttended()) return undefined;
  const typed = ask(silent(), terminal => {
    // Only now, because from here on the terminal itself echoes nothing.
    process.stderr.write(question);
    return terminal.question('');
  });
  return typed.finally(() => process.stderr.write('\n'));
}

/** Asks a yes/no question; undefined if there is no terminal. Anything but yes is no. */
async function askWhether(question: string): Promise<boolean | undefined> {
  if (!isAttended()) return undefined;
  const typed = await ask(process.stderr, terminal => terminal.question(`${question} [y/N] `));
  return /^y(es)?$/i.test(typed.trim());
}

function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

type Lines = import('node:readline/promises').Interface;

async function ask(echo: Writable, question: (terminal: Lines) => Promise<string>): Promise<string> {
  // Loaded this late because only who is asked needs it.
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true });
  const givenUp = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new CommandFailure('Given up.')));
  });
  try {
    return await Promise.race([question(terminal), givenUp]);
  } finally {
    terminal.close();
  }
}

/** Takes what is typed and shows none of it. */
function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
