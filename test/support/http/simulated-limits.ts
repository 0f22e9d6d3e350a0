import type { RateLimit } from '../../../src/model/limits/limit-profiles.ts';
import type { Clock } from '../../../src/wire/clock/ports.ts';
import type { LimitReport } from '../../../src/wire/rate-limits/headers.ts';

/** What the service told about a call when it counted it. */
export type Counted = LimitReport | 'unsent';

/** A service's two counters over fixed windows, each of which begins with its first call. */
export class SimulatedLimits {
  refusals = 0;
  globalRefusals = 0;
  readonly #clock: Clock;
  readonly #bucket: Window;
  readonly #global: Window;

  constructor(clock: Clock, bucket: RateLimit, global: RateLimit) {
    this.#clock = clock;
    this.#bucket = new Window(bucket);
    this.#global = new Window(global);
  }

  count(kind: 'exempt' | 'counted' = 'counted'): Counted {
    const atMs = this.#clock.now();
    if (kind === 'counted' && !this.#global.take(atMs)) {
      this.globalRefusals++;
      return { refusal: { scope: 'global', retryAfterMs: this.#global.endsMs - atMs } };
    }
    const isAllowed = this.#bucket.take(atMs);
    const { endsMs, left, limit } = this.#bucket;
    const bucket = { id: 'b', limit, remaining: left, resetMs: endsMs, resetAfterMs: endsMs - atMs };
    if (isAllowed) return { bucket };
    this.refusals++;
    return { bucket, refusal: { scope: 'user', retryAfterMs: endsMs - atMs } };
  }
}

class Window {
  readonly limit: number;
  readonly #windowMs: number;
  endsMs = 0;
  left = 0;

  constructor({ requests, windowMs }: RateLimit) {
    this.limit = requests;
    this.#windowMs = windowMs;
  }

  take(nowMs: number): boolean {
    if (nowMs >= this.endsMs) {
      this.endsMs = nowMs + this.#windowMs;
      this.left = this.limit;
    }
    if (this.left === 0) return false;
    this.left--;
    return true;
  }
}
