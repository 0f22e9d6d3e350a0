import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type CloseCodeName, closeCodes, type GatewayFrame } from '../../model/gateway.ts';
import { limits } from '../../model/limits.ts';
import { parseFrame } from '../../wire/gateway.ts';
import type { Clock } from '../../wire/ports.ts';
import type { Outbox, Sender } from './outbox.ts';

const minuteMs = 60_000;

/** What a connection tells its gateway. */
export interface ConnectionEvents {
  onFrame(connection: Connection, frame: GatewayFrame): void;
  /** Once, as soon as nothing more will come or go. */
  onEnd(connection: Connection, code: number): void;
}

/** What all connections of a gateway share. */
export interface ConnectionContext extends ConnectionEvents {
  readonly clock: Clock;
  readonly outbox: Outbox;
}

/**
 * One socket: counts and decodes what comes, gathers what goes. It knows frames, not sessions; what it cannot accept
 * it closes with the documented code.
 *
 * @see gateway.md 2, 4 and 5
 */
export class Connection implements Sender {
  readonly id: number;
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #context: ConnectionContext;
  #queue: string[] = [];
  #minuteEndMs = 0;
  #received = 0;
  #open = true;

  constructor(id: number, socket: WebSocket, stream: Duplex, context: ConnectionContext) {
    this.id = id;
    this.#socket = socket;
    this.#stream = stream;
    this.#context = context;
    socket.on('message', (data, isBinary) => this.#receive(data.toString(), isBinary));
    socket.on('close', code => this.#end(code));
    socket.on('error', () => {}); // `close` follows and says what is to be known
  }

  /** False once closing has begun, from either side. */
  get open(): boolean {
    return this.#open;
  }

  /** Sends a frame's text at the end of this turn; after the end it goes nowhere. */
  send(text: string): void {
    if (!this.#open) return;
    if (this.#queue.push(text) === 1) this.#context.outbox.add(this);
  }

  flush(): void {
    const queue = this.#queue;
    if (queue.length === 0) return;
    this.#queue = [];
    if (this.#socket.bufferedAmount > limits.gatewayBacklogBytesMax) {
      this.close('UNKNOWN_ERROR', 'Too slow to keep up.');
      return;
    }
    this.#stream.cork();
    for (const text of queue) this.#socket.send(text);
    this.#stream.uncork();
  }

  /** Sends what is queued, then the close frame. Idempotent. */
  close(name: CloseCodeName, reason: string = closeCodes[name].reason): void {
    this.closeWith(closeCodes[name].code, reason);
  }

  /** As {@link close}, with a code of the WebSocket protocol's own. */
  closeWith(code: number, reason: string): void {
    if (!this.#open) return;
    this.flush();
    this.#end(code);
    this.#socket.close(code, reason);
  }

  #end(code: number): void {
    if (!this.#open) return;
    this.#open = false;
    this.#queue = [];
    this.#context.onEnd(this, code);
  }

  #receive(text: string, isBinary: boolean): void {
    if (!this.#open) return;
    const frame = isBinary ? undefined : parseFrame(text);
    if (!this.#countReceived()) this.close('RATE_LIMITED');
    else if (!frame) this.close('DECODE_ERROR');
    else this.#context.onFrame(this, frame);
  }

  // Our choice: heartbeats count too, as the documentation makes no exception for them.
  #countReceived(): boolean {
    const nowMs = this.#context.clock.now();
    if (nowMs >= this.#minuteEndMs) {
      this.#minuteEndMs = nowMs + minuteMs;
      this.#received = 0;
    }
    return ++this.#received <= limits.gatewaySendsPerMinute;
  }
}
