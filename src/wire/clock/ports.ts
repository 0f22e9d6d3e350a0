import { randomBytes } from 'node:crypto';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';

/**
 * The ports: everything this package takes from the world outside, so that tests and other hosts can put their own
 * in place. Each has a system default here, but for sockets (wire/socket.ts), which load `ws`.
 */

/** Cancels what was scheduled; later calls do nothing. */
export type Cancel = () => void;

/** Time. Whatever waits, waits on a clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch, a whole number. */
  now(): number;
  /**
   * Runs `task` once, `delayMs` from now or as soon after as possible; negative means now. A promise it returns is
   * waited for by `VirtualClock.advance()`; it must not reject.
   */
  schedule(delayMs: number, task: () => void | Promise<void>, options?: ScheduleOptions): Cancel;
  /**
   * Milliseconds since some instant, by a monotonic clock: for durations within the process. Absent: {@link now} is
   * such a clock itself.
   */
  steady?(): number;
  /** As {@link schedule}, when {@link now} has come to `dueMs`, also because the clock was set. Absent: it never is. */
  scheduleAt?(dueMs: number, task: () => void | Promise<void>): Cancel;
}

/** See {@link Clock.steady}. */
export function steadyNow(clock: Clock): number {
  return clock.steady ? clock.steady() : clock.now();
}

/** See {@link Clock.scheduleAt}. */
export function scheduleAt(clock: Clock, dueMs: number, task: () => void | Promise<void>): Cancel {
  return clock.scheduleAt ? clock.scheduleAt(dueMs, task) : clock.schedule(dueMs - clock.now(), task);
}

export interface ScheduleOptions {
  /** Keeps the process running until the task has run or is cancelled. Default false. */
  readonly keepAlive?: boolean | undefined;
}

/** Randomness. */
export interface Entropy {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

/** The part of the global `fetch` that this package calls. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** Without `undefined` as a value of a field, so that `globalThis.fetch` is a {@link Fetch} under `exactOptionalPropertyTypes` too. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | ArrayBuffer;
  readonly signal: AbortSignal;
  readonly redirect?: 'manual' | 'follow';
}

/** One WebSocket. */
export interface Socket {
  /** Sends a text frame. */
  send(text: string): void;
  /** Begins the closing handshake; {@link SocketEvents.closed} follows. Idempotent. */
  close(code?: number, reason?: string): void;
}

/** What happens to a socket. Nothing is called before the factory has returned, nor after `closed`. */
export interface SocketEvents {
  opened(): void;
  received(text: string): void;
  /** Once, also when the connection never opened (1006, with what went wrong as the reason). */
  closed(code: number, reason: string): void;
}

/** Opens a WebSocket to a `ws:` or `wss:` address. */
export type SocketFactory = (url: string, events: SocketEvents) => Socket;

export type LogFields = Readonly<Record<string, unknown>>;

/** Where the package says what it does. pino's loggers fit; no token, code or verifier is ever handed to one. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** A task that is later than this finds a process that was stopped or busy: what arrived meanwhile is read before it runs. */
const lateMsMin = 500;
/** Turns of the event loop in which that is read. */
const turnsToRead = 10;
/** How often a clock that may be set is looked at. */
const lookMs = 1000;

// Node fires timers longer than 2^31 − 1 ms immediately; longer waits use several.
const timerMsMax = 2 ** 31 - 1;

/** Since the process began. What `performance` is made of takes Node some milliseconds to load. */
function steadyMs(): number {
  return process.uptime() * 1000;
}

/** Runs a task after what has arrived was read: timers run before sockets, whose buffers may contain what the task depends on. */
export function whenRead(task: () => void, turns: number = turnsToRead): void {
  if (turns === 0) task();
  else setImmediate(whenRead, task, turns - 1);
}

/** The machine's time. Its timers do not keep the process alive unless asked to. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, task, { keepAlive = false } = {}) {
    // Measured on the steady clock: setting the machine's time back holds nothing up.
    const dueMs = steadyMs() + delayMs;
    let timer: NodeJS.Timeout;
    let isCancelled = false;
    const arm = () => {
      const leftMs = Math.ceil(dueMs - steadyMs());
      timer = setTimeout(fire, Math.min(Math.max(0, leftMs), timerMsMax));
      if (!keepAlive) timer.unref?.();
    };
    // Node's timers may fire a fraction of a millisecond early; code that then reads the clock must find it due.
    const fire = () => {
      const lateMs = steadyMs() - dueMs;
      if (lateMs < 0) arm();
      else if (lateMs < lateMsMin) void task();
      else
        whenRead(() => {
          if (!isCancelled) void task();
        });
    };
    arm();
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
  steady: steadyMs,
  scheduleAt(dueMs, task) {
    let cancel: Cancel = () => {};
    const look = () => {
      const leftMs = dueMs - Date.now();
      if (leftMs <= 0) void task();
      else cancel = systemClock.schedule(Math.min(leftMs, lookMs), look);
    };
    cancel = systemClock.schedule(Math.min(dueMs - Date.now(), lookMs), look);
    return () => cancel();
  },
};

/** The operating system's generator. */
export const systemEntropy: Entropy = { bytes: count => randomBytes(count) };

/** The runtime's own `fetch`, taken at the time of the call. */
export const systemFetch: Fetch = (url, init) => fetch(url, init as RequestInit);

const ignore = () => {};

/** Says nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** `bytes` of randomness as base64url text. */
export function randomToken(entropy: Entropy, bytes: number): string {
  return Buffer.from(entropy.bytes(bytes)).toString('base64url');
}
