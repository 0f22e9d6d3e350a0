import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
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

/** Now and then Wine's server ends by itself, and the programs of its Windows stand still; or one does for another reason. */
export const wineEnded = 'Wine’s server ended by itself';

const installAttemptsMax = 3;
const agentAttemptsMax = 3;
const agentStartMs = 30_000;
const bootMs = 60_000;

/** A Windows of its own, by Wine, in a temporary folder, with a process of Node in it that calls functions. */
export class Windows {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #server: ChildProcess | undefined;
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
    await this.#end();
    await this.#folder.remove();
  }

  /** Ends all programs of this Windows, and starts the process that calls functions anew. */
  async restart(): Promise<void> {
    await this.#end();
    await this.#startAgent();
  }

  async #end(): Promise<void> {
    const [server, agent] = [this.#server, this.#agent];
    this.#server = undefined;
    this.#agent = undefined;
    this.#socket?.destroy();
    server?.kill();
    await (server && ended(server));
    // What the server has not ended: all of it, if the server had ended before.
    for (const pid of processesIn(this.#prefix)) kill(pid);
    await (agent && ended(agent));
  }

  get #prefix(): string {
    return join(this.folder, 'prefix');
  }

  /** Now and then Wine leaves a new prefix without its system's files; then another one is made. */
  async #install(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#startServer();
        await this.#boot('wineboot', '-i');
        await this.#boot('cmd', '/c', 'exit', '0');
        return;
      } catch (error) {
        if (attempt === installAttemptsMax) throw error;
        await this.#end();
        await rm(this.#prefix, { recursive: true, force: true });
      }
    }
  }

  /** Runs a program whose output nobody reads: the services that it starts keep it open for as long as they run. */
  async #boot(...args: readonly string[]): Promise<void> {
    const child = spawn('wine', args, { env: this.#environment, cwd: this.folder, stdio: 'ignore' });
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(bootMs) });
    if (code !== 0) throw new Error(`Wine could not run ${args[0]}: ${code}`);
  }

  /** The process behind every program of this Windows. Wine would start it by itself, but then nobody would hear that it ended. */
  #startServer(): void {
    mkdirSync(this.#prefix, { recursive: true });
    const server = spawn('wineserver', ['--foreground', '--persistent'], { env: this.#environment, stdio: 'ignore' });
    this.#server = server;
    server.once('exit', (code, signal) => {
      if (this.#server === server) this.#fail(new Error(`${wineEnded}: ${signal ?? code}`));
    });
  }

  /** Nothing that was asked for will be answered. */
  #fail(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #startAgent(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#tryAgent();
      } catch (error) {
        if (attempt === agentAttemptsMax) throw error;
        await this.#end();
      }
    }
  }

  async #tryAgent(): Promise<void> {
    if (!this.#server) this.#startServer();
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
    gone.catch(error => this.#fail(error));
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

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The processes that were started for a Windows, by their environment. */
function processesIn(prefix: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(pid => environmentOf(pid).includes(`WINEPREFIX=${prefix}`));
}

/** Its threads' as well: the first may have ended before the others, and has none any more. */
function environmentOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread => variablesIn(`/proc/${pid}/task/${thread}/environ`));
  } catch {
    return []; // ended meanwhile
  }
}

function variablesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return []; // ended, or another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {} // ended meanwhile
}
