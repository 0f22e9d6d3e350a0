import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { intakeLimits } from '../../support/service-limits.ts';

/** Thrown when the sender went away, or was sent away, before its body was there: nobody waits for an answer. */
export class BodyBrokenOff extends Error {}

/** Whether the request says that its body is small enough to be taken from anybody. */
export function isSmall({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= intakeLimits.unprovenBodyBytesMax;
}

/** The bytes of a request, being collected, and then until they are released. */
export interface Collected {
  /**
   * The body, or undefined when it is too large; what is too much is read on and thrown away, so that the answer gets through.
   *
   * @throws BodyBrokenOff
   */
  readonly bytes: Promise<Buffer | undefined>;
  /** They are a stranger's no longer: from here on they are not counted. */
  trust(): void;
  /** To be called in the end: what is there is let go of, and what still comes is thrown away. Idempotent. */
  close(): void;
}

/** @param held where they are counted */
export function collectBody(request: IncomingMessage, bytesMax: number, held: HeldBytes): Collected {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (declared > bytesMax) return { bytes: Promise.resolve(undefined), trust() {}, close() {} };
  const hold = held.open(() => request.socket.destroy());
  const gathered = new Gathered(hold, declared >= 0 ? declared : bytesMax);
  const bytes = new Promise<Buffer | undefined>((resolve, reject) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) gathered.add(chunk);
      else gathered.end();
      // All of it is there; the event that says so comes later.
      if (size === declared) resolve(gathered.bytes);
    });
    request.on('end', () => resolve(size <= bytesMax ? gathered.bytes : undefined));
    const breakOff = () => {
      gathered.end();
      reject(new BodyBrokenOff());
    };
    request.on('error', breakOff);
    // Follows `end` as well, and then settles nothing.
    request.on('close', () => {
      if (!request.complete) breakOff();
    });
  });
  // Where the request is refused before, nobody waits for them.
  bytes.catch(() => {});
  return { bytes, trust: () => hold.release(), close: () => gathered.end() };
}

const none: Buffer = Buffer.alloc(0);

/**
 * Puts chunks together in one buffer: kept as they are, a body that comes a byte at a time would take a hundred times its size.
 */
class Gathered {
  readonly #hold: Hold;
  readonly #bytesMax: number;
  #buffer = none;
  #length = 0;
  #hasEnded = false;

  /** @param bytesMax how much it will be, or may be */
  constructor(hold: Hold, bytesMax: number) {
    this.#hold = hold;
    this.#bytesMax = bytesMax;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    if (this.#hasEnded) return;
    const length = this.#length + chunk.length;
    // Mostly the first is all there is.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#growTo(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
    this.#hold.grow(this.#buffer.length);
  }

  /** Lets go of all, and takes no more. */
  end(): void {
    this.#hasEnded = true;
    this.#buffer = none;
    this.#length = 0;
    this.#hold.release();
  }

  #growTo(length: number): void {
    const buffer = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(length, 2 * this.#buffer.length)));
    this.#buffer.copy(buffer, 0, 0, this.#length);
    this.#buffer = buffer;
  }
}

/** A body in memory. */
export interface Hold {
  /** Says that it takes `bytes` in all by now. */
  grow(bytes: number): void;
  /** It was dealt with, or nobody waits for it any more. Idempotent. */
  release(): void;
}

/**
 * Bounds what bodies take in memory, all together. When they take more, the one that has been there for longest makes room:
 * who sends slowly in order to be in the way loses, and a body that arrives at once is gone before its turn comes.
 */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  readonly #holds = new Set<HeldBody>();
  #bytes = 0;

  /** @param onDrop called for each body that made room */
  constructor(bytesMax: number, onDrop: () => void = () => {}) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
  }

  /** What is held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param drop lets go of the body, and of its sender */
  open(drop: () => void): Hold {
    const hold: HeldBody = {
      bytes: 0,
      drop,
      grow: bytes => this.#grow(hold, bytes),
      release: () => this.#release(hold),
    };
    this.#holds.add(hold);
    return hold;
  }

  #grow(hold: HeldBody, bytes: number): void {
    if (!this.#holds.has(hold)) return;
    this.#bytes += bytes - hold.bytes;
    hold.bytes = bytes;
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#holds;
      if (!oldest) return;
      this.#release(oldest);
      oldest.drop();
      this.#onDrop();
    }
  }

  #release(hold: HeldBody): void {
    if (!this.#holds.delete(hold)) return;
    this.#bytes -= hold.bytes;
  }
}

interface HeldBody extends Hold {
  bytes: number;
  readonly drop: () => void;
}
