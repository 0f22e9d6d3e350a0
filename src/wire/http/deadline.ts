import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import { parseOptions } from '../arguments.ts';
import { type Cancel, type Clock, steadyNow } from '../clock/ports.ts';

/**
 * The instant by which a call must have ended, however it waits. `signal` aborts at that instant, or as soon as the
 * caller gives up; its reason is the error to throw.
 */
export class Deadline {
  /** By the steady clock: setting the other one changes nothing. */
  readonly #endsMs: number;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #cancelTimer: Cancel;
  readonly #giveUp = () => this.abort();

  /**
   * @param lengthMs zero or less: it has passed already; infinity: there is none
   * @throws ArgumentError `invalid_deadline`
   */
  constructor(clock: Clock, lengthMs: number, caller?: AbortSignal) {
    requireDeadline(lengthMs);
    this.#clock = clock;
    this.#endsMs = steadyNow(clock) + lengthMs;
    this.#caller = caller;
    this.#cancelTimer = clock.schedule(lengthMs, () => this.#controller.abort(deadlineExceeded(lengthMs)), {
      keepAlive: true,
    });
    if (caller?.aborted) this.abort();
    else if (lengthMs <= 0) this.#controller.abort(deadlineExceeded(lengthMs));
    else caller?.addEventListener('abort', this.#giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get leftMs(): number {
    return this.#endsMs - steadyNow(this.#clock);
  }

  /** Ends the call as the caller would. */
  abort(): void {
    this.#controller.abort(aborted());
  }

  /**
   * Waits on the clock.
   *
   * @throws TransportError `deadline_exceeded` or `aborted`, when that comes first
   */
  sleep(ms: number): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const stop = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.#clock.schedule(ms, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /**
   * Waits for work that others share, and so goes on when this call gives up.
   *
   * @throws TransportError `deadline_exceeded` or `aborted`, when that comes first
   */
  within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  /** Cancels the timer and removes the listener on the caller's signal. */
  close(): void {
    this.#cancelTimer();
    this.#caller?.removeEventListener('abort', this.#giveUp);
  }
}

/**
 * For calls that may end without waiting.
 *
 * @throws TransportError `deadline_exceeded` or `aborted`, if a call with these options would end before it begins;
 *   ArgumentError `invalid_deadline`, `invalid_argument`
 */
export function requireTimeLeft(options: {
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}): void {
  const { deadlineMs = Number.POSITIVE_INFINITY, signal } = parseOptions(options);
  requireDeadline(deadlineMs);
  if (signal?.aborted) throw aborted();
  if (deadlineMs <= 0) throw deadlineExceeded(deadlineMs);
}

/** @throws ArgumentError `invalid_deadline`: not a number of milliseconds */
export function requireDeadline(deadlineMs: number): void {
  if (typeof deadlineMs === 'number' && !Number.isNaN(deadlineMs)) return;
  throw new ArgumentError('invalid_deadline', 'deadlineMs must be a number of milliseconds.');
}

function aborted(): TransportError {
  return new TransportError('aborted', 'The call was aborted.');
}

function deadlineExceeded(lengthMs: number): TransportError {
  return new TransportError('deadline_exceeded', `The call did not complete within ${Math.round(lengthMs)} ms.`);
}
