import { GatewayError } from '../../model/errors/errors.ts';
import {
  closeCodes,
  closeRemedy,
  type GatewayFrame,
  type Identify,
  type Opcode,
  opcodes,
} from '../../model/gateway.ts';
import { isPrivate } from '../addresses.ts';
import { asRecord } from '../http/codec.ts';
import { apiVersion } from '../routes.ts';

/** What the owner of the socket must do, in this order. */
export type GatewayEffect =
  /** Send this frame. */
  | { readonly do: 'send'; readonly frame: GatewayFrame }
  /** Call {@link GatewaySession.tick} after this time; it replaces an earlier one, and a close cancels it. */
  | { readonly do: 'tick'; readonly afterMs: number }
  /** Close the socket with this code; {@link GatewaySession.closed} is to be called then as after any close. */
  | { readonly do: 'close'; readonly code: number; readonly reason: string }
  /**
   * Open a new socket to this address. `failures` counts the connections since the last one that resumed its session, or
   * answered a heartbeat in it: 0 asks for no pause, each further one for a longer pause.
   */
  | { readonly do: 'connect'; readonly url: string; readonly resumes: boolean; readonly failures: number }
  /** Connecting again cannot help. */
  | { readonly do: 'stop'; readonly error: GatewayError };

export interface GatewaySessionOptions {
  /** Address from `GET /gateway`, without query. */
  readonly url: string;
  /** Sent with every new session; `token` is a bare bot token or `Bearer <access token>`. */
  readonly identify: Identify;
  /** A number from 0 (included) to 1 (excluded): spreads the first heartbeats of many clients. */
  readonly random: () => number;
  /** Called with each event once, in order, READY and RESUMED included; `data` is unchecked. */
  readonly onDispatch: (name: string, data: unknown) => void;
}

/** What is waited for: hello; READY or RESUMED; the answer to a heartbeat; the next heartbeat. */
type Due = 'hello' | 'session' | 'ack' | 'heartbeat';

/**
 * The client's end of a gateway session over all its connections: a machine without socket, clock or randomness.
 *
 * The owner of the socket reports what happens ({@link opened}, {@link frame}, {@link tick}, {@link closed}) and does
 * what each report returns. A session is resumed while the service lets it, else a new one is begun; which of the two,
 * or neither, follows from the close code alone.
 *
 * @see docs/spec/gateway.md#sessions; docs/spec/gateway.md#close-codes
 */
export class GatewaySession {
  readonly #options: GatewaySessionOptions;
  #resumable: { readonly id: string; readonly url: string } | undefined;
  #sequence: number | null = null;
  #heartbeatMs = 0;
  /** How long, in milliseconds from when the last tick was asked for. */
  readonly #due = new Map<Due, number>();
  #askedMs = 0;
  /** Connections since the last one whose session opened. */
  #failures = 0;
  /** Connections since the last one that resumed its session, or answered a heartbeat in it. */
  #unproven = 0;
  /** Whether the next request to reconnect is followed without a pause. */
  #mayHurry = true;
  /** An Identify was sent, and no READY came yet. */
  #isIdentifying = false;
  #isClosing = false;
  #isEnded = false;

  constructor(options: GatewaySessionOptions) {
    this.#options = options;
  }

