import type { Observable } from 'rxjs';
import { ApiError, GatewayError, RallypointError, RateLimitError, TransportError } from '../../model/errors/errors.ts';
import { capabilities, type Identify, type Opcode } from '../../model/gateway.ts';
import { isSnowflake, type UserId } from '../../model/snowflake.ts';
import type { Cancel, Clock, Entropy, Logger, SocketFactory } from '../../wire/clock/ports.ts';
import { readGatewayAddress } from '../../wire/gateway/gateway-address.ts';
import { GatewayConnection, type GatewayDown } from '../../wire/gateway/gateway-connection.ts';
import { type Backoff, backoffMs } from '../../wire/http/backoff.ts';
import { asRecord } from '../../wire/http/codec.ts';
import { Deadline } from '../../wire/http/deadline.ts';
import { deadlineMsDefault, type Http } from '../../wire/http/http.ts';
import { LiveValue } from '../live/live-value.ts';
import { ConnectionRun } from './connection-run.ts';
import { type ConnectionSnapshot, isSameConnection } from './connection-snapshot.ts';

/** What a {@link Connection} stands on. */
export interface ConnectionPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly http: Http;
  readonly loadSocket: () => Promise<SocketFactory>;
  /** The access token to connect with now. */
  readonly token: () => string;
  /** The intents to ask for now. */
  readonly intents: () => number;
  /** Receives every dispatch in order; READY before the status becomes `ready`. */
  readonly onDispatch: (name: string, data: unknown) => void;
}

interface StartedRun {
  readonly run: ConnectionRun;
  /** Resolves when the status is `disconnected`. */
  readonly finished: Promise<void>;
}

/** Unspecified: how long a call of connect() waits. Time for several attempts, short enough for a player who is waiting. */
const connectMsMax = 30_000;

/** Unspecified: how long a session waits for the presences of friends that are to follow READY. */
export const supplementMsMax = 5_000;

const httpBackoff: Backoff = { firstMs: 1_000, maxMs: 10_000 };

/**
 * The client's connection to the gateway as a game sees it: a status, a promise for being ready, one for being closed.
 *
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#close-codes; docs/spec/gateway.md#players-sessions
 */
