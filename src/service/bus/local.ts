import type { RateLimit } from '../../model/limits/limit-profiles.ts';
import { type Cancel, type Clock, type Logger, silentLogger, steadyNow } from '../../wire/clock/ports.ts';
import type { Announced, Topic } from '../events/announcement.ts';
import type { Bus, Lease, LimitState } from './contract.ts';
import { FanOut } from './fan-out.ts';

interface Window extends Expiring {
  calls: number;
}

/**
 * The bus of a service in one process. It is synchronous: when `publish` returns, every listener has been called, unless a listener
 * called it; its events then follow those under way.
 */
export function localBus(clock: Clock, log: Logger = silentLogger): Bus {
  return new LocalBus(clock, log);
}

class LocalBus implements Bus {
  readonly engine = 'local';
  readonly #clock: Clock;
  readonly #fanOut: FanOut;
  readonly #windows = new ExpiringMap<Window>();
  readonly #leases = new ExpiringMap<Expiring>();
  /** Who → an entry for each session. */
  readonly #present = new Map<Topic, Set<{ readonly id: string }>>();
  #waiting: Announced[] = [];
  #publishing = false;
  #fence = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#fanOut = new FanOut(log);
  }

  publish(announced: readonly Announced[]): void {
    for (const event of announced) this.#waiting.push(event);
    if (this.#publishing) return;
    this.#publishing = true;
    // Events that listeners publish are queued here, so that all listeners receive all events in one order.
    for (let at = 0; at < this.#waiting.length; at++) {
      const event = this.#waiting[at];
      if (event) this.#fanOut.deliver(event);
    }
    this.#waiting = [];
    this.#publishing = false;
  }

  subscribe(topic: Topic, listener: (announced: Announced) => void): Cancel {
    return this.#fanOut.subscribe(topic, listener);
  }

  count(name: string, { requests, windowMs }: RateLimit, calls = 1): LimitState {
    const nowMs = steadyNow(this.#clock);
    let window = this.#windows.get(name, nowMs);
    // A window that ends later than its length allows began before the clock was set back.
    if (!window || window.endsAtMs - nowMs > windowMs) {
      window = { calls: 0, endsAtMs: nowMs + windowMs };
      if (calls > 0) this.#windows.set(name, window, nowMs);
    }
    const allowed = window.calls < requests;
    if (allowed) window.calls += calls;
    return { allowed, remaining: requests - window.calls, resetAtMs: this.#clock.now() + (window.endsAtMs - nowMs) };
  }

  enter(who: Topic, id: string): () => void {
    const entry = { id };
    const sessions = this.#present.get(who) ?? new Set<{ readonly id: string }>();
    // A session that registers again must not be removed by its former registration.
    for (const former of sessions) if (former.id === id) sessions.delete(former);
    sessions.add(entry);
    this.#present.set(who, sessions);
    return () => {
      sessions.delete(entry);
      if (sessions.size === 0 && this.#present.get(who) === sessions) this.#present.delete(who);
    };
  }

  present(who: Topic): number {
    return this.#present.get(who)?.size ?? 0;
  }

  lease(name: string, termMs: number): Lease | undefined {
    const take = (): Expiring => {
      const nowMs = steadyNow(this.#clock);
      const held = { endsAtMs: nowMs + termMs };
      this.#leases.set(name, held, nowMs);
      return held;
    };
    if (this.#leases.get(name, steadyNow(this.#clock))) return undefined;
    let held = take();
    const isHeld = () => this.#leases.get(name, steadyNow(this.#clock)) === held;
    return {
      name,
      fence: ++this.#fence,
      renew: () => {
        if (!isHeld()) return false;
        held = take();
        return true;
      },
      release: () => {
        if (isHeld()) this.#leases.delete(name);
      },
    };
  }

  async close(): Promise<void> {
    this.#fanOut.clear();
    this.#waiting = [];
    this.#windows.clear();
    this.#leases.clear();
    this.#present.clear();
  }
}

/** Something that expires at a known time. */
export interface Expiring {
  readonly endsAtMs: number;
}

const sizeBeforeSweep = 1024;

/**
 * A map whose values expire, without a timer for each. An expired value is no longer found; whenever the map has doubled, all expired
 * values are deleted. So it never holds more than twice the live values, or 1,024.
 */
export class ExpiringMap<Value extends Expiring> {
  readonly #values = new Map<string, Value>();
  #sweepAtSize = sizeBeforeSweep;

  get(name: string, nowMs: number): Value | undefined {
    const value = this.#values.get(name);
    return value && nowMs < value.endsAtMs ? value : undefined;
  }

  set(name: string, value: Value, nowMs: number): void {
    this.#values.set(name, value);
    if (this.#values.size >= this.#sweepAtSize) this.#sweep(nowMs);
  }

  delete(name: string): void {
    this.#values.delete(name);
  }

  clear(): void {
    this.#values.clear();
  }

  /** The values that have not expired, by name. */
  *live(nowMs: number): IterableIterator<[string, Value]> {
    for (const entry of this.#values) if (nowMs < entry[1].endsAtMs) yield entry;
  }

  /** How many values it holds, including expired ones that are not deleted yet. */
  get size(): number {
    return this.#values.size;
  }

  #sweep(nowMs: number): void {
    for (const [name, value] of this.#values) if (nowMs >= value.endsAtMs) this.#values.delete(name);
    this.#sweepAtSize = Math.max(sizeBeforeSweep, 2 * this.#values.size);
  }
}
