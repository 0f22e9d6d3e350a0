import type { InvalidRequestLimit } from '../../model/limits/limit-profiles.ts';
import { steadyNow } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';
import type { Reply } from './call.ts';
import type { LimitHeaders } from './limiter.ts';

/** An address with rejected requests in the current window, or a blocked address. */
interface RejectedAddress {
  invalid: number;
  /** The end of the window or of the block. */
  endsAtMs: number;
  blocked: boolean;
  /** The length of the last block, 0 if there was none recently, and its end. */
  lastBlockMs: number;
  lastBlockEndMs: number;
}

/**
 * Blocks requests without a valid credential from an address for a while after too many answers of 401, 403 and 429. Answers of a
 * limit that several callers share do not count.
 *
 * Unspecified: the counts are kept in this process and for a bounded number of addresses; the oldest makes room.
 *
 * @see docs/spec/limits.md#blocked-addresses; docs/spec/limits.md#rate-limits
 */
export class Blocklist {
  readonly #core: Pick<Core, 'clock' | 'limits' | 'log'>;
  readonly #limit: InvalidRequestLimit | undefined;
  readonly #addresses = new Map<string, RejectedAddress>();

  constructor(core: Pick<Core, 'clock' | 'limits' | 'log'>) {
    this.#core = core;
    this.#limit = core.limits.invalidRequests;
  }

  /** Milliseconds until the block ends; 0 if the address is not blocked. */
  blockedForMs(address: string): number {
    // Mostly there is no such address, and no look-up is needed.
    if (this.#addresses.size === 0) return 0;
    const record = this.#addresses.get(address);
    return record?.blocked ? Math.max(0, record.endsAtMs - steadyNow(this.#core.clock)) : 0;
  }

  /** How many addresses are blocked now. */
  get blockedCount(): number {
    const nowMs = steadyNow(this.#core.clock);
    let count = 0;
    for (const { blocked, endsAtMs } of this.#addresses.values()) if (blocked && endsAtMs > nowMs) count++;
    return count;
  }

  /** Counts an answer to a request without a valid credential. @param headers in addition to the answer's own */
  count(address: string, answer: Reply, headers: LimitHeaders | undefined): void {
    if (this.#limit && isInvalid(answer, headers)) this.#add(address, this.#limit);
  }

  #add(address: string, { requests, windowMs, blockMs, blockMaxMs = blockMs }: InvalidRequestLimit): void {
    const nowMs = steadyNow(this.#core.clock);
    const record = this.#current(address, nowMs) ?? this.#begin(address, nowMs + windowMs);
    record.invalid++;
    if (record.blocked || record.invalid < requests) return;
    const isRepeated = record.lastBlockMs > 0 && nowMs - record.lastBlockEndMs < blockMaxMs;
    record.lastBlockMs = isRepeated ? Math.min(2 * record.lastBlockMs, blockMaxMs) : blockMs;
    record.blocked = true;
    record.endsAtMs = nowMs + record.lastBlockMs;
    record.lastBlockEndMs = record.endsAtMs;
    const fields = { address, blockMs: record.lastBlockMs };
    this.#core.log.warn(
      fields,
      'An address had too many rejected requests; its requests without a credential are blocked.',
    );
  }

  #current(address: string, nowMs: number): RejectedAddress | undefined {
    const record = this.#addresses.get(address);
    return record && nowMs < record.endsAtMs ? record : undefined;
  }

  #begin(address: string, endsAtMs: number): RejectedAddress {
    const { lastBlockMs = 0, lastBlockEndMs = 0 } = this.#addresses.get(address) ?? {};
    const record = { invalid: 0, endsAtMs, blocked: false, lastBlockMs, lastBlockEndMs };
    this.#addresses.delete(address);
    if (this.#addresses.size >= addressesMax) this.#forgetOldest();
    this.#addresses.set(address, record);
    return record;
  }

  #forgetOldest(): void {
    for (const oldest of this.#addresses.keys()) {
      this.#addresses.delete(oldest);
      return;
    }
  }
}

const addressesMax = 10_000;

function isInvalid({ status, headers }: Reply, more: LimitHeaders | undefined): boolean {
  if (status !== 401 && status !== 403 && status !== 429) return false;
  return (headers?.['x-ratelimit-scope'] ?? more?.['x-ratelimit-scope']) !== 'shared';
}
