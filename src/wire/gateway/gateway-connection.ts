import type { GatewayError } from '../../model/errors/errors.ts';
import { closeCodes, type GatewayFrame, type Opcode } from '../../model/gateway.ts';
import {
  type Cancel,
  type Clock,
  type Entropy,
  type Logger,
  type Socket,
  type SocketFactory,
  steadyNow,
} from '../clock/ports.ts';
import { closeMsMax, settleWithin } from '../clock/settle-within.ts';
import { reportError } from '../error-report.ts';
import { type Backoff, backoffMs, randomFraction } from '../http/backoff.ts';
import { encodeFrame, parseFrame } from './frames.ts';
import { type GatewayEffect, GatewaySession, type GatewaySessionOptions } from './gateway-session.ts';
import { watchForJumps } from './jump-watch.ts';
import { isRefusal } from './socket.ts';

export interface GatewayConnectionOptions extends Omit<GatewaySessionOptions, 'random'> {
  readonly openSocket: SocketFactory;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** The session is over and connecting again cannot help. */
  readonly onStop: (error: GatewayError) => void;
  /** A socket is open; the session is being opened or resumed. */
  readonly onOpen?: () => void;
  /** A socket is gone, or could not be opened; another follows. */
  readonly onDown?: (down: GatewayDown) => void;
}

/** The time between two sockets. */
export interface GatewayDown {
  /** How the socket was closed; 1006 when it broke off or never opened. */
  readonly closeCode: number;
  readonly reason: string;
  /** When the next one is opened, in milliseconds since the Unix epoch. */
  readonly retryAtMs: number;
}

/** A connection broke off, or never opened. */
const abnormalClosure = 1006;

// A gateway that restarts is back within seconds; one that stays away gets two attempts a minute.
const reconnectBackoff: Backoff = { firstMs: 1_000, maxMs: 30_000 };
// Attempts that reach nobody cost the service nothing, and a player waits for the network to be back: an attempt of `reachingMsMax`
// and a pause end within 5 s. After several minutes the pauses grow all the same: so many games must not come back at the same moment.
const unreachableBackoff: Backoff = { firstMs: 1_000, maxMs: 1_500 };
const unreachableAttemptsMax = 300;

// An attempt that is older may have begun before the machine slept, or without a network.
const staleAttemptMs = 2_000;

/**
 * Keeps a {@link GatewaySession} connected: one socket after the other, with a growing pause between those that fail.
 * While it is open it keeps the process alive.
 *
 * @see docs/spec/gateway.md#sessions
 */
export class GatewayConnection {
  readonly #options: GatewayConnectionOptions;
  readonly #session: GatewaySession;
  #socket: Socket | undefined;
  #gone: Promise<void> = Promise.resolve();
  #last: Omit<GatewayDown, 'retryAtMs'> | undefined;
  #cancelTimer: Cancel = () => {};
  /** Since when a socket is being opened, by the steady clock. */
  #openingSinceMs: number | undefined;
  /** Whether the last attempts reached nobody: no network, or no service. */
  #isUnreachable = false;
  /** Whether the next attempt needs no pause. */
  #isUrgent = false;
  /** Opens the next socket; while there is a pause before that. */
  #connectNow: (() => void) | undefined;
  readonly #cancelWatch: Cancel;

