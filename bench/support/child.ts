import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

/** What a server under measurement tells its parent. */
export interface Ready {
  readonly port: number;
  readonly [detail: string]: unknown;
}

/** A server in a process of its own, on the first core where `taskset` exists; this process stays off that core. */
export interface ServerProcess {
  readonly ready: Ready;
  /** CPU microseconds it has used so far, user and system. */
  cpu(): Promise<number>;
  /** Resident bytes, after garbage has been collected. */
  memory(): Promise<number>;
  /** Bytes in use in JavaScript's heap and buffers, after garbage has been collected: without what was merely reserved. */
  heap(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts `bench/support/servers/<name>.ts` with `options`. */
export async function startServer(name: string, options: unknown): Promise<ServerProcess> {
  const script = new URL(`./servers/${name}.ts`, import.meta.url).pathname;
  const node = [process.execPath, '--expose-gc', script];
  const [command = '', ...args] = pinned ? ['taskset', '-c', '0', ...node] : node;
  const child = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit', 'ipc'] });
  // Not by the command line: an answer to repeat may be longer than that can be.
  child.stdin?.end(JSON.stringify(options));
  const ready = (await message(child, 'ready')) as unknown as Ready;
  return {
    ready,
    async cpu() {
      child.send('cpu');
      const { used } = await message(child, 'cpu');
      return used as number;
    },
    async memory() {
      child.send('memory');
      const { resident } = await message(child, 'memory');
      return resident as number;
    },
    async heap() {
      child.send('heap');
      const { inUse } = await message(child, 'heap');
      return inUse as number;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Whether servers have a core to themselves. */
export const pinned: boolean = existsSync('/usr/bin/taskset');

function message(child: ChildProcess, kind: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const listen = (value: unknown) => {
      const told = value as Record<string, unknown>;
      if (told.kind !== kind) return;
      child.off('message', listen);
      child.off('exit', fail);
      resolve(told);
    };
    const fail = () => reject(new Error('A server under measurement ended early.'));
    child.on('message', listen);
    child.once('exit', fail);
  });
}

/** What the parent started this server with. */
export function serverOptions<Options>(): Options {
  return JSON.parse(readFileSync(0, 'utf8')) as Options;
}

/** The server's side of {@link ServerProcess}: says it is ready, answers questions, ends with its parent. */
export function serve(ready: Ready, close: () => Promise<void>): void {
  process.on('message', async question => {
    const { user, system } = process.cpuUsage();
    if (question === 'cpu') process.send?.({ kind: 'cpu', used: user + system });
    if (question !== 'memory' && question !== 'heap') return;
    // Twice: what the first sets free is counted as freed a little later.
    global.gc?.();
    await new Promise(resolve => setTimeout(resolve, 200));
    global.gc?.();
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
    if (question === 'memory') process.send?.({ kind: 'memory', resident: rss });
    else process.send?.({ kind: 'heap', inUse: heapUsed + external + arrayBuffers });
  });
  process.on('disconnect', () => void close().finally(() => process.exit(0)));
  process.send?.({ kind: 'ready', ...ready });
}
