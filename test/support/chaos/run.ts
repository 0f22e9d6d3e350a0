import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../engines/postgres.ts';
import { type RedisServer, startRedis } from '../engines/redis.ts';
import { starfall } from '../service/starfall.ts';
import { Balancer } from './balancer.ts';
import {
  checkLimits,
  checkTimers,
  checkWatchers,
  checkWebhooks,
  checkWrites,
  type Disturbance,
  missingWebhooks,
} from './checks.ts';
import { EventHistory } from './event-history.ts';
import { chaosFixtures, Load } from './load.ts';
import { NodePlace } from './node-process.ts';
import { ChaosProxy } from './proxy.ts';
import { Caller, Findings } from './record.ts';
import { describeStep, type Step, schedule } from './schedule.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const nodeCount = 3;
const recoveryMsMax = 15_000;
/** Until what began has ended by its timer, and until nodes have looked for what is due. */
const timersMs = 8000;
const sweepMs = 2500;
const startsMax = 20;
const drainMsMax = 12_000;
/** What a node may gain after its first minute, in MiB. */
const growthMax = 96;
const [app] = starfall.applications;

export interface ChaosOptions {
  readonly seed: number;
  /** How long something is done to the cluster. */
  readonly ms: number;
  /** Of the usual times of the faults and of the rest between them. */
  readonly share?: number;
  readonly tell: (line: string) => void;
  /** Ends the processes at once. */
  readonly signal?: AbortSignal;
}

export interface ChaosReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly schedule: readonly string[];
  /** Where the logs of the nodes are; they are deleted when nothing was violated. */
  readonly logs: string | undefined;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** Runs a cluster under load, does to it what the schedule says, and checks what it promises. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-chaos-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const run = new ChaosRun(options, folder, postgres, redis);
  options.signal?.addEventListener('abort', () => void run.close());
  try {
    return await run.run();
  } finally {
    await run.close();
  }
}

class ChaosRun {
  readonly #options: ChaosOptions;
  readonly #folder: string;
  readonly #postgres: PostgresServer;
  readonly #redis: RedisServer;
  readonly #findings: Findings;
  readonly #schedule: string[] = [];
  readonly #disturbances: Disturbance[] = [];
  readonly #places: NodePlace[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #balancer: Balancer | undefined;
  #load: Load | undefined;
  #receiver: WebhookReceiver | undefined;
  #slowestRecoveryMs = 0;
  #slowestDrainMs = 0;
  #slowestStartMs = 0;

  constructor(options: ChaosOptions, folder: string, postgres: PostgresServer, redis: RedisServer) {
    this.#options = options;
    this.#folder = folder;
    this.#postgres = postgres;
    this.#redis = redis;
    this.#findings = new Findings(line => this.#tell(line));
  }

