import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RunningService, readReadyLine } from '../service/ready-line.ts';
import type { ChaosProxy } from './proxy.ts';

const program = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** One place of the cluster: its links to the engines, and the process that runs there, if one does. */
export class NodePlace {
  readonly name: string;
  readonly postgres: ChaosProxy;
  readonly redis: ChaosProxy;
  readonly logs: string[] = [];
  /** Resident memory of its processes, in MiB, each second since the start of each. */
  readonly memory: number[][] = [];
  ready: RunningService | undefined;
  port = 0;
  readonly #options: { readonly folder: string; readonly database: string; readonly args: readonly string[] };
  #child: ChildProcess | undefined;

  constructor(
    name: string,
    postgres: ChaosProxy,
    redis: ChaosProxy,
    options: { readonly folder: string; readonly database: string; readonly args: readonly string[] },
  ) {
    this.name = name;
    this.postgres = postgres;
    this.redis = redis;
    this.#options = options;
  }

  async start(): Promise<void> {
    const { folder, database, args } = this.#options;
    const log = join(folder, `${this.name}-${this.logs.length + 1}.log`);
    this.logs.push(log);
    const file = openSync(log, 'a');
    const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--log-level', 'info', ...args], {
      stdio: ['ignore', 'pipe', file],
      env: {
        ...process.env,
        RALLYPOINT_STORE: `postgres://postgres@127.0.0.1:${this.postgres.port}/${database}`,
        RALLYPOINT_BUS: `redis://127.0.0.1:${this.redis.port}/1`,
      },
    });
    closeSync(file);
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    this.#child = child;
    let text = '';
    for await (const chunk of child.stdout ?? []) {
      text += chunk;
      if (text.includes('\n')) break;
    }
    if (!text.includes('\n')) {
      this.#child = undefined;
      throw new Error(`${this.name} did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
    }
    this.ready = readReadyLine(text);
    this.port = Number(new URL(this.ready.controlBase).port);
    this.memory.push([]);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** @returns its exit code, when it is gone */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    this.#child = undefined;
    this.ready = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    const [code] = await exited;
    return code;
  }

  /** Whether it ended although nobody asked it to. */
  get hasCrashed(): boolean {
    return (
      this.ready !== undefined &&
      this.#child !== undefined &&
      (this.#child.exitCode !== null || this.#child.signalCode !== null)
    );
  }

  sampleMemory(): void {
    if (!this.ready || !this.#child) return;
    try {
      const pages = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)?.[1];
      if (pages !== undefined) this.memory.at(-1)?.push(Math.round(Number(pages) / 1024));
    } catch {
      // It has just ended.
    }
  }
}
