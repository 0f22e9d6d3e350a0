import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from './command-line.ts';

/** Asks for a secret that is not shown; undefined where nobody sits at a terminal. The question goes to stderr. */
export async function askHidden(question: string): Promise<string | undefined> {
  return isAttended() ? ask(question, silent()) : undefined;
}

/** Asks a question of yes or no; undefined where nobody sits at a terminal. Anything but yes is no. */
export async function askWhether(question: string): Promise<boolean | undefined> {
  if (!isAttended()) return undefined;
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `, process.stderr)).trim());
}

function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

async function ask(question: string, echo: Writable): Promise<string> {
  process.stderr.write(question);
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true });
  const given = new Promise<never>((_, reject) => {
    terminal.once('SIGINT', () => reject(new CommandFailure('Given up.')));
    terminal.once('close', () => reject(new CommandFailure('Given up.')));
  });
  try {
    return await Promise.race([terminal.question(''), given]);
  } finally {
    terminal.close();
    if (echo !== process.stderr) process.stderr.write('\n');
  }
}

/** Takes what is typed and shows none of it. */
function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
