import type { LimitProfile } from '../../model/limits/limit-profiles.ts';

/** `GET /control/status`: what runs, with which settings, and what is wrong with it now. */
export interface ControlStatus {
  /** Of the package. */
  readonly version: string;
  /** Of Node.js, with the `v`. */
  readonly runtime: string;
  readonly pid: number;
  /** On the machine's clock, in milliseconds since the Unix epoch. */
  readonly started_at_ms: number;
  readonly uptime_ms: number;
  readonly clock: ControlClock;
  readonly store: { readonly engine: string; readonly is_durable: boolean };
  readonly bus: { readonly engine: string };
  readonly limits: LimitProfile;
  readonly sign_in: 'developer' | 'password';
  readonly addresses: ControlAddresses;
  readonly counts: ControlCounts;
  readonly features: ControlFeatures;
  /** Null for a service on its own. */
  readonly cluster: ControlCluster | null;
  /** The worst first; empty when nothing is wrong. */
  readonly problems: readonly ControlProblem[];
}

export interface ControlClock {
  readonly kind: 'system' | 'virtual';
  /** The service's time, in milliseconds since the Unix epoch. */
  readonly now_ms: number;
}

export interface ControlAddresses {
  readonly web_base: string;
  readonly api_base: string;
  readonly gateway: string;
  readonly control_base: string;
}

/** A number of things. Large collections are counted up to a bound only. */
export interface ControlCount {
  readonly count: number;
  /** There are more than `count`. */
  readonly is_more: boolean;
}

export interface ControlCounts {
  readonly applications: ControlCount;
  readonly users: ControlCount;
  readonly guilds: ControlCount;
  readonly lobbies: ControlCount;
  readonly commands: ControlCount;
  /** Of this node. */
  readonly sessions: ControlCount;
  /** Gateway connections of this node. */
  readonly connections: ControlCount;
}

export interface ControlFeatures {
  readonly virtual_clock: boolean;
  readonly cluster: boolean;
  readonly voice: boolean;
  /** Whether traffic is recorded, which it is while the console is on. */
  readonly traffic: boolean;
  /** Since when, on the service's clock: from the start with `--console`, otherwise from the console's first use. */
  readonly traffic_since_ms: number | null;
}

export interface ControlCluster {
  /** The node that answered. Traffic, metrics, sessions and the stream are this node's own. */
  readonly node: string;
  readonly nodes: readonly ControlNode[];
}

export interface ControlNode {
  readonly id: string;
  readonly is_self: boolean;
  /** Its own address, by which the other nodes reach it; null when it is not known. */
  readonly address: string | null;
  readonly state: 'alive' | 'departed';
}

/** Something that is wrong now, in words. */
export interface ControlProblem {
  readonly severity: 'error' | 'warning' | 'notice';
  /** Stable, for programs: `store_unavailable`, `webhooks_failing`, `faults_armed` … */
  readonly code: string;
  /** A sentence or two: what is wrong and what to do. */
  readonly message: string;
  /** The console's view that shows more: `#/traffic?status=5xx`; null: none does. */
  readonly link: string | null;
}
