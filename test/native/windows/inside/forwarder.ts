import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { forwarderExitCodes } from '../../../../src/sdk/native/forwarder.ts';
import { kill, startUntil } from './processes.ts';

const binary = join(process.env.RALLYPOINT_NATIVE ?? '', 'rallypoint-forwarder.exe');
const script = (name: string) => join(import.meta.dirname, name);

// More than it ever takes: then it is ended, and its outcome is null.
const hungMs = 10_000;

/** What a game does with an address. */
export type Game = { readonly writes: readonly string[]; readonly stays?: boolean };

export interface HandOver {
  /** Nobody listens when there is none. */
  readonly game?: Game;
  readonly program?: string;
  readonly addresses: readonly string[];
}

export interface HandedOver {
  readonly outcomes: readonly string[];
  readonly received: readonly string[];
  readonly stderr: string;
  readonly stdout: string;
  readonly ms: number;
}

/** Hands over addresses, beside each other, to a game that may listen. */
export async function handOver({ game, program, addresses }: HandOver): Promise<HandedOver> {
  const pipe = `\\\\.\\pipe\\rallypoint-test-${randomUUID()}`;
  const listener = game && (await listenAt(pipe, game));
  const began = performance.now();
  const command = [pipe, program ?? 'C:\\nonexistent\\game.exe'];
  const running: ReturnType<typeof run>[] = [];
  for (const address of addresses) {
    running.push(run([...command, address]));
    // Starting a program takes longer than the forwarder waits for a place; the game here and we are one process.
    await new Promise(resolve => setImmediate(resolve));
  }
  const ended = await Promise.all(running);
  const ms = performance.now() - began;
  listener?.close();
  return {
    outcomes: ended.map(({ outcome }) => outcome),
    received: listener?.received ?? [],
    stderr: ended.map(({ stderr }) => stderr).join(''),
    stdout: ended.map(({ stdout }) => stdout).join(''),
    ms,
  };
}

/** Runs it with whatever arguments. */
export async function run(args: readonly string[]): Promise<{ outcome: string; stdout: string; stderr: string }> {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: hungMs });
  const [stdout = '', stderr = '', [code]] = await Promise.all([
    child.stdout.setEncoding('utf8').reduce((text, part) => text + part, ''),
    child.stderr.setEncoding('utf8').reduce((text, part) => text + part, ''),
    once(child, 'close'),
  ]);
  const outcome = Object.entries(forwarderExitCodes).find(([, value]) => value === code)?.[0] ?? `${code}`;
  return { outcome, stdout, stderr };
}

/** What a game that was started says of its start. */
export async function start(args: readonly string[], address: string): Promise<{ outcome: string; started: unknown }> {
  const report = `\\\\.\\pipe\\rallypoint-report-${randomUUID()}`;
  const listener = await listenAt(report, { writes: [] });
  const pipe = `\\\\.\\pipe\\rallypoint-test-${randomUUID()}`;
  const { outcome } = await run([pipe, process.execPath, script('started-game.ts'), report, ...args, address]);
  const started = JSON.parse(await listener.first);
  listener.close();
  return { outcome, started };
}

/** Delivers to a game that hangs and accepts no connection. */
export async function handOverToHung(address: string): Promise<{ outcome: string; ms: number }> {
  const pipe = `\\\\.\\pipe\\rallypoint-test-${randomUUID()}`;
  const hung = await startUntil(script('hung-listener.ts'), [pipe], line => line === 'hangs');
  const taken: Socket[] = [];
  // As many as its system lets in for it.
  for (let isIn = true; isIn; ) {
    const socket = connect(pipe).on('error', () => {});
    taken.push(socket);
    isIn = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
      new Promise<boolean>(resolve => setTimeout(resolve, 500, false)),
    ]).catch(() => false);
  }
  const began = performance.now();
  const { outcome } = await run([pipe, 'C:\\nonexistent\\game.exe', address]);
  const ms = performance.now() - began;
  for (const socket of taken) socket.destroy();
  await kill(hung);
  return { outcome, ms };
}

async function listenAt(pipe: string, { writes, stays = false }: Game) {
  const received: string[] = [];
  const open = new Set<Socket>();
  const first = Promise.withResolvers<string>();
  const server = createServer(socket => {
    const index = received.push('') - 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text: string) => {
      const before = received[index] ?? '';
      received[index] = before + text;
      if (before.includes('\n') || !text.includes('\n')) return;
      first.resolve(received[index]);
      void answer(socket);
    });
  }).listen(pipe);
  const answer = async (socket: Socket) => {
    for (const text of writes) {
      socket.write(text);
      await new Promise(resolve => setImmediate(resolve));
    }
    if (!stays) socket.end();
  };
  await once(server, 'listening');
  return {
    received,
    first: first.promise,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
