import { Buffer } from 'node:buffer';
import type { Transform } from 'node:stream';
import { zlib } from './zlib.ts';

type CompressingStream = Transform & { flush(kind: number, done: () => void): void };

/**
 * Compressions of a whole connection, by their name in the address.
 * @see docs/spec/gateway.md#encoding-and-compression
 */
export type StreamCompression = 'zlib-stream' | 'zstd-stream';

// Unspecified: small windows and tables. Messages are small and similar, and each connection keeps a context: with
// zlib 64 KiB instead of the default's 256, with zstd about 80 instead of 820.
const zlibOptions = { windowBits: 13, memLevel: 6 };
const zstdWindowLog = 15;
const zstdHashLog = 13;

/**
 * How a stream of each kind begins, as its compressor writes it with these options.
 * @see RFC 1950, section 2.2; RFC 8878, section 3.1.1.1
 */
const beginnings: Readonly<Record<StreamCompression, Buffer>> = {
  'zlib-stream': Buffer.from([0x58, 0x85]),
  'zstd-stream': Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (zstdWindowLog - 10) << 3]),
};

/** Longer messages are not stored uncompressed, because both formats bound the size of a block. */
const storedLengthMax = 2 ** 15;

/** The compression of that name, if this Node has it: zstd is available from 22.15 on. */
export function compressionNamed(name: string | null): StreamCompression | undefined {
  if (name === 'zlib-stream') return name;
  return name === 'zstd-stream' && 'createZstdCompress' in zlib() ? name : undefined;
}

/**
 * Compresses the messages of one connection with one context: each message is written completely, and later ones
 * refer to it. A zlib message ends with 00 00 FF FF; a zstd message ends a block, and the frame stays open.
 *
 * The context is created when there is something to compress. Until then messages are stored uncompressed, as both
 * formats allow, so that a connection without a session takes no memory for it.
 */
export class Compressor {
  readonly #compression: StreamCompression;
  #stream: CompressingStream | undefined;
  #hasBegun = false;
  #isClosed = false;
  #chunks: Buffer[] = [];

  constructor(compression: StreamCompression) {
    this.#compression = compression;
  }

  get name(): StreamCompression {
    return this.#compression;
  }

  /**
   * The messages in the stream's format, uncompressed; undefined once there is a context, or when a message is large.
   */
  store(messages: readonly Buffer[]): Buffer[] | undefined {
    if (this.#stream || messages.some(({ length }) => length >= storedLengthMax)) return undefined;
    const block = this.#compression === 'zlib-stream' ? storedZlib : storedZstd;
    return messages.map(message => this.#begun(block(message)));
  }

  /** Resolves with the bytes to send for this message, in the order of the calls. */
  compress(message: Buffer): Promise<Buffer> {
    this.#stream ??= this.#open();
    const stream = this.#stream;
    const { Z_SYNC_FLUSH, ZSTD_e_flush } = zlib().constants;
    return new Promise(resolve => {
      stream.write(message);
      stream.flush(this.#compression === 'zlib-stream' ? Z_SYNC_FLUSH : ZSTD_e_flush, () => {
        const chunks = this.#chunks;
        this.#chunks = [];
        resolve(this.#begun(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      });
    });
  }

  /** Frees the context. Pending messages may never resolve. */
  close(): void {
    this.#isClosed = true;
    this.#stream?.destroy();
  }

  #open(): CompressingStream {
    const stream = this.#compression === 'zlib-stream' ? zlib().createDeflateRaw(zlibOptions) : openZstd();
    // The prologue of the stream was already sent, or is sent by `store`.
    let toSkip = this.#compression === 'zstd-stream' ? beginnings['zstd-stream'].length : 0;
    stream.on('data', (chunk: Buffer) => {
      const rest = chunk.subarray(toSkip);
      toSkip -= chunk.length - rest.length;
      if (rest.length > 0) this.#chunks.push(rest);
    });
    stream.on('error', () => {}); // Only after `close`; the message then never resolves.
    if (this.#isClosed) stream.destroy();
    return stream;
  }

  #begun(bytes: Buffer): Buffer {
    if (this.#hasBegun) return bytes;
    this.#hasBegun = true;
    return Buffer.concat([beginnings[this.#compression], bytes]);
  }
}

function openZstd(): CompressingStream {
  const { ZSTD_c_windowLog, ZSTD_c_compressionLevel, ZSTD_c_hashLog } = zlib().constants;
  const params = { [ZSTD_c_windowLog]: zstdWindowLog, [ZSTD_c_compressionLevel]: 1, [ZSTD_c_hashLog]: zstdHashLog };
  return zlib().createZstdCompress({ params });
}

/** A stored block, followed by an empty one, which ends a message. @see RFC 1951, section 3.2.4 */
function storedZlib(message: Buffer): Buffer {
  const { length } = message;
  const head = [0x00, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff];
  return Buffer.concat([Buffer.from(head), message, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff])]);
}

/** A raw block that is not the last. @see RFC 8878, section 3.1.1.2 */
function storedZstd(message: Buffer): Buffer {
  const head = message.length << 3;
  return Buffer.concat([Buffer.from([head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff]), message]);
}
