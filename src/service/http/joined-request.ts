import { Buffer } from 'node:buffer';
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';

const steps = Symbol('steps');
const partListener = Symbol('partListener');
type CountedSocket = Socket & { [steps]?: number; [partListener]?: (() => void) | undefined };

/** How many heads of requests, and ends of their bodies, have arrived on a connection: odd while a body is arriving. */
export function requestStepsOn(socket: Socket): number {
  return (socket as CountedSocket)[steps] ?? 0;
}

/** Has `listener` called whenever a part of a request was read from the connection. @param listener undefined: no more */
export function listenForParts(socket: Duplex, listener: (() => void) | undefined): void {
  (socket as CountedSocket)[partListener] = listener;
}

function countStep(socket: Socket): void {
  (socket as CountedSocket)[steps] = requestStepsOn(socket) + 1;
}

/** Pieces below this are joined, up to this. */
const joinedBytes = 4096;

/**
 * A request that joins small pieces of its body until the end of a turn of the event loop. Node.js reports each chunk of a chunked body as
 * a buffer of its own, which takes some 400 bytes: 64 KiB from the network contain 10,000 of them, which
 * would all be in memory until they are read.
 */
export class JoinedRequest extends IncomingMessage {
  #take: ((chunk: Buffer) => void) | undefined;
  #hasBegun = false;
  #joined: Buffer | undefined;
  #length = 0;

  constructor(socket: Socket) {
    super(socket);
    countStep(socket);
    (socket as CountedSocket)[partListener]?.();
  }

  /**
   * Has each piece of the body passed on when it arrives, and not through the stream, which costs a small request a twentieth of its
   * CPU. The stream then only ends.
   *
   * @returns false, and does nothing, if some of the body is in the stream already, or the client waits until the stream is read
   */
  passOn(take: (chunk: Buffer) => void): boolean {
    if (this.#hasBegun || this.headers.expect !== undefined) return false;
    this.#take = take;
    return true;
  }

  override push(chunk: Buffer | null): boolean {
    (this.socket as CountedSocket)[partListener]?.();
    if (chunk !== null && this.#take) {
      this.#take(chunk);
      return true;
    }
    // Mostly the first piece is the whole body.
    if (chunk !== null && this.#hasBegun && chunk.length < joinedBytes) return this.#join(chunk);
    this.#hasBegun = true;
    this.#flush();
    if (chunk === null) countStep(this.socket);
    return super.push(chunk);
  }

  #join(piece: Buffer): boolean {
    if (this.#length + piece.length > joinedBytes) this.#flush();
    if (!this.#joined) {
      this.#joined = Buffer.allocUnsafeSlow(joinedBytes);
      setImmediate(() => this.#flush());
    }
    this.#length += piece.copy(this.#joined, this.#length);
    return this.readableLength + this.#length < this.readableHighWaterMark;
  }

  #flush(): void {
    const joined = this.#joined;
    if (!joined) return;
    const length = this.#length;
    this.#joined = undefined;
    this.#length = 0;
    // A copy, because few bytes would keep the whole buffer.
    if (!this.destroyed) super.push(length < joinedBytes / 2 ? shrunk(joined, length) : joined.subarray(0, length));
  }
}

function shrunk(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length);
  bytes.copy(copy, 0, 0, length);
  return copy;
}