export class Connection {
  /** Replays the latest; emits when something changed; completes on {@link close}. */
  readonly status$: Observable<ConnectionSnapshot>;
  readonly #ports: ConnectionPorts;
  readonly #status = new LiveValue<ConnectionSnapshot>(Object.freeze({ status: 'disconnected' }));
  #gateway: GatewayConnection | undefined;
  #run: StartedRun | undefined;
  /** Calls of {@link connect} that wait for the client to be ready, or for the end of the run before. */
  readonly #waits = new Set<Deadline>();

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.status$ = this.#status.value$;
  }

  get status(): ConnectionSnapshot {
    return this.#status.value;
  }

  /** @see {@link Client.connect} */
  async connect(signal?: AbortSignal): Promise<void> {
    const wait = new Deadline(this.#ports.clock, connectMsMax, signal);
    this.#waits.add(wait);
    try {
      wait.signal.throwIfAborted();
      while (this.#run?.run.isStopping) await wait.within(this.#run.finished);
      await this.#untilReady(this.#run ?? this.#begin(), wait);
    } finally {
      this.#waits.delete(wait);
      wait.close();
    }
  }

  /** @see {@link Client.disconnect} */
  async disconnect(): Promise<void> {
    for (const wait of this.#waits) wait.abort();
    if (!this.#run) return;
    const { run, finished } = this.#run;
    this.#stop(run, new TransportError('aborted', 'The client was disconnected.'));
    await finished;
  }

  /** @see {@link Client.checkConnection} */
  check(): void {
    this.#gateway?.check();
  }

  /** Sends a frame in the present session; without a session it is dropped. */
  send(op: Opcode, d: unknown): void {
    this.#gateway?.say(op, d);
  }

  async close(): Promise<void> {
    await this.disconnect();
    this.#status.complete();
  }

  #begin(): StartedRun {
    const run = new ConnectionRun(this.#ports.clock);
    // Set before subscribers are notified: they may connect or disconnect immediately.
    const started = { run, finished: this.#drive(run) };
    this.#run = started;
    this.#publish({ status: 'connecting' });
    return started;
  }

  /** When the wait ends before the first session, and nobody else waits for that, the attempt ends, too. */
  async #untilReady({ run, finished }: StartedRun, wait: Deadline): Promise<void> {
    run.waiting++;
    try {
      await wait.within(run.ready);
    } catch (error) {
      const { aborted, reason } = wait.signal;
      if (aborted && run.waiting === 1 && !run.wasReady) this.#stop(run, reason);
      // The run failed, and its last status says why.
      if (!aborted) await finished;
      throw error;
    } finally {
      run.waiting--;
    }
  }

  #stop(run: ConnectionRun, reason: RallypointError): void {
    if (run.isStopping) return;
    run.stop(reason);
    this.#publish({ status: 'disconnecting' });
  }

  async #drive(run: ConnectionRun): Promise<void> {
    try {
      const url = await this.#findGateway(run);
      const openSocket = await this.#ports.loadSocket();
      if (!run.isStopping) await this.#stayConnected(run, url, openSocket);
    } catch (error) {
      run.stop(asRallypointError(error));
    }
    this.#run = undefined;
    this.#publish({ status: 'disconnected', ...troubleOf(run.trouble) });
  }

  /** Asks for the gateway's address; a service that is there but not well is asked again until the run ends. */
  async #findGateway({ deadline }: ConnectionRun): Promise<string> {
    const { http, clock, entropy } = this.#ports;
    for (let failures = 0; ; failures++) {
      try {
        const request = { path: {}, signal: deadline.signal, deadlineMs: deadlineMsDefault };
        return readGatewayAddress((await http.send('getGateway', request)).body);
      } catch (error) {
        if (!isPassing(error)) throw error;
        const pauseMs = backoffMs(httpBackoff, failures, entropy);
        this.#publish({ status: 'http_wait', error, retryAtMs: clock.now() + pauseMs });
        await deadline.sleep(pauseMs);
        this.#publish({ status: 'connecting' });
      }
    }
  }

  async #stayConnected(run: ConnectionRun, url: string, openSocket: SocketFactory): Promise<void> {
    const { clock, entropy, logger, onDispatch } = this.#ports;
    let userId: UserId | undefined;
    let stopWaiting: Cancel | undefined;
    const succeed = () => {
      stopWaiting?.();
      this.#publish({ status: 'ready', ...(userId === undefined ? {} : { userId }) });
      run.succeed();
    };
    this.#gateway = new GatewayConnection({
      clock,
      entropy,
      logger,
      url,
      openSocket,
      identify: identify(this.#ports),
      onOpen: () => this.#publish({ status: 'connected' }),
      onDown: down => {
        stopWaiting?.();
        run.falter();
        this.#publish(lost(down));
      },
      onStop: error => run.stop(error),
      onDispatch: (name, data) => {
        onDispatch(name, data);
        if (name === 'READY') {
          userId = userIdOf(data);
          // Where users are listed apart, the presences of friends follow in a dispatch of their own.
          if (Array.isArray(asRecord(data)?.users)) {
            stopWaiting?.();
            stopWaiting = clock.schedule(supplementMsMax, succeed);
            return;
          }
        } else if (name !== 'RESUMED' && name !== 'READY_SUPPLEMENTAL') return;
        succeed();
      },
    });
    await run.stopped;
    stopWaiting?.();
    await this.#gateway.close();
    this.#gateway = undefined;
  }

  // Subscribers may end the run while a frame is handled: what the frame would lead to is not shown any more.
  #publish(snapshot: ConnectionSnapshot): void {
    if (this.#run?.run.isStopping && snapshot.status !== 'disconnecting') return;
    if (!isSameConnection(snapshot, this.#status.value)) this.#status.set(Object.freeze(snapshot));
  }
}

/** @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#players-sessions */
function identify(ports: Pick<ConnectionPorts, 'token' | 'intents'>): Identify {
  const name = '@rallypoint/sdk';
  return {
    // Read whenever a session is opened or resumed: the game may have refreshed it meanwhile.
    get token() {
      return `Bearer ${ports.token()}`;
    },
    properties: { os: process.platform, browser: name, device: name },
    get intents() {
      return ports.intents();
    },
    capabilities:
      capabilities.AUTO_LOBBY_CONNECT | capabilities.DEDUPE_USER_OBJECTS | capabilities.PRIORITIZED_READY_PAYLOAD,
  };
}

// What a game's own socket factory throws may be anything.
function asRallypointError(cause: unknown): RallypointError {
  return cause instanceof RallypointError
    ? cause
    : new TransportError('unreachable', 'No socket could be opened.', { cause });
}

/** The service answered that it is temporarily unavailable. */
function isPassing(error: unknown): error is RallypointError {
  return error instanceof RateLimitError || (error instanceof ApiError && error.status >= 500);
}

const abnormalClose = 1006;

function lost({ closeCode, reason, retryAtMs }: GatewayDown): ConnectionSnapshot {
  const detail = reason === '' ? '' : ` (${reason.replace(/[^\x20-\x7E]/g, ' ')})`;
  const error =
    closeCode === abnormalClose
      ? new TransportError('connection_lost', `The connection to the gateway was lost or never opened${detail}.`)
      : new GatewayError(closeCode, `The connection to the gateway was closed with ${closeCode}${detail}.`, true);
  return { status: 'reconnecting', ...troubleOf(error), retryAtMs };
}

function troubleOf(error: RallypointError | undefined): Pick<ConnectionSnapshot, 'error' | 'closeCode'> {
  if (!error) return {};
  return error instanceof GatewayError ? { error, closeCode: error.closeCode } : { error };
}

export function userIdOf(ready: unknown): UserId | undefined {
  const id = asRecord(asRecord(ready)?.user)?.id;
  return isSnowflake<'user'>(id) ? id : undefined;
}
