/** Upper bounds in seconds, for durations from a fraction of a millisecond to some seconds. */
const secondsBounds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const batchBounds: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Counts the answers of one route. */
export class RouteMeter {
  readonly method: string;
  /** The template of its path. */
  readonly route: string;
  readonly seconds = new Histogram(secondsBounds);
  readonly statuses = new Map<number, number>();

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.seconds.add(ms / 1000);
  }
}

/** The kinds of requests to servers outside. */
export type OutboundKind = 'webhook_event' | 'interaction' | 'endpoint_probe' | 'identity_provider';

/** Reasons for a rejection other than rate limits. */
export type IntakeLimit =
  /** A connection beyond the bounds for connections without a valid credential. */
  | 'connections'
  /** A request without a valid credential from a blocked address. */
  | 'blocked_address'
  /** A body that was dropped to make room for others. */
  | 'held_bytes'
  /** A gateway connection without Identify that was closed to make room for others. */
  | 'unidentified';

/** Current values by the name of their metric, read when metrics are rendered. */
export interface Gauges {
  readonly connections: number;
  readonly sessionsConnected: number;
  readonly sessionsResumable: number;
  readonly backlogBytes: number;
  readonly eventLogBytes: number;
  readonly eventLogEntries: number;
  readonly waitingWebhookBytes: number;
  readonly blockedAddresses: number;
  readonly strangerBodyBytes: number;
  readonly callerBodyBytes: number;
  readonly isReady: boolean;
  readonly clockMs: number;
}

/** What a node of a cluster knows of itself. */
export interface NodeGauges {
  readonly id: string;
  readonly worker: () => number;
  readonly engines: Readonly<Record<'postgres' | 'redis', () => boolean>>;
  readonly behindSeconds: () => number;
  readonly eventsRead: () => number;
}

/** Functions that return the values of gauges. */
export type GaugeSources = { readonly [Name in keyof Gauges]?: () => Gauges[Name] };

/**
 * The service's counters. While requests are served there is only counting; names, help and text are made when metrics are rendered
 * (exposition.ts).
 */
export class Metrics {
  readonly #routes = new Map<string, RouteMeter>();
  readonly #gauges: { [Name in keyof Gauges]?: () => Gauges[Name] } = {};
  /** By scope: `user`, `global`, `shared`. */
  readonly rateLimited = new Tally();
  readonly intakeLimited = new Tally();
  /** Events that were announced to sessions of this process, by name. */
  readonly events = new Tally();
  /** Dispatches that were sent to connections. */
  dispatches = 0;
  /** Gateway sessions that this node took over from another one. */
  takeovers = 0;
  readonly commits = new Tally();
  readonly commitSeconds = new Histogram(secondsBounds);
  readonly commitTransactions = new Histogram(batchBounds);
  /** By kind, then by outcome. */
  readonly outbound = new Map<OutboundKind, OutboundMeter>();
  /** Set for a node of a cluster. */
  node: NodeGauges | undefined;

  /** The meter of a route, created once for each. */
  route(method: string, route: string): RouteMeter {
    const name = `${method} ${route}`;
    const known = this.#routes.get(name);
    if (known) return known;
    const meter = new RouteMeter(method, route);
    this.#routes.set(name, meter);
    return meter;
  }

  get routes(): Iterable<RouteMeter> {
    return this.#routes.values();
  }

  limited(limit: IntakeLimit): void {
    this.intakeLimited.add(limit);
  }

  /** @param transactions how many share the commit */
  committed(transactions: number, ms: number, hasFailed: boolean): void {
    this.commits.add(hasFailed ? 'failure' : 'success');
    this.commitSeconds.add(ms / 1000);
    this.commitTransactions.add(transactions);
  }

  /** @param isSuccess whether the server accepted the request */
  delivered(kind: OutboundKind, isSuccess: boolean, ms: number): void {
    const meter = this.outbound.get(kind) ?? { success: 0, failure: 0, seconds: new Histogram(secondsBounds) };
    this.outbound.set(kind, meter);
    meter[isSuccess ? 'success' : 'failure']++;
    meter.seconds.add(ms / 1000);
  }

  /** Registers functions that return the values of gauges. */
  watch(sources: GaugeSources): void {
    Object.assign(this.#gauges, sources);
  }

  /** The value of a gauge; 0 if no function is registered. */
  gauge(name: keyof Gauges): number {
    return Number(this.#gauges[name]?.() ?? 0);
  }
}

interface OutboundMeter {
  success: number;
  failure: number;
  readonly seconds: Histogram;
}

/** A histogram with upper bounds, as in Prometheus. */
export class Histogram {
  /** In ascending order. A value that equals a bound counts as below it. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket, not cumulative; the last bucket is for values above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}

/** Counts by label. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(label: string, count = 1): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + count);
  }

  get entries(): Iterable<readonly [label: string, count: number]> {
    return this.#counts;
  }
}
