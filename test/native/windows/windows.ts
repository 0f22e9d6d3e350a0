import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { runtimes } from '../../../scripts/install-runtimes.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { type Needs, needs } from '../../support/runs/parts.ts';
import { root } from '../built.ts';

const run = promisify(execFile);
const { executable } = runtimes['win32-x64'];
const inside = join(import.meta.dirname, 'inside');

/** Where the files for Windows are built. */
export const built: string = join(root, 'dist', 'native', 'win32-x64');

/** Windows is tried by Wine, on Linux. */
export const windowsNeeds: Needs = await needs('linux', 'wine', 'all-native-files', 'windows-node');

/** A path of this machine, as programs of Windows name it under Wine. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

const installAttemptsMax = 3;
/** Now and then a process of Node stands still under Wine for good, as it starts or later. */
const agentAttemptsMax = 3;
const agentStartMs = 30_000;

/** A Windows of its own, by Wine, in a temporary folder, with a process of Node in it that calls functions. */
export class Windows {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #agent: ChildProcess | undefined;
  #socket: Socket | undefined;
  #calls = 0;

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.#folder = folder;
    const { PATH = '', HOME = folder.path } = process.env;
    this.#environment = {
      ...{ PATH, HOME, LC_ALL: 'C.UTF-8', WINEPREFIX: join(folder.path, 'prefix'), WINEDEBUG: '-all' },
      // No windows, and no installation of optional parts.
      ...{ DISPLAY: '', WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=' },
      ...{ NODE_SKIP_PLATFORM_CHECK: '1', NODE_NO_WARNINGS: '1', RALLYPOINT_NATIVE: windowsPath(built) },
    };
  }

  static async start(): Promise<Windows> {
    const windows = new Windows(await temporaryFolder());
    await windows.#install();
    await windows.#startAgent();
    return windows;
  }

  /** A new folder of this Windows, as a path of this machine. */
  get folder(): string {
    return this.#folder.path;
  }

  /** Runs a program of this machine for this Windows. */
  async run(command: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    return run(command, args, { env: this.#environment, cwd: this.folder });
  }

  /** Calls a function of a module in `inside/`. */
  async call<Value>(module: string, name: string, ...args: readonly unknown[]): Promise<Value> {
    const id = this.#calls++;
    const answered = Promise.withResolvers<unknown>();
    this.#pending.set(id, answered);
    const file = windowsPath(join(inside, `${module}.ts`));
    this.#socket?.write(`${JSON.stringify({ id, file, name, args })}\n`);
    return (await answered.promise) as Value;
  }

  async close(): Promise<void> {
    await this.#endAgent();
    await this.#folder.remove();
  }

  /** Ends all programs of this Windows, and starts the process that calls functions anew. */
  async restart(): Promise<void> {
    await this.#endAgent();
    await this.#startAgent();
  }

  async #endAgent(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    const ended = agent && agent.exitCode === null && agent.signalCode === null && once(agent, 'exit');
    this.#socket?.destroy();
    // Ends what is left of this Windows, and waits until it has.
    await this.run('wineserver', '--kill').catch(() => {});
    await ended;
  }

  /** Now and then Wine leaves a new prefix without its system's files; then another one is made. */
  async #install(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.run('wine', 'wineboot', '-i');
        await this.run('wine', 'cmd', '/c', 'exit', '0');
        return;
      } catch (error) {
        if (attempt === installAttemptsMax) throw error;
        await this.run('wineserver', '--kill').catch(() => {});
        await rm(join(this.folder, 'prefix'), { recursive: true, force: true });
      }
    }
  }

  async #startAgent(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#tryAgent();
      } catch (error) {
        if (attempt === agentAttemptsMax) throw error;
        await this.#endAgent();
      }
    }
  }

  async #tryAgent(): Promise<void> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Under another name than Node's: the addon is for whichever program loads it.
    const program = join(this.folder, 'Starfall.exe');
    copyFileSync(executable, program);
    this.#agent = spawn('wine', [program, windowsPath(join(inside, 'agent.ts')), String(port)], {
      env: this.#environment,
      cwd: this.folder,
      stdio: 'ignore',
    });
    const gone = once(this.#agent, 'exit').then(([code]) =>
      Promise.reject(new Error(`Node on Windows ended: ${code}`)),
    );
    gone.catch(error => {
      for (const { reject } of this.#pending.values()) reject(error);
    });
    const signal = AbortSignal.timeout(agentStartMs);
    const connected = once(server, 'connection', { signal }) as Promise<[Socket]>;
    const [socket] = await Promise.race([connected, gone]).finally(() => server.close());
    this.#socket = socket;
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', line => this.#answered(JSON.parse(line)));
  }

  #answered({ id, value, error }: { id: number; value?: unknown; error?: string }): void {
    const answered = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) answered?.resolve(value);
    else answered?.reject(new Error(`On Windows: ${error}`));
  }
}
