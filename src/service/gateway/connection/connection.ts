import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type { RawData } from 'ws';
import { type CloseCodeName, closeCodes, type DispatchName, type GatewayFrame } from '../../../model/gateway.ts';
import { type Cancel, type Clock, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { parseFrame } from '../../../wire/gateway/frames.ts';
import { quoteLongIds } from '../../support/long-ids.ts';
import { runtimeLimits, serviceLimits } from '../../support/service-limits.ts';
import type { TrafficObserver } from '../../support/traffic.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { closeReasons } from './close-reasons.ts';
import type { Compressor } from './compressor.ts';
import type { Encoding } from './encoding.ts';
import { type DispatchFrame, frameBinary, joinFrames, type OutFrame, textFrame, textOf } from './frames.ts';
import type { GatewaySocket, SocketListener } from './socket.ts';
import { zlib } from './zlib.ts';

const minuteMs = 60_000;

/** What a connection reports to its gateway. */
export interface ConnectionEvents {
  onFrame(connection: Connection, frame: GatewayFrame): void;
  /**
   * Called once, as soon as nothing more is sent or received.
   *
   * @param byPeer whether the peer or the network closed the connection
   */
  onEnd(connection: Connection, code: number, byPeer: boolean): void;
}

/** What all connections of a gateway share. */
export interface ConnectionContext extends ConnectionEvents {
  readonly clock: Clock;
  readonly outbox: Outbox;
  /** Counts frames and bytes sent. */
  readonly metrics: Pick<Metrics, 'dispatches'>;
  /** Fault injection; called before frames are sent. */
  readonly faults?: SendFaults;
  /** Receives every frame that is received, and every one that is about to be sent. */
  readonly traffic?: TrafficObserver | undefined;
  /** Receives the stream of each connection whose client has a valid credential. */
  onProof?(stream: Duplex): void;
}

/** Breaks connections as tests demand. */
export interface SendFaults {
  /** Called before frames are sent; it may drop, freeze or cut them. @param events names of the dispatches */
  beforeSending(connection: Connection, events: readonly DispatchName[]): void;
  /** Whether a call can have an effect. */
  readonly concernSockets: boolean;
}

/** How messages are encoded; plain JSON text by default. */
export interface MessageForm {
  readonly encoding?: Encoding | undefined;
  readonly compressor?: Compressor | undefined;
}

/**
 * Whether an event is compressed for a client with payload compression: only large ones are.
 * @see docs/spec/gateway.md#encoding-and-compression
 */
const compressedEvents: ReadonlySet<DispatchName> = new Set(['READY', 'GUILD_CREATE']);

/**
 * One socket: it counts and decodes incoming frames, and collects outgoing ones. It knows frames, not sessions, and
 * closes with the documented code when it cannot accept a frame.
 *
 * Outgoing frames bypass `ws`, whose own sending costs a system call for every message.
 *
 * @see docs/spec/gateway.md#frames; docs/spec/gateway.md#close-codes; docs/spec/gateway.md#rates; docs/spec/gateway.md#encoding-and-compression
 */
export class Connection implements Sender, SocketListener {
  readonly id: number;
  /** On the service's clock. */
  readonly openedAtMs: number;
  /** Whether large events are compressed one by one, as Identify requests. Only for plain JSON. */
  compressesPayloads = false;
  readonly #socket: GatewaySocket;
  readonly #stream: Duplex;
  readonly #context: ConnectionContext;
  readonly #encoding: Encoding | undefined;
  readonly #compressor: Compressor | undefined;
  #queue: OutFrame[] = [];
  /** Number of the first dispatch in the queue; the others follow without a gap. */
  #sequence = 0;
  /** Bytes of requested data in the queue. */
  #queuedOwed = 0;
  /**
   * Bytes written to the stream so far, the position up to which requested data is in it, and the deadline for
   * reading that.
   */
  #written = 0;
  #owedUntil = 0;
  #owedEndMs = 0;
  /** The compression in progress. */
  #compressing: Promise<void> | undefined;
  #compressingBytes = 0;
  #minuteEndMs = 0;
  #received = 0;
  #open = true;
  #isFrozen = false;
  #withheld: Cancel | undefined;
  /** Frames were to be sent while it was frozen. */
  #hasLost = false;
  #cutAt: number | undefined;

  constructor(id: number, socket: GatewaySocket, stream: Duplex, context: ConnectionContext, form: MessageForm = {}) {
    this.id = id;
    this.openedAtMs = context.clock.now();
    this.#socket = socket;
    this.#stream = stream;
    this.#context = context;
    this.#encoding = form.encoding;
    this.#compressor = form.compressor;
    socket.listener = this;
  }

  /** False once either side has begun to close. */
  get open(): boolean {
    return this.#open;
  }

  /** A fault has frozen it. */
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  get encodingName(): 'json' | 'etf' {
    return this.#encoding ? 'etf' : 'json';
  }

  /** How its messages are compressed; null: they are not. */
  get compressionName(): string | null {
    return this.#compressor?.name ?? (this.compressesPayloads ? 'payload' : null);
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Sends nothing until {@link proceed}, or its own end, or for as long as `runtimeLimits.gatewayWithheldMs`. */
  withhold(): void {
    this.#withheld ??= systemClock.schedule(runtimeLimits.gatewayWithheldMs, () => this.proceed());
  }

  /** Sends what was withheld. Idempotent. */
  proceed(): void {
    if (!this.#withheld) return;
    this.#endWithholding();
    this.flush();
  }

  #endWithholding(): void {
    this.#withheld?.();
    this.#withheld = undefined;
  }

  /** Sends a frame at the end of this turn; does nothing after the connection was closed. */
  send(frame: OutFrame): void {
    if (!this.#open) return;
    if (this.#queue.push(frame) === 1) this.#context.outbox.add(this);
  }

  /**
   * As {@link dispatch}, for data that the client requested and that has no bound: READY, the guilds after it, a
   * replay. It does not count as backlog as long as the client reads at least
   * `runtimeLimits.gatewayOwedBytesPerSecondMin`.
   */
  owe(frame: DispatchFrame, sequence: number): void {
    this.dispatch(frame, sequence);
    if (this.#open) this.#queuedOwed += frame.bytes.length;
  }

  /** As {@link send}, a dispatch with the number `sequence`, which follows the last one. */
  dispatch(frame: DispatchFrame, sequence: number): void {
    if (!this.#open) return;
    if (this.#queue.length === 0) this.#context.outbox.add(this);
    if (this.#sequence === 0) this.#sequence = sequence;
    this.#queue.push(frame);
    this.#context.metrics.dispatches++;
  }

  /** Bytes that wait for the client to read them. */
  get backlogBytes(): number {
    return this.#stream.writableLength + this.#compressingBytes;
  }

  flush(): void {
    const queue = this.#queue;
    const sequence = this.#sequence;
    if (queue.length === 0 || this.#withheld) return;
    const owed = this.#queuedOwed;
    this.#queue = [];
    this.#sequence = 0;
    this.#queuedOwed = 0;
    if (this.#isTooSlow()) {
      this.close('UNKNOWN_ERROR', 'Too slow to keep up.');
      return;
    }
    const { faults } = this.#context;
    if (faults?.concernSockets)
      faults.beforeSending(
        this,
        queue.map(nameOf).filter(name => name !== undefined),
      );
    if (this.#isFrozen) {
      this.#hasLost = true;
      return;
    }
    if (this.#context.traffic) this.#observeSent(queue, sequence);
    if (this.#cutAt !== undefined) this.#writeCut(queue[0], this.#cutAt);
    else if (this.#compressor) this.#sendCompressed(this.#compressor, queue, sequence, owed);
    else if (this.#encoding) this.#write(Buffer.concat(this.#messages(queue, sequence).map(frameBinary)), owed);
    else this.#write(this.compressesPayloads ? joinMixed(queue, sequence) : joinFrames(queue, sequence), owed);
  }

  #write(bytes: Buffer, owed: number): void {
    this.#stream.write(bytes);
    this.#written += bytes.length;
    if (owed === 0) return;
    this.#owedUntil = this.#written;
    const { gatewayOwedBytesPerSecondMin, gatewayOwedMs } = runtimeLimits;
    const readMs = (this.#stream.writableLength / gatewayOwedBytesPerSecondMin) * 1000;
    this.#owedEndMs = performance.now() + gatewayOwedMs + readMs;
  }

  /** Whether more waits behind the requested data than is allowed, or the client reads that data too slowly. */
  #isTooSlow(): boolean {
    const waiting = this.#stream.writableLength;
    // The waiting bytes may be the answer to the upgrade, which was not written here.
    const taken = Math.max(0, this.#written - waiting);
    const owed = Math.max(0, this.#owedUntil - taken);
    if (owed > 0 && performance.now() > this.#owedEndMs) return true;
    return waiting - owed + this.#compressingBytes > serviceLimits.gatewayBacklogBytesMax;
  }

  /** Sends the queue, then the close frame. Idempotent. */
  close(name: CloseCodeName, reason: string = closeReasons[name]): void {
    this.closeWith(closeCodes[name].code, reason);
  }

  /** As {@link close}, with a code of the WebSocket protocol. */
  closeWith(code: number, reason: string): void {
    if (!this.#open) return;
    this.#endWithholding();
    this.flush();
    if (!this.#open) return; // Flushing has closed it, because the client reads too slowly.
    const compressing = this.#compressing;
    this.#end(code, false);
    if (compressing) compressing.then(() => this.#socket.close(code, reason));
    else this.#socket.close(code, reason);
  }

  onClose(code: number): void {
    this.#compressor?.close();
    this.#end(code, true);
  }

  /** Its client has a valid credential. */
  prove(): void {
    this.#context.onProof?.(this.#stream);
  }

  /** Cuts the connection, as a network failure does. */
  drop(): void {
    this.#stream.destroy();
  }

  /** From now on nothing is sent or received, although the socket stays open. */
  freeze(): void {
    this.#isFrozen = true;
    this.#socket.pause();
  }

  /**
   * Ends a freeze: what the client has sent meanwhile is received.
   *
   * @returns whether frames were lost, so that the client must resume to receive them
   */
  thaw(): boolean {
    const hasLost = this.#hasLost;
    this.#isFrozen = false;
    this.#hasLost = false;
    this.#socket.resume();
    return hasLost;
  }

  /** Sends the beginning of the next message and nothing after it. @param at how much of it: 0 to 1 */
  cutNext(at: number): void {
    this.#cutAt = at;
  }

  #end(code: number, byPeer: boolean): void {
    if (!this.#open) return;
    this.#open = false;
    this.#queue = [];
    this.#endWithholding();
    this.#context.onEnd(this, code, byPeer);
  }

  #writeCut(frame: OutFrame | undefined, at: number): void {
    this.#cutAt = undefined;
    const text = frame ? this.#message(frame, 0) : Buffer.from('{}');
    const part = text.subarray(0, Math.floor(at * text.length));
    const isBinary = this.#compressor || this.#encoding;
    this.#stream.write(isBinary ? frameBinary(part) : joinFrames([textFrame(part.toString())], 0));
  }

  #observeSent(frames: readonly OutFrame[], sequence: number): void {
    let number = sequence;
    for (const frame of frames) {
      const sent = parseFrame(textOf(frame, frame.numberEnd > 0 ? number++ : 0).toString());
      if (sent) this.#observe('sent', sent);
    }
  }

  #observe(kind: 'received' | 'sent', frame: GatewayFrame): void {
    const { traffic, clock } = this.#context;
    traffic?.connection?.({ connection: this.id, atMs: clock.now(), kind, frame });
  }

  #messages(frames: readonly OutFrame[], sequence: number): Buffer[] {
    let number = sequence;
    return frames.map(frame => this.#message(frame, frame.numberEnd > 0 ? number++ : 0));
  }

  #message(frame: OutFrame, number: number): Buffer {
    return this.#encoding ? this.#encoding.message(frame, number) : textOf(frame, number);
  }

  /** Without a session, a compressor would not be worth its memory. */
  #sendCompressed(compressor: Compressor, queue: readonly OutFrame[], sequence: number, owed: number): void {
    const messages = this.#messages(queue, sequence);
    const stored = sequence === 0 ? compressor.store(messages) : undefined;
    if (stored) this.#write(Buffer.concat(stored.map(frameBinary)), owed);
    else this.#compress(compressor, messages, owed);
  }

  // One after another, with each turn's frames in one write, as without compression.
  #compress(compressor: Compressor, texts: readonly Buffer[], owed: number): void {
    const bytes = owed > 0 ? 0 : texts.reduce((size, text) => size + text.length, 0);
    this.#compressingBytes += bytes;
    const done = Promise.all(texts.map(text => compressor.compress(text))).then(messages => {
      this.#compressingBytes -= bytes;
      if (this.#compressing === done) this.#compressing = undefined;
      if (this.#stream.writable) this.#write(Buffer.concat(messages.map(frameBinary)), owed);
    });
    this.#compressing = done;
  }

  onMessage(data: RawData, isBinary: boolean): void {
    if (!this.#open) return;
    if (!this.#countReceived()) {
      this.close('RATE_LIMITED');
      return;
    }
    const frame = this.#read(data as Buffer, isBinary);
    if (frame) {
      this.#observe('received', frame);
      this.#context.onFrame(this, frame);
    } else this.close('DECODE_ERROR');
  }

  /** Unspecified: pings and pongs count like other frames, because each takes as much work as one. */
  onControlFrame(): void {
    if (this.#open && !this.#countReceived()) this.close('RATE_LIMITED');
  }

  #read(message: Buffer, isBinary: boolean): GatewayFrame | undefined {
    if (isBinary !== (this.#encoding !== undefined)) return undefined;
    return this.#encoding ? this.#encoding.read(message) : parseFrame(quoteLongIds(message.toString()));
  }

  // Unspecified: heartbeats count too, because the documentation makes no exception for them.
  #countReceived(): boolean {
    const nowMs = steadyNow(this.#context.clock);
    if (nowMs >= this.#minuteEndMs) {
      this.#minuteEndMs = nowMs + minuteMs;
      this.#received = 0;
    }
    return ++this.#received <= serviceLimits.gatewaySendsPerMinute;
  }
}

/** The frames in a row, with each large event compressed separately. */
function joinMixed(frames: readonly OutFrame[], sequence: number): Buffer {
  let number = sequence;
  const parts = frames.map(frame => {
    const own = frame.numberEnd > 0 ? number++ : 0;
    return isCompressed(frame) ? frameBinary(zlib().deflateSync(textOf(frame, own))) : joinFrames([frame], own);
  });
  return Buffer.concat(parts);
}

function isCompressed(frame: OutFrame): boolean {
  const name = nameOf(frame);
  return name !== undefined && compressedEvents.has(name);
}

/** The event in the frame. */
function nameOf(frame: OutFrame): DispatchName | undefined {
  return 'name' in frame ? (frame as DispatchFrame).name : undefined;
}

/** Something with frames to send. */
interface Sender {
  /** How many frames it has to send. */
  readonly queued: number;
  flush(): void;
}

/**
 * Sends all that one commit causes for a socket in one write, because a write costs more than its bytes.
 *
 * A single event is sent when its commit has announced it. With several, the answers to the requests that caused them
 * are sent first, in the same turn of the event loop: by the time the events are sent, their callers may have sent
 * their next requests, together.
 */
export class Outbox {
  #waiting: Sender[] = [];

  /** Flushes `sender` soon. Call it once until then. */
  add(sender: Sender): void {
    if (this.#waiting.push(sender) > 1) return;
    queueMicrotask(() => {
      if (sender.queued === 1) this.#flush();
      else process.nextTick(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) sender.flush();
  }
}