  /**
   * Connects immediately.
   *
   * @throws what `openSocket` throws; later on that counts as a connection that could not be opened
   */
  constructor(options: GatewayConnectionOptions) {
    this.#options = options;
    const { url, identify, entropy, clock } = options;
    this.#session = new GatewaySession({
      url,
      identify,
      random: () => randomFraction(entropy),
      onDispatch: (...dispatch) => this.#dispatch(...dispatch),
    });
    this.#cancelWatch = watchForJumps(clock, () => this.check());
    try {
      this.#run(this.#session.start());
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  /**
   * Checks immediately whether the connection still works, and ends a pause before the next attempt: for when the machine
   * woke up, or found a network. It happens by itself when the clock jumps.
   */
  check(): void {
    if (this.#connectNow) this.#connectNow();
    else if (this.#openingSinceMs === undefined) this.#run(this.#session.check());
    else if (steadyNow(this.#options.clock) - this.#openingSinceMs >= staleAttemptMs) {
      this.#isUrgent = true;
      this.#socket?.close();
    }
  }

  /** Sends something of the client's own in the present session; while there is none it goes nowhere. */
  say(op: Opcode, d: unknown): void {
    this.#run(this.#session.say(op, d));
  }

  /** Ends the session; no event follows. Resolves when the socket is gone, or does not say so within a second. Idempotent. */
  async close(): Promise<void> {
    this.#rest();
    this.#run(this.#session.end());
    await settleWithin(this.#options.clock, closeMsMax, this.#gone);
  }

  // It runs in an event of the socket: what it threw would end the process.
  #dispatch(name: string, data: unknown): void {
    try {
      this.#options.onDispatch(name, data);
    } catch (error) {
      this.#options.logger.error({ name, error: reportError(error) }, 'a dispatch could not be handled');
    }
  }

  #run(effects: readonly GatewayEffect[]): void {
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: GatewayEffect): void {
    switch (effect.do) {
      case 'send':
        this.#send(effect.frame);
        break;
      case 'tick':
        this.#after(effect.afterMs, () => this.#run(this.#session.tick()));
        break;
      case 'close':
        this.#socket?.close(effect.code, effect.reason);
        break;
      case 'connect':
        this.#connectAfterPause(effect.url, effect.failures);
        break;
      case 'stop':
        this.#rest();
        this.#options.onStop(effect.error);
    }
  }

  // The token may be gone, and a game's own socket may throw. `ws` never closes a socket whose message handler threw.
  #send(frame: GatewayFrame): void {
    try {
      this.#socket?.send(encodeFrame(frame));
    } catch (error) {
      this.#options.logger.error({ op: frame.op, error: reportError(error) }, 'a frame could not be sent');
      this.#socket?.close(closeCodes.UNKNOWN_ERROR.code, 'a frame could not be sent');
    }
  }

  #connectAfterPause(url: string, failures: number): void {
    const { clock, entropy, logger, onDown } = this.#options;
    const backoff = this.#isUnreachable && failures <= unreachableAttemptsMax ? unreachableBackoff : reconnectBackoff;
    const pauseMs = failures === 0 || this.#isUrgent ? 0 : backoffMs(backoff, failures - 1, entropy);
    this.#isUrgent = false;
    if (this.#last) {
      logger.warn({ ...this.#last, failures, pauseMs }, 'the gateway connection is down');
      onDown?.({ ...this.#last, retryAtMs: clock.now() + pauseMs });
    }
    if (pauseMs === 0) this.#connect(url);
    else {
      this.#connectNow = () => this.#connect(url);
      this.#after(pauseMs, this.#connectNow);
    }
  }

  #connect(url: string): void {
    this.#connectNow = undefined;
    this.#cancelTimer();
    const gone = Promise.withResolvers<void>();
    this.#gone = gone.promise;
    this.#openingSinceMs = steadyNow(this.#options.clock);
    // A game's own socket may leave out what it does not know.
    const closed = (closeCode = abnormalClosure, reason = '') => {
      this.#socket = undefined;
      this.#last = { closeCode, reason };
      this.#isUnreachable = this.#openingSinceMs !== undefined && closeCode === abnormalClosure && !isRefusal(reason);
      this.#openingSinceMs = undefined;
      this.#cancelTimer();
      this.#run(this.#session.closed(closeCode));
      gone.resolve();
    };
    try {
      this.#socket = this.#options.openSocket(url, {
        opened: () => {
          this.#openingSinceMs = undefined;
          this.#options.onOpen?.();
          this.#run(this.#session.opened());
        },
        received: text => this.#run(this.#session.frame(parseFrame(text))),
        closed,
      });
    } catch (error) {
      if (!this.#last) throw error;
      closed(abnormalClosure, 'no socket was made');
    }
  }

  /** Nothing happens by itself any more. */
  #rest(): void {
    this.#cancelTimer();
    this.#cancelWatch();
    this.#connectNow = undefined;
  }

  /** One timer at a time: the session's next tick, or the next attempt. */
  #after(ms: number, task: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.schedule(ms, task, { keepAlive: true });
  }
}
