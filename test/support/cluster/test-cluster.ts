import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Fixtures, type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { type PostgresServer, startPostgres } from '../engines/postgres.ts';
import { type RedisServer, startRedis } from '../engines/redis.ts';
import { type RunningService, readReadyLine } from '../service/ready-line.ts';

const program = resolve(import.meta.dirname, '../../../src/cli/main.ts');

/** Nodes on a private PostgreSQL and a private Redis. */
export class TestCluster {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly engines: { readonly store: string; readonly bus: string };
  readonly nodes: Service[] = [];
  readonly #processes: NodeProcess[] = [];
  readonly #options: ServiceOptions;

  private constructor(postgres: PostgresServer, redis: RedisServer, store: string, options: ServiceOptions) {
    this.postgres = postgres;
    this.redis = redis;
    this.engines = { store, bus: redis.url(1) };
    this.#options = options;
  }

  /** Starts the nodes, all at once, in this process. */
  static async start(count: number, options: ServiceOptions = {}): Promise<TestCluster> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const cluster = new TestCluster(postgres, redis, await postgres.createDatabase(), options);
    await Promise.all(Array.from({ length: count }, () => cluster.add()));
    return cluster;
  }

  /** The node at a place; every cluster of a test has it. */
  node(at: number): Service {
    const node = this.nodes[at];
    if (!node) throw new Error(`There is no node ${at}.`);
    return node;
  }

  async add(options: ServiceOptions = {}): Promise<Service> {
    const node = await startService({ ...this.#options, ...this.engines, ...options });
    this.nodes.push(node);
    return node;
  }

  /** Starts a node as a process of its own. */
  async spawn(fixtures: Fixtures, ...args: string[]): Promise<NodeProcess> {
    const node = await NodeProcess.start(this.engines, fixtures, args);
    this.#processes.push(node);
    return node;
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map(node => node.end('SIGKILL')));
    await Promise.all(this.nodes.map(node => node.close()));
    await Promise.all([this.postgres.remove(), this.redis.remove()]);
  }
}

/** `rallypoint serve` on the engines of a cluster. */
export class NodeProcess {
  readonly ready: RunningService;
  readonly #child: ChildProcess;

  private constructor(ready: RunningService, child: ChildProcess) {
    this.ready = ready;
    this.#child = child;
  }

  static async start(
    engines: TestCluster['engines'],
    fixtures: Fixtures,
    args: readonly string[],
  ): Promise<NodeProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-node-'));
    const path = join(folder, 'fixtures.json');
    writeFileSync(path, JSON.stringify(fixtures));
    const given = ['--port', '0', '--fixtures', path, '--limits', 'off', '--log-level', 'silent', ...args];
    const child = spawn(process.execPath, [program, 'serve', ...given], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, RALLYPOINT_STORE: engines.store, RALLYPOINT_BUS: engines.bus },
    });
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => {
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    });
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('\n')) break;
    }
    return new NodeProcess(readReadyLine(text), child);
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  proceed(): void {
    this.#child.kill('SIGCONT');
  }

  /** Resolves with the exit code when it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code] = await exited;
    return code;
  }
}
