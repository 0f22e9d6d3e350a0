import { Writable } from 'node:stream';
import { CommandFailure } from './command-line.ts';

/** Asks for a secret that is not shown; undefined where nobody sits at a terminal. The question goes to stderr. */
export async function askHidden(question: string): Promise<string | undefined> {
  if (!isAttended()) return undefined;
  const typed = ask(silent(), terminal => {
    // Only now, because from here on the terminal itself echoes nothing.
    process.stderr.write(question);
    return terminal.question('');
  });
  return typed.finally(() => process.stderr.write('\n'));
}

/** Asks a question of yes or no; undefined where nobody sits at a terminal. Anything but yes is no. */
export async function askWhether(question: string): Promise<boolean | undefined> {
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
