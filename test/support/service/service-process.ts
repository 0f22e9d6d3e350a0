import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Fixtures } from '../../../src/service/index.ts';
import { type RunningService, readReadyLine } from './ready-line.ts';

const program = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** The service as a process of its own, on a data folder; it can be ended, and started again at the same address. */
export class ServiceProcess {
  readonly #folder: string;
  #ready: RunningService | undefined;
  #child: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param folder an empty one */
  static async start(folder: string, fixtures: Fixtures): Promise<ServiceProcess> {
    writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(fixtures));
    const service = new ServiceProcess(folder);
    await service.start();
    return service;
  }

  /** What it said of itself. */
  get ready(): RunningService {
    if (!this.#ready) throw new Error('The service has not been ready yet.');
    return this.#ready;
  }

  async start(): Promise<void> {
    const { port } = this.#ready ? new URL(this.#ready.webBase) : { port: '0' };
    const places = ['--data', join(this.#folder, 'data'), '--fixtures', join(this.#folder, 'fixtures.json')];
    const args = [program, 'serve', '--port', port, ...places, '--limits', 'off', '--log-level', 'warn'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('\n')) break;
    }
    this.#ready = readReadyLine(text);
  }

  /** Resolves when it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
