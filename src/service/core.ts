import type { LimitProfile } from '../model/limits/limit-profiles.ts';
import type { Clock, Entropy, Fetch, Logger } from '../wire/clock/ports.ts';
import type { Bus } from './bus/contract.ts';
import type { Store } from './store/contract.ts';
import type { SnowflakeSource } from './support/ids.ts';
import type { Journal } from './support/journal.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** Where the service is reached, as its clients are told. */
export interface Addresses {
  /** `http://host:port`, no slash at the end. */
  readonly web: string;
  /** `http://host:port/api` */
  readonly api: string;
  /** `ws://host:port/gateway` */
  readonly gateway: string;
}

/** What every room of the service stands on. Handed in at the start, the same for all. */
export interface Core {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /**
   * Asks servers whose addresses may come from anybody, those of applications and of identity providers: where others reach
   * the service, it leads to no private address (PrivateAddressError).
   */
  readonly fetch: Fetch;
  /** Asks servers that the operator alone names: offices that know tickets. */
  readonly operatorFetch: Fetch;
  readonly log: Logger;
  readonly store: Store;
  readonly bus: Bus;
  readonly limits: LimitProfile;
  readonly ids: SnowflakeSource;
  readonly journal: Journal;
  readonly metrics: Metrics;
  /** Absent unless OpenTelemetry was registered in this process. */
  readonly tracing?: Tracing | undefined;
  /** Known once the service listens; not to be read before. */
  readonly addresses: Addresses;
}
