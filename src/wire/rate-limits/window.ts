import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import type { LimitReport } from './headers.ts';

/**
 * How a permit was used: what the answer told; `unsent`, the service certainly never saw the call; `lost`, it may have
 * counted it but did not say so.
 */
export type Outcome = LimitReport | 'unsent' | 'lost';

/** Admits calls while it has free places. Times are milliseconds of one clock. */
export interface Gate {
  /** Takes a place, if there is one now. */
  take(nowMs: number): boolean;
  /** After {@link take} returned false: when a place becomes free; undefined if only an answer can free one. */
  freeAtMs(nowMs: number): number | undefined;
  /** Gives back what {@link take} took. */
  settle(outcome: Outcome, nowMs: number): void;
}

// Two reports speak of one window when its end differs by no more than rounding.
const sameWindowMs = 2;

/**
 * The window of one bucket, as far as answers have told it. Until the first answer one call at a time finds out; from
 * then on as many go side by side as the window has left.
 *
 * It never lets through more than the service will count, however calls and answers cross: a call under way when a
 * window ends is counted in the next one too, until its answer says where it belonged; the end of a window is taken
 * from the time its report arrived, which is never too early.
 */
export class BucketWindow implements Gate {
  #limit = 1;
  /** Calls counted in the current window, those under way included. */
  #used = 0;
  #underWay = 0;
  /** The service's own time of the window's end: names the latest window any answer spoke of. */
  #resetMs: number | undefined;
  /** The same by our clock; undefined before the first answer of a window. */
  #endsMs: number | undefined;
  #blockedUntilMs = 0;

  take(nowMs: number): boolean {
    this.#roll(nowMs);
    if (nowMs < this.#blockedUntilMs || this.#used >= this.#limit) return false;
    this.#used++;
    this.#underWay++;
    return true;
  }

  freeAtMs(nowMs: number): number | undefined {
    const endsMs = this.#used >= this.#limit ? this.#endsMs : undefined;
    const freeMs = Math.max(endsMs ?? 0, this.#blockedUntilMs);
    return freeMs > nowMs ? freeMs : undefined;
  }

  settle(outcome: Outcome, nowMs: number): void {
    this.#roll(nowMs);
    this.#underWay--;
    if (outcome === 'unsent') this.#used--;
    else if (outcome !== 'lost') this.#learn(outcome, nowMs);
    // Nothing is left that could tell when this window ends: one call may go and find out.
    if (this.#endsMs === undefined && this.#underWay === 0) this.#used = Math.min(this.#used, this.#limit - 1);
  }

  /** Takes in an answer to a call that another window let through. */
  adopt(report: LimitReport, nowMs: number): void {
    this.#used++;
    this.#underWay++;
    this.settle(report, nowMs);
  }

  /** Nothing waits for an answer, and nothing would be forgotten that still counts. */
  isIdle(nowMs: number): boolean {
    this.#roll(nowMs);
    return this.#underWay === 0 && this.#endsMs === undefined && nowMs >= this.#blockedUntilMs;
  }

  #roll(nowMs: number): void {
    if (this.#endsMs === undefined || nowMs < this.#endsMs) return;
    this.#endsMs = undefined;
    this.#used = this.#underWay;
  }

  #learn({ bucket, refusal }: LimitReport, nowMs: number): void {
    if (refusal?.scope === 'user') {
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + refusal.retryAfterMs);
    }
    if (!bucket) {
      // An answer without a bucket to a first call: the route has no limit of its own.
      if (!refusal && this.#resetMs === undefined) this.#limit = Number.POSITIVE_INFINITY;
      return;
    }

    const { limit, remaining, resetMs, resetAfterMs } = bucket;
    const counted = limit - remaining;
    this.#limit = limit;
    if (this.#resetMs !== undefined && resetMs < this.#resetMs - sameWindowMs) {
      this.#used--; // it belonged to a window that is over
      return;
    }
    const isSame = this.#resetMs !== undefined && resetMs <= this.#resetMs + sameWindowMs;
    if (isSame && this.#endsMs === undefined) {
      this.#used--; // likewise, although no response has named the next window yet
      return;
    }
    // The service began its next window before we did, and counts this call and those in progress in it.
    if (!isSame && (this.#endsMs !== undefined || this.#resetMs === undefined)) this.#used = this.#underWay + 1;
    this.#used = Math.max(this.#used, counted);
    this.#endsMs = Math.min(
      isSame ? (this.#endsMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
      nowMs + resetAfterMs,
    );
    this.#resetMs = resetMs;
  }
}

/**
 * The limit over all routes, which no header reports. A call holds its place from the moment it goes until one window
 * after its answer, so that no span of that length, wherever the service begins it, can see more than the limit.
 */
export class GlobalWindow implements Gate {
  readonly #limit: RateLimit;
  #underWay = 0;
  /** When places come free, ascending. */
  readonly #freeMs: number[] = [];
  #blockedUntilMs = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  take(nowMs: number): boolean {
    while ((this.#freeMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs) this.#freeMs.shift();
    if (nowMs < this.#blockedUntilMs || this.#underWay + this.#freeMs.length >= this.#limit.requests) return false;
    this.#underWay++;
    return true;
  }

  freeAtMs(nowMs: number): number | undefined {
    const isFull = this.#underWay + this.#freeMs.length >= this.#limit.requests;
    const freeMs = Math.max(isFull ? (this.#freeMs[0] ?? 0) : 0, this.#blockedUntilMs);
    return freeMs > nowMs ? freeMs : undefined;
  }

  settle(outcome: Outcome, nowMs: number): void {
    this.#underWay--;
    if (outcome === 'unsent') return;
    if (Number.isFinite(this.#limit.requests)) this.#freeMs.push(nowMs + this.#limit.windowMs);
    if (outcome !== 'lost' && outcome.refusal?.scope === 'global') {
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + outcome.refusal.retryAfterMs);
    }
  }
}
