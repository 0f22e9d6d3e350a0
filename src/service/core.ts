import type { LimitProfile } from '../model/limits/limit-profiles.ts';
import type { Clock, Entropy, Fetch, Logger } from '../wire/clock/ports.ts';
import type { Bus } from './bus/contract.ts';
import type { Cluster } from './cluster/contract.ts';
import type { Notices } from './cluster/notices.ts';
import type { Store } from './store/contract.ts';
import type { FileStore } from './store/files.ts';
import type { SnowflakeSource } from './support/ids.ts';
import type { Journal } from './support/journal.ts';
import type { TrafficObserver } from './support/traffic.ts';
import type { Vault } from './support/vault.ts';
import type { Activity } from './telemetry/activity.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** The addresses that the service gives its clients. */
export interface Addresses {
  /** `http://host:port`, no slash at the end. */
  readonly web: string;
  /** `http://host:port/api` */
  readonly api: string;
  /** `ws://host:port/gateway` */
  readonly gateway: string;
}

/** What every part of the service is given when it starts. */
export interface Core {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /**
   * For servers whose addresses others choose: those of applications and identity providers. On a public service it rejects
   * private addresses (PrivateAddressError).
   */
  readonly fetch: Fetch;
  /** For servers whose addresses only the operator chooses: those that verify tickets. */
  readonly operatorFetch: Fetch;
  readonly log: Logger;
  readonly store: Store;
  /** Where the nodes of a cluster keep the files of messages; absent for a service on its own. */
  readonly files?: FileStore | undefined;
  readonly bus: Bus;
  /** The nodes that share the store and the bus; absent for a service on its own. */
  readonly cluster?: Cluster | undefined;
  /** Absent without a cluster. */
  readonly notices?: Notices | undefined;
  readonly limits: LimitProfile;
  readonly ids: SnowflakeSource;
  readonly journal: Journal;
  /** Absent: nobody observes the traffic. */
  readonly traffic?: TrafficObserver | undefined;
  readonly metrics: Metrics;
  /** Records what happens, for the console; absent while that is off. */
  readonly activity?: Activity | undefined;
  /** Absent unless this process has registered OpenTelemetry. */
  readonly tracing?: Tracing | undefined;
  /** Encrypts the private keys in the store; absent without a secret. */
  readonly vault?: Vault | undefined;
  /** @throws Error when read before the service listens */
  readonly addresses: Addresses;
}
