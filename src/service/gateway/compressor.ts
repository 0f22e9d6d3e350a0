import type { Transform } from 'node:stream';
import { zlib } from './zlib.ts';

/** Compressions of a whole connection, by their name in its address. @see gateway.md 8 */
export type StreamCompression = 'zlib-stream' | 'zstd-stream';

// Our choice: small windows. Messages are small and alike, and each connection keeps its context: with zlib 64 KiB
// rather than the 256 of the defaults, with zstd some hundreds rather than megabytes.
const zlibOptions = { windowBits: 13, memLevel: 6 };
const zstdWindowLog = 15;

/** The compression of that name, if this Node has it: zstd came with 22.15. */
export function compressionNamed(name: string | null): StreamCompression | undefined {
  if (name === 'zlib-stream') return name;
  return name === 'zstd-stream' && 'createZstdCompress' in zlib() ? name : undefined;
}

/**
 * Compresses the messages of one connection with one context: each comes out whole, and what follows refers to it.
 * A zlib message ends with 00 00 FF FF; a zstd message ends a block, the frame stays open.
 */
export class Compressor {
  readonly #stream: Transform & { flush(kind: number, done: () => void): void };
  readonly #flush: number;
  #chunks: Buffer[] = [];

  constructor(compression: StreamCompression) {
    if (compression === 'zlib-stream') {
      this.#stream = zlib().createDeflate(zlibOptions);
      this.#flush = zlib().constants.Z_SYNC_FLUSH;
    } else {
      this.#stream = zlib().createZstdCompress({ params: { [zlib().constants.ZSTD_c_windowLog]: zstdWindowLog } });
      this.#flush = zlib().constants.ZSTD_e_flush;
    }
    this.#stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#stream.on('error', () => {}); // shows as a message that never comes out: only after `close`
  }

  /** Resolves with what is to be sent for this message; messages come out in the order they went in. */
  compress(message: Buffer): Promise<Buffer> {
    return new Promise(resolve => {
      this.#stream.write(message);
      this.#stream.flush(this.#flush, () => {
        const chunks = this.#chunks;
        this.#chunks = [];
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      });
    });
  }

  /** Lets go of the context. Messages under way may never come out. */
  close(): void {
    this.#stream.destroy();
  }
}
