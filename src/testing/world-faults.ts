import type { FaultControl, FaultMatch } from '../service/index.ts';
import type { RouteName } from '../wire/routes.ts';
import { type Duration, millisecondsOf } from './duration.ts';

/** How often a fault strikes: once, unless told otherwise; `'always'`: until {@link WorldFaults.clear}. */
export type Times = number | 'always';

/** What can go wrong, by name. */
export class WorldFaults {
  readonly #faults: FaultControl;
  readonly #applicationId: string;
  readonly #userId: (name: string) => string;

  /** @internal */
  constructor(faults: FaultControl, applicationId: string, userId: (name: string) => string) {
    this.#faults = faults;
    this.#applicationId = applicationId;
    this.#userId = userId;
  }

  /** The service answers these calls late. */
  slow(route: RouteName, by: Duration, times: Times = 1): void {
    this.#faults.add({ kind: 'latency', ms: millisecondsOf(by), match: { route }, count: countOf(times) });
  }

  /** The service answers these calls with an error status, from 400 to 599, and does nothing. */
  fail(route: RouteName, status: number, times: Times = 1): void {
    this.#faults.add({ kind: 'status', status, match: { route }, count: countOf(times) });
  }

  /** The service answers these calls with 429. */
  limit(route: RouteName, retryAfter: Duration, times: Times = 1): void {
    const retry_after_ms = millisecondsOf(retryAfter);
    this.#faults.add({ kind: 'rate_limit', retry_after_ms, match: { route }, count: countOf(times) });
  }

  /** The gateway connection of the user's game breaks. */
  drop(user: string): void {
    this.#faults.add({ kind: 'drop', match: this.#match(user) });
  }

  /** That connection stays open, and nothing arrives any more. */
  freeze(user: string): void {
    this.#faults.add({ kind: 'freeze', match: this.#match(user) });
  }

  /** The session of that connection ends and cannot be resumed. */
  endSession(user: string): void {
    this.#faults.add({ kind: 'invalid_session', match: this.#match(user) });
  }

  /** Disarms all faults. */
  clear(): void {
    this.#faults.clear();
  }

  /** Chat clients, which act for the application's users, are never struck. */
  #match(user: string): FaultMatch {
    return { application_id: this.#applicationId, user_id: this.#userId(user) };
  }
}

function countOf(times: Times): number | null {
  return times === 'always' ? null : times;
}