  /** The first effect of all: where to connect. */
  start(): GatewayEffect[] {
    return [this.#connect()];
  }

  /** The socket is open. */
  opened(): GatewayEffect[] {
    this.#isClosing = false;
    this.#due.clear();
    this.#due.set('hello', helloMsMax);
    return [this.#tick()];
  }

  /** A frame arrived; undefined: it could not be parsed. Unknown opcodes are ignored. */
  frame(frame: GatewayFrame | undefined): readonly GatewayEffect[] {
    if (this.#isEnded || this.#isClosing) return [];
    if (!frame) return [this.#close(closeCodes.DECODE_ERROR.code, 'not a frame')];
    switch (frame.op) {
      case opcodes.HELLO:
        return this.#due.has('heartbeat') ? noEffects : this.#hello(frame.d);
      case opcodes.HEARTBEAT:
        return [this.#heartbeat()];
      case opcodes.HEARTBEAT_ACK:
        if (this.#due.delete('ack') && this.#isLive) this.#prove();
        return [];
      case opcodes.DISPATCH:
        return this.#dispatch(frame);
      case opcodes.RECONNECT:
        return this.#reconnect();
      case opcodes.INVALID_SESSION:
        return this.#invalidated(frame.d === true);
      default:
        return [];
    }
  }

  /** The time asked for has passed. */
  tick(): GatewayEffect[] {
    if (this.#isEnded || this.#isClosing || this.#due.size === 0) return [];
    for (const [what, ms] of this.#due) this.#due.set(what, ms - this.#askedMs);
    if (this.#isDue('hello')) return [this.#close(closeCodes.UNKNOWN_ERROR.code, 'no hello')];
    if (this.#isDue('ack')) return [this.#close(closeCodes.UNKNOWN_ERROR.code, 'no heartbeat ack')];
    if (this.#isDue('session')) {
      this.#forget(); // a resume that gets no answer is not tried twice
      return [this.#close(closeCodes.UNKNOWN_ERROR.code, 'no session')];
    }
    return this.#isDue('heartbeat') ? this.#beat() : [this.#tick()];
  }

  /**
   * Finds out whether the connection still lives, in seconds instead of a heartbeat's interval. Does nothing while that
   * is being found out, or before the session is open, for which there is a limit already.
   */
  check(): GatewayEffect[] {
    if (this.#isEnded || this.#isClosing || !this.#isLive) return [];
    const isAsked = (this.#due.get('ack') ?? Number.POSITIVE_INFINITY) <= checkMsMax;
    return isAsked ? [] : this.#beat(checkMsMax);
  }

  /** Something of the client's own, in the present session: while there is none it goes nowhere. */
  say(op: Opcode, d: unknown): readonly GatewayEffect[] {
    if (this.#isEnded || this.#isClosing || !this.#isLive) return noEffects;
    return [{ do: 'send', frame: { op, d } }];
  }

  /** The socket is closed, by whichever side, or could not be opened (1006). */
  closed(code: number): GatewayEffect[] {
    this.#due.clear();
    if (this.#isEnded) return [];
    const remedy = closeRemedy(code);
    if (remedy === 'stop') {
      this.#isEnded = true;
      return [
        {
          do: 'stop',
          error: new GatewayError(
            code,
            `The gateway closed the connection: ${meaningOf(code)}. ${adviceOn(code)} before you connect again.`,
            false,
          ),
        },
      ];
    }
    if (remedy === 'identify') this.#forget();
    this.#failures++;
    this.#unproven++;
    return [this.#connect()];
  }

  /** Ends the session for the service too. */
  end(): GatewayEffect[] {
    this.#isEnded = true;
    return [this.#close(normalClosure, 'done')];
  }

  #hello(data: unknown): GatewayEffect[] {
    const intervalMs = asRecord(data)?.heartbeat_interval;
    // JSON can say infinity: 1e999.
    if (typeof intervalMs !== 'number' || !(intervalMs > 0 && Number.isFinite(intervalMs))) {
      return [this.#close(closeCodes.DECODE_ERROR.code, 'no heartbeat interval')];
    }
    this.#heartbeatMs = Math.min(Math.max(intervalMs, heartbeatMsMin), heartbeatMsMax);
    this.#due.clear();
    this.#due.set('session', sessionMsMax);
    this.#due.set('heartbeat', this.#heartbeatMs * this.#options.random());
    return [this.#tick(), { do: 'send', frame: this.#greeting() }];
  }

  #greeting(): GatewayFrame {
    const { identify } = this.#options;
    this.#isIdentifying = !this.#resumable;
    if (this.#resumable) {
      return { op: opcodes.RESUME, d: { token: identify.token, session_id: this.#resumable.id, seq: this.#sequence } };
    }
    this.#sequence = null; // a new session counts from its READY
    return { op: opcodes.IDENTIFY, d: identify };
  }

  // Called and not returned as an effect: of all that comes in nearly everything is this, and a list for each costs.
  #dispatch({ d, s, t }: GatewayFrame): readonly GatewayEffect[] {
    if (typeof t !== 'string') return noEffects;
    // What comes before READY belongs to no session, and would be mixed with what is known from the one before.
    if (this.#isIdentifying && t !== 'READY') return noEffects;
    if (typeof s === 'number') {
      const last = this.#sequence ?? Number.NEGATIVE_INFINITY;
      if (s > last) this.#sequence = s;
      // A resume may replay what had arrived. In an open session a lower number is no repetition: everything that follows
      // would be ignored, too, so a new session is begun.
      else if (t !== 'RESUMED') return this.#isLive && s < last ? this.#invalidated(false) : noEffects;
    }
    if (t === 'READY') {
      this.#isIdentifying = false;
      this.#resumable = readResumable(d, this.#options.url);
    }
    if (t === 'READY' || t === 'RESUMED') {
      this.#failures = 0;
      this.#due.delete('session');
    }
    if (t === 'RESUMED') this.#unproven = 0;
    this.#options.onDispatch(t, d);
    return noEffects;
  }

  // A new session alone proves nothing: a service that fails right after READY would be asked for another one every second.
  #prove(): void {
    this.#unproven = 0;
    this.#mayHurry = true;
  }

  // Asked for, so the next connection needs no pause; unless asked again before this one has proved to be of use.
  #reconnect(): GatewayEffect[] {
    if (this.#isLive && this.#mayHurry) {
      this.#mayHurry = false;
      this.#failures = -1;
      this.#unproven = -1;
    }
    return [this.#close(closeCodes.UNKNOWN_ERROR.code, 'reconnecting as asked')];
  }

  // A session that is rejected at every resume, although it may be resumed, is abandoned.
  #invalidated(mayResume: boolean): GatewayEffect[] {
    if (!mayResume || (this.#due.has('session') && this.#failures > 1)) this.#forget();
    return [this.#close(closeCodes.UNKNOWN_ERROR.code, 'session is not valid')];
  }

  /** The session is open on the present connection. */
  get #isLive(): boolean {
    return this.#due.has('heartbeat') && !this.#due.has('session');
  }

  /** A heartbeat of our own: to be acknowledged before the next one, or sooner. */
  #beat(ackMsMax = this.#heartbeatMs): GatewayEffect[] {
    this.#due.set('ack', ackMsMax);
    this.#due.set('heartbeat', this.#heartbeatMs);
    return [this.#heartbeat(), this.#tick()];
  }

  #isDue(what: Due): boolean {
    return (this.#due.get(what) ?? 1) <= 0;
  }

  #tick(): GatewayEffect {
    this.#askedMs = Math.min(...this.#due.values());
    return { do: 'tick', afterMs: this.#askedMs };
  }

  // Not taken as missing an ack when the service asks for one: its answer may come after the next tick.
  #heartbeat(): GatewayEffect {
    return { do: 'send', frame: { op: opcodes.HEARTBEAT, d: this.#sequence } };
  }

  // Where the address for resuming leads nowhere, the first one is tried in turn with it.
  #connect(): GatewayEffect {
    const isItsTurn = this.#failures < 2 || this.#failures % 2 === 1;
    const url = gatewayAddress((isItsTurn ? this.#resumable?.url : undefined) ?? this.#options.url);
    return { do: 'connect', url, resumes: this.#resumable !== undefined, failures: this.#unproven };
  }

  #close(code: number, reason: string): GatewayEffect {
    this.#isClosing = true;
    return { do: 'close', code, reason };
  }

  #forget(): void {
    this.#resumable = undefined;
  }
}

const noEffects: readonly GatewayEffect[] = [];

// A healthy gateway sends Hello immediately after it accepts a socket.
const helloMsMax = 10_000;

// From Hello to READY or RESUMED, with the replay of missed events.
const sessionMsMax = 15_000;

// Services ask for tens of seconds. More often would be a load, and less often would not find a dead connection.
const heartbeatMsMin = 1_000;
const heartbeatMsMax = 300_000;

// A generous round trip.
const checkMsMax = 5_000;

const normalClosure = 1000;

/** The address with the version and encoding this package speaks. @see docs/spec/gateway.md#connecting */
export function gatewayAddress(url: string): string {
  const address = new URL(url);
  address.searchParams.set('v', String(apiVersion));
  address.searchParams.set('encoding', 'json');
  address.hash = ''; // no socket opens with one
  return address.href;
}

// The token is sent to this address, so it is checked like the first one.
function readResumable(ready: unknown, firstUrl: string): { id: string; url: string } | undefined {
  const { session_id: id, resume_gateway_url: url } = asRecord(ready) ?? {};
  if (typeof id !== 'string') return undefined;
  const isUsable = typeof url === 'string' && URL.canParse(url) && isAsPrivate(new URL(url), new URL(firstUrl));
  return { id, url: isUsable ? url : firstUrl };
}

/**
 * Whether a token that was sent to the first address may be sent to another: over `wss:` alone when the first was, over `ws:`
 * within this machine, and anywhere over `ws:` only when the first address was allowed to be such a one.
 */
function isAsPrivate(url: URL, first: URL): boolean {
  if (url.protocol === 'wss:') return true;
  if (url.protocol !== 'ws:' || first.protocol !== 'ws:') return false;
  return isPrivate(url) || !isPrivate(first);
}

function adviceOn(code: number): string {
  if (code !== closeCodes.AUTHENTICATION_FAILED.code) return 'Correct the cause';
  return 'The token is not valid, or lacks a scope: get another one';
}

function meaningOf(code: number): string {
  const [name] = Object.entries(closeCodes).find(([, entry]) => entry.code === code) ?? [];
  return name === undefined ? `code ${code}` : `${name} (${code})`;
}
