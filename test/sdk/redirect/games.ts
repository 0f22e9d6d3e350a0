import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';

export const scheme = 'discord-1';

export function addressFor(state: string): string {
  return `${scheme}:/authorize/callback?code=c&state=${state}`;
}

/** A folder of the test's own, with a short path, as sockets need. */
export function shortFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rp-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function socketIn(folder: string): string {
  return join(folder, `${scheme}.sock`);
}

type Told = Readonly<Record<string, unknown>>;

/** A game in a process of its own. */
export interface Game {
  readonly child: ChildProcess;
  /** Resolves with the first document of that event that no call has returned yet. */
  next(event: string): Promise<Told>;
  /** Sends a line, and resolves when it was done. */
  tell(line: string): Promise<void>;
}

/** As whom, and with what beside the environment of the test. */
interface As {
  readonly uid?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

const gameProgram = join(import.meta.dirname, 'game.ts');

/** Node.js and the game as one file, in a folder that every user may enter: the checkout may lie in one that only root may. */
function programForAnybody(): readonly [node: string, program: string] {
  const folder = shortFolder();
  chmodSync(folder, 0o755);
  const [node, program] = [join(folder, 'node'), join(folder, 'game.mjs')];
  copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
  buildSync({
    entryPoints: [gameProgram],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  for (const file of [node, program]) chmodSync(file, 0o755);
  return [node, program];
}

/** Starts one and leaves it running until the test ends. */
export function startGame(folder: string, argv: readonly string[] = [], { uid, environment = {} }: As = {}): Game {
  const { SUDO_UID: _sudo, XDG_RUNTIME_DIR: _runtime, ...inherited } = process.env;
  const [node, program] = uid === undefined ? [process.execPath, gameProgram] : programForAnybody();
  const child = spawn(node, [program, folder, ...argv], {
    env: { ...inherited, ...environment },
    ...(uid !== undefined && { uid, gid: uid }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: Told[] = [];
  const waiting: { event: string; resolve(document: Told): void }[] = [];
  const ended = new Promise<never>((_resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`The game has ended with ${code ?? signal}.`)));
  });
  ended.catch(() => {}); // Whoever waits for an event hears of it.
  createInterface(child.stdout).on('line', line => {
    const document = JSON.parse(line) as Told;
    const index = waiting.findIndex(({ event }) => event === document.event);
    if (index < 0) told.push(document);
    else waiting.splice(index, 1)[0]?.resolve(document);
  });
  const next = (event: string) => {
    const index = told.findIndex(document => document.event === event);
    const [document] = index < 0 ? [] : told.splice(index, 1);
    if (document) return Promise.resolve(document);
    return Promise.race([ended, new Promise<Told>(resolve => waiting.push({ event, resolve }))]);
  };
  return {
    child,
    next,
    async tell(line) {
      child.stdin.write(`${line}\n`);
      await next('done');
    },
  };
}

/** Ends it as a crash does: without a chance to tidy up. */
export async function kill({ child }: Game): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Says something to the socket as the forwarder does, and reads until the other side ends: the answer, or nothing. */
export function visit(path: string, said: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ path }, () => socket.write(said));
    socket.on('data', chunk => {
      answer += chunk;
    });
    socket.on('error', error => (answer === '' ? reject(error) : resolve(answer)));
    socket.on('close', () => resolve(answer));
  });
}

/** Hands over an address as the forwarder does. */
export async function forward(path: string, address: string): Promise<string> {
  return (await visit(path, `${address}\n`)).trimEnd();
}

/** Tries until it gives something: for what other processes do in their own time. */
export async function eventually<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await attempt().catch(() => undefined);
    if (value !== undefined) return value;
    await new Promise(resolve => setImmediate(resolve));
  }
}
