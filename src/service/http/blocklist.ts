import type { InvalidRequestLimit } from '../../model/limits/limit-profiles.ts';
import { steadyNow } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';
import type { Reply } from './call.ts';
import type { LimitHeaders } from './limiter.ts';

/** What an address has been answered within the present window, or that it is blocked. */
interface Refused {
  invalid: number;
  /** Of the window or, when it is blocked, of that. */
  endsAtMs: number;
  blocked: boolean;
  /** How long it was blocked last, 0 when it was not lately, and when that ended or will. */
  lastBlockMs: number;
  lastBlockEndMs: number;
}

/**
 * Addresses whose callers go on although they are refused: what comes from there without a valid credential is blocked for a while
 * after too many answers of 401, 403 and 429 (those of a limit that is not the caller's alone do not count).
 *
 * Our choice: what is counted is kept in this process and for so many addresses at most, the longest known making room.
 *
 * @see docs/spec/limits.md#blocked-addresses; docs/spec/limits.md#rate-limits
 */
export class Blocklist {
  readonly #core: Pick<Core, 'clock' | 'limits' | 'log'>;
  readonly #limit: InvalidRequestLimit | undefined;
  readonly #refused = new Map<string, Refused>();

  constructor(core: Pick<Core, 'clock' | 'limits' | 'log'>) {
    this.#core = core;
    this.#limit = core.limits.invalidRequests;
  }

  /** Milliseconds until strangers of the address are let in again; 0 when it is not blocked. */
  blockedForMs(address: string): number {
    // Nearly always nobody was refused lately, and nothing needs to be looked up.
    if (this.#refused.size === 0) return 0;
    const record = this.#refused.get(address);
    return record?.blocked ? Math.max(0, record.endsAtMs - steadyNow(this.#core.clock)) : 0;
  }

  /** How many addresses are blocked now. */
  get blockedCount(): number {
    const nowMs = steadyNow(this.#core.clock);
    let count = 0;
    for (const { blocked, endsAtMs } of this.#refused.values()) if (blocked && endsAtMs > nowMs) count++;
    return count;
  }

  /** Counts an answer that somebody without a valid credential was given. @param headers beside the answer's own */
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
    const told = { address, blockMs: record.lastBlockMs };
    this.#core.log.warn(told, 'An address was refused too often: what comes from it without a credential is blocked.');
  }

  #current(address: string, nowMs: number): Refused | undefined {
    const record = this.#refused.get(address);
    return record && nowMs < record.endsAtMs ? record : undefined;
  }

  #begin(address: string, endsAtMs: number): Refused {
    const { lastBlockMs = 0, lastBlockEndMs = 0 } = this.#refused.get(address) ?? {};
    const record = { invalid: 0, endsAtMs, blocked: false, lastBlockMs, lastBlockEndMs };
    this.#refused.delete(address);
    if (this.#refused.size >= addressesMax) this.#forgetOldest();
    this.#refused.set(address, record);
    return record;
  }

  #forgetOldest(): void {
    for (const oldest of this.#refused.keys()) {
      this.#refused.delete(oldest);
      return;
    }
  }
}

const addressesMax = 10_000;

function isInvalid({ status, headers }: Reply, more: LimitHeaders | undefined): boolean {
  if (status !== 401 && status !== 403 && status !== 429) return false;
  return (headers?.['x-ratelimit-scope'] ?? more?.['x-ratelimit-scope']) !== 'shared';
}