  async run(): Promise<ChaosReport> {
    const { seed, ms, share } = this.#options;
    const url = await this.#postgres.createDatabase();
    await this.#startNodes(url);
    const history = new EventHistory(url);
    history.start();
    const caller = new Caller(this.#publicUrl, this.#findings);
    const receiver = await WebhookReceiver.start();
    this.#receiver = receiver;
    const load = new Load(seed, caller, this.#findings, receiver.url);
    this.#load = load;
    await load.start(this.#addresses());
    this.#tell(`seed ${seed}: three nodes under load`);
    this.#timers.push(setInterval(() => this.#watchNodes(), 1000));
    this.#timers.push(setInterval(() => this.#tellProgress(history), 10_000));

    const endMs = Date.now() + ms;
    const timersEndMs = endMs - Math.min(ms / 2, timersMs);
    this.#timers.push(setTimeout(() => load.endTimers(), timersEndMs - Date.now()));
    for (const step of schedule(seed, nodeCount, share)) {
      if (Date.now() > endMs) break;
      const said = `${this.#findings.since()} s: ${describeStep(step)}`;
      this.#schedule.push(said);
      this.#tell(said);
      try {
        await this.#strike(step);
        await this.#recover(step.kind);
      } catch (error) {
        this.#findings.violation(`${describeStep(step)}: ${error}`);
        break;
      }
      await wait(step.restMs);
    }
    // What is due ends, at the latest when the nodes have looked once more since everything works.
    await wait(Math.max(timersEndMs + timersMs - Date.now(), sweepMs));
    await load.end();
    for (const id of load.retired.keys()) await load.checkRetired(id);
    await this.#settle(load);
    await this.#awaitWebhooks(load, receiver);
    const events = await history.end();
    for (const watcher of load.watchers) watcher.end();
    await Promise.all(this.#places.map(place => this.#drain(place)));

    const findings = this.#findings;
    checkWrites(load, events, findings);
    const dispatches = checkWatchers(load.watchers, events, findings);
    const repeatedWebhooks = checkWebhooks(receiver.acknowledged, events, findings);
    const timers = checkTimers(load, events, this.#disturbances, findings);
    const limits = checkLimits(load, findings);
    this.#checkLogs();
    const growth = this.#checkMemory();
    const { violations } = findings;
    const figures = {
      seconds: Number(findings.since()),
      faults: this.#schedule.length,
      calls: findings.calls,
      statuses: Object.fromEntries([...findings.statuses].sort()),
      slowestCallMs: findings.slowestCallMs,
      writes: load.writes.length,
      ...load.counts,
      events: events.length,
      dispatches,
      resumes: load.watchers.reduce((sum, { resumes }) => sum + resumes, 0),
      invalidSessions: load.watchers.reduce((sum, { invalidSessions }) => sum + invalidSessions, 0),
      timers,
      limits,
      webhooks: receiver.acknowledged.length,
      repeatedWebhooks,
      slowestRecoveryMs: this.#slowestRecoveryMs,
      slowestDrainMs: this.#slowestDrainMs,
      slowestStartMs: this.#slowestStartMs,
      ...growth,
    };
    const isWell = violations.length === 0;
    if (isWell) rmSync(this.#folder, { recursive: true, force: true });
    else {
      const found = JSON.stringify({ seed, violations, schedule: this.#schedule, figures }, null, 2);
      writeFileSync(join(this.#folder, 'findings.json'), found);
    }
    return { seed, violations, schedule: this.#schedule, logs: isWell ? undefined : this.#folder, figures };
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const watcher of this.#load?.watchers ?? []) watcher.end();
    await Promise.all(this.#places.map(place => place.end('SIGKILL')));
    for (const { postgres, redis } of this.#places) {
      postgres.close();
      redis.close();
    }
    this.#balancer?.close();
    this.#receiver?.close();
    await Promise.all([this.#postgres.remove(), this.#redis.remove()]);
  }

  get #publicUrl(): string {
    return `http://127.0.0.1:${this.#balancer?.port}`;
  }

  /** The balancer, and the control API of a node that runs. */
  #addresses() {
    const node = this.#places.find(({ ready }) => ready)?.ready;
    if (!node) throw new Error('No node runs.');
    return { ...node, apiBase: `${this.#publicUrl}/api`, webBase: this.#publicUrl };
  }

  async #startNodes(url: string): Promise<void> {
    const folder = new URL(url).searchParams.get('host') ?? '';
    const database = new URL(url).pathname.slice(1);
    const socket = new URL(this.#redis.url()).pathname;
    this.#balancer = await Balancer.start();
    const fixtures = join(this.#folder, 'fixtures.json');
    writeFileSync(fixtures, JSON.stringify(chaosFixtures));
    const args = [
      '--fixtures',
      fixtures,
      '--limits',
      'standard',
      '--global-rate',
      '1200',
      '--public-url',
      this.#publicUrl,
      '--allow-private-webhooks',
    ];
    for (let at = 0; at < nodeCount; at++) {
      const [postgres, redis] = await Promise.all([ChaosProxy.to(`${folder}/.s.PGSQL.5432`), ChaosProxy.to(socket)]);
      this.#places.push(new NodePlace(`node-${at}`, postgres, redis, { folder: this.#folder, database, args }));
    }
    await Promise.all(this.#places.map(place => this.#start(place)));
  }

  async #start(place: NodePlace): Promise<void> {
    // A start that lacks an engine ends; supervisors repeat it.
    for (let tries = 1; ; tries++) {
      const startMs = Date.now();
      try {
        await place.start();
        this.#slowestStartMs = Math.max(this.#slowestStartMs, Date.now() - startMs);
        break;
      } catch (error) {
        if (tries === startsMax) throw error;
        await wait(500);
      }
    }
    this.#balancer?.add(place.port);
  }

  async #end(place: NodePlace, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const code = await place.end(signal);
    this.#balancer?.remove(place.port);
    return code;
  }

  async #drain(place: NodePlace): Promise<void> {
    if (!place.ready) return;
    const startMs = Date.now();
    const code = await this.#end(place, 'SIGTERM');
    const ms = Date.now() - startMs;
    this.#slowestDrainMs = Math.max(this.#slowestDrainMs, ms);
    if (code !== 0) this.#findings.violation(`${place.name} was drained and exited with ${code}`);
    if (ms > drainMsMax) this.#findings.violation(`${place.name} took ${ms} ms to drain`);
  }

  /** Does it, and undoes it after its time. */
  async #strike({ kind, node, ms, together }: Step): Promise<void> {
    const place = this.#places[node];
    if (!place) throw new Error(`There is no node ${node}.`);
    const disturbance: Disturbance = {
      what: kind,
      // An engine concerns all nodes.
      isNode: !kind.startsWith('PostgreSQL') && !kind.startsWith('Redis'),
      startMs: Date.now(),
      endMs: Number.POSITIVE_INFINITY,
    };
    this.#disturbances.push(disturbance);
    const undo = await this.#begin(kind, place);
    const over = wait(ms).then(async () => {
      await undo();
      disturbance.endMs = Date.now();
    });
    // One that is over may be what the other waits for: nodes start when the engines are there.
    const isApart = together && !(together.node === node && together.kind.startsWith('node'));
    await Promise.all([over, isApart && this.#strike(together)]);
  }

  /** @returns what undoes it */
  async #begin(kind: Step['kind'], place: NodePlace): Promise<() => unknown> {
    const [postgres, redis] = [this.#postgres, this.#redis];
    switch (kind) {
      case 'node killed':
        await this.#end(place, 'SIGKILL');
        return () => this.#start(place);
      case 'node drained':
        await this.#drain(place);
        return () => this.#start(place);
      case 'node frozen':
      case 'node frozen for long':
        place.signal('SIGSTOP');
        return () => place.signal('SIGCONT');
      case 'PostgreSQL restarted':
        await postgres.stop();
        return () => postgres.start();
      case 'PostgreSQL killed':
        await postgres.kill();
        return () => postgres.start();
      case 'PostgreSQL frozen':
        postgres.freeze();
        return () => postgres.proceed();
      case 'Redis killed':
        await redis.kill();
        return () => redis.start();
      case 'Redis frozen':
        redis.freeze();
        return () => redis.proceed();
      case 'connections to PostgreSQL cut':
        place.postgres.cut();
        return () => place.postgres.cut();
      case 'connections to Redis cut':
        place.redis.cut();
        return () => place.redis.cut();
      case 'connections of clients cut':
        this.#balancer?.cut();
        return () => this.#balancer?.cut();
      case 'link to PostgreSQL frozen':
        place.postgres.freeze();
        return () => place.postgres.proceed();
      case 'link to Redis frozen':
        place.redis.freeze();
        return () => place.redis.proceed();
      case 'packets to PostgreSQL delayed':
        place.postgres.delayMs = 60;
        return () => {
          place.postgres.delayMs = 0;
        };
      case 'packets to Redis delayed':
        place.redis.delayMs = 60;
        return () => {
          place.redis.delayMs = 0;
        };
    }
  }

  /** Waits until everything works at every node. */
  async #recover(kind: string): Promise<void> {
    const startMs = Date.now();
    for (;;) {
      const failing = (await Promise.all(this.#places.map(place => this.#failing(place)))).flat();
      const ms = Date.now() - startMs;
      if (failing.length === 0) {
        this.#slowestRecoveryMs = Math.max(this.#slowestRecoveryMs, ms);
        return;
      }
      if (ms > recoveryMsMax) {
        this.#findings.violation(`${ms} ms after "${kind}" there is still: ${failing.join('; ')}`);
        return;
      }
      await wait(100);
    }
  }

  /** Calls of every kind, at one node. */
  async #failing(place: NodePlace): Promise<string[]> {
    if (!place.ready) return [];
    const { controlBase, controlToken } = place.ready;
    const caller = new Caller(`http://127.0.0.1:${place.port}`, this.#findings);
    const bot = `Bot ${app.bot_token}`;
    const credentials = `Basic ${btoa(`${app.id}:${app.client_secret}`)}`;
    const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' });
    const control = fetch(`${controlBase}/users/${starfall.users[0].id}/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${controlToken}` },
      signal: AbortSignal.timeout(11_000),
    }).then(
      async answer => ({ what: 'control', status: answer.status, body: await answer.text() }),
      () => ({ what: 'control', status: 0, body: '' }),
    );
    const answers = await Promise.all([
      caller.call('GET', '/applications/@me', bot),
      caller.call('POST', '/lobbies', bot, { idle_timeout_seconds: 5 }, { what: 'create for a trial' }),
      caller.call('POST', '/oauth2/token', credentials, form),
      control,
    ]);
    return answers.flatMap(({ what, status, body }) =>
      status >= 200 && status < 300 ? [] : `${place.name} ${what} ${status} ${JSON.stringify(body)?.slice(0, 200)}`,
    );
  }

  /** Waits until the clients have got what there is to get. */
  async #settle(load: Load): Promise<void> {
    for (let n = 0; n < 100 && !load.watchers.every(({ isUp }) => isUp); n++) await wait(100);
    for (const { isUp, name } of load.watchers) {
      if (!isUp) this.#findings.violation(`${name} could not connect again`);
    }
    let last = -1;
    for (let n = 0; n < 20; n++) {
      const count = load.watchers.reduce((sum, { epoch }) => sum + epoch.seen.length, 0);
      if (count === last) return;
      last = count;
      await wait(1000);
    }
  }

  /** Waits until the application's server has acknowledged what was sent: a claim of a node that ended counts for ten seconds. */
  async #awaitWebhooks(load: Load, { acknowledged }: WebhookReceiver): Promise<void> {
    for (let n = 0; n < 300 && missingWebhooks(acknowledged, load) > 0; n++) await wait(100);
  }

  #watchNodes(): void {
    for (const place of this.#places) {
      if (place.hasCrashed) this.#findings.violation(`${place.name} ended by itself`);
      place.sampleMemory();
    }
  }

  #checkLogs(): void {
    const suspicious =
      /unhandled|uncaught|TypeError|ReferenceError|RangeError|AssertionError|"level":60|internal_error/i;
    for (const log of this.#places.flatMap(({ logs }) => logs)) {
      const lines = readFileSync(log, 'utf8')
        .split('\n')
        .filter(line => suspicious.test(line));
      for (const line of lines.slice(0, 3)) this.#findings.violation(`${log}: ${line.slice(0, 600)}`);
    }
  }

  #checkMemory() {
    let mostMiB = 0;
    let growthMiB = 0;
    for (const place of this.#places) {
      for (const samples of place.memory) {
        mostMiB = Math.max(mostMiB, ...samples);
        if (samples.length < 120) continue;
        const early = Math.max(...samples.slice(20, 60));
        const late = Math.min(...samples.slice(-30));
        growthMiB = Math.max(growthMiB, late - early);
        if (late - early > growthMax) {
          this.#findings.violation(`${place.name} grew from ${early} to ${late} MiB in ${samples.length} s`);
        }
      }
    }
    return { mostMiB, growthMiB };
  }

  #tellProgress(history: EventHistory): void {
    const { calls, statuses, violations } = this.#findings;
    const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
    this.#tell(`${calls} calls (${counts}), ${history.size} events, ${violations.length} violations`);
  }

  #tell(line: string): void {
    this.#options.tell(`[${this.#findings?.since() ?? 0} s] ${line}`);
  }
}
