import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { ControlMetrics } from '../../wire/control/metrics.ts';
import type { Core } from '../core.ts';
import { consoleLimits } from '../support/service-limits.ts';
import type { Tally } from '../telemetry/metrics.ts';

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

const everyMs = 1000;
/** How long samples are taken after the last reader has gone, so that a page that is loaded again shows no gap. */
const lingerMs = 60_000;

interface Totals {
  readonly requests: number;
  readonly seconds: number;
  readonly rejections: number;
  readonly rateLimits: number;
  readonly errors: number;
  readonly events: number;
  readonly dispatches: number;
  readonly deliveries: number;
  readonly failedDeliveries: number;
  readonly commits: number;
  readonly cpuMs: number;
  readonly atMs: number;
}

/** Takes a sample of the service every second while somebody reads them. */
export class Sampler {
  readonly #core: Core;
  readonly #listeners = new Set<(sample: ControlMetrics) => void>();
  readonly samples: ControlMetrics[] = [];
  #timer: NodeJS.Timeout | undefined;
  #delay: IntervalHistogram | undefined;
  #before: Totals | undefined;
  #unreadSinceMs = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Calls `listener` with every sample. @returns ends that */
  listen(listener: (sample: ControlMetrics) => void): () => void {
    this.#listeners.add(listener);
    this.#start();
    return () => {
      this.#listeners.delete(listener);
      this.#unreadSinceMs = performance.now();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay?.disable();
    this.#timer = undefined;
  }

  #start(): void {
    if (this.#timer) return;
    this.#before = totalsOf(this.#core);
    this.#delay = monitorEventLoopDelay({ resolution: 10 });
    this.#delay.enable();
    this.#timer = setInterval(() => this.#sample(), everyMs);
    this.#timer.unref();
  }

  #sample(): void {
    if (this.#listeners.size === 0 && performance.now() - this.#unreadSinceMs > lingerMs) {
      this.close();
      return;
    }
    const now = totalsOf(this.#core);
    const before = this.#before ?? now;
    this.#before = now;
    const memory = residentMemory() ?? this.samples.at(-1)?.memory_bytes ?? 0;
    const sample = sampleOf(this.#core, before, now, this.#delay, memory);
    this.#delay?.reset();
    this.samples.push(sample);
    if (this.samples.length > consoleLimits.samplesMax) this.samples.shift();
    for (const listener of this.#listeners) listener(sample);
  }
}

function totalsOf({ metrics }: Core): Totals {
  let requests = 0;
  let seconds = 0;
  let rejections = 0;
  let rateLimits = 0;
  let errors = 0;
  for (const meter of metrics.routes) {
    // The console's own requests would hide those of others.
    if (meter.route.startsWith('/control') || meter.route.startsWith('/console')) continue;
    seconds += meter.seconds.sum;
    for (const [status, count] of meter.statuses) {
      requests += count;
      if (status >= 500) errors += count;
      else if (status === 429) rateLimits += count;
      else if (status >= 400) rejections += count;
    }
  }
  let deliveries = 0;
  let failedDeliveries = 0;
  for (const { success, failure } of metrics.outbound.values()) {
    deliveries += success + failure;
    failedDeliveries += failure;
  }
  const { user, system } = process.cpuUsage();
  return {
    ...{ requests, seconds, rejections, rateLimits, errors, deliveries, failedDeliveries },
    events: sumOf(metrics.events),
    dispatches: metrics.dispatches,
    commits: sumOf(metrics.commits),
    cpuMs: (user + system) / 1000,
    atMs: performance.now(),
  };
}

function sumOf({ entries }: Tally): number {
  let sum = 0;
  for (const [, count] of entries) sum += count;
  return sum;
}

const nanosecondsPerMs = 1e6;

function sampleOf(
  core: Core,
  before: Totals,
  now: Totals,
  delay: IntervalHistogram | undefined,
  memory: number,
): ControlMetrics {
  const ms = Math.max(1, now.atMs - before.atMs);
  const rate = (name: keyof Totals) => rounded(((now[name] - before[name]) * 1000) / ms);
  const requests = now.requests - before.requests;
  const { metrics } = core;
  // The histogram measures the whole pause between two of its timers, which is 10 ms where nothing is late.
  const late = (nanoseconds: number | undefined) =>
    rounded(Math.max(0, (Number.isFinite(nanoseconds) ? Number(nanoseconds) : 0) / nanosecondsPerMs - 10));
  return {
    taken_at_ms: Date.now(),
    now_ms: core.clock.now(),
    requests_per_second: rate('requests'),
    rejections_per_second: rate('rejections'),
    rate_limits_per_second: rate('rateLimits'),
    errors_per_second: rate('errors'),
    events_per_second: rate('events'),
    dispatches_per_second: rate('dispatches'),
    deliveries_per_second: rate('deliveries'),
    failed_deliveries_per_second: rate('failedDeliveries'),
    commits_per_second: rate('commits'),
    request_ms: requests > 0 ? rounded(((now.seconds - before.seconds) * 1000) / requests) : 0,
    loop_delay_ms: { p50: late(delay?.percentile(50)), p99: late(delay?.percentile(99)), max: late(delay?.max) },
    cpu: rounded((now.cpuMs - before.cpuMs) / ms),
    memory_bytes: memory,
    heap_bytes: getHeapStatistics().used_heap_size,
    connections: metrics.gauge('connections'),
    sessions_connected: metrics.gauge('sessionsConnected'),
    sessions_resumable: metrics.gauge('sessionsResumable'),
    backlog_bytes: metrics.gauge('backlogBytes'),
  };
}

function rounded(number: number): number {
  return Math.round(number * 1000) / 1000;
}

/**
 * Resident memory of the process, in bytes; undefined while it cannot be read, because Node.js opens a file for it: at a
 * moment when too many are open.
 */
function residentMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}
