import { createHash } from 'node:crypto';
import { limits } from '../../model/limits/limits.ts';
import { signatureHeaders, verifyMessage } from '../../wire/signature.ts';

/** What an endpoint trusts. */
export interface Trust {
  /** The application's public key, 64 hexadecimal digits. */
  readonly publicKey: string;
  /** How far a request's time may be from now. */
  readonly driftMs: number;
}

/** A request as it came, whatever server took it. */
export interface SignedRequest {
  readonly method: string;
  /** The value of a header by its lower-case name, when it came exactly once. */
  readonly header: (name: string) => string | undefined;
  /** As it came, before any decoding; undefined when it is longer than `limits.interactionBytesMax`. */
  readonly body: Uint8Array | undefined;
}

/**
 * Whether the service made this request, and just now: an old one may be repeated by whoever has seen it. Seconds since
 * the Unix epoch are the timestamp.
 *
 * @see docs/spec/interactions.md#delivery-over-http
 */
export function isGenuine(
  { header }: SignedRequest,
  body: Uint8Array,
  nowMs: number,
  { publicKey, driftMs }: Trust,
): boolean {
  const signature = header(signatureHeaders.signature);
  const timestamp = header(signatureHeaders.timestamp);
  if (signature === undefined || timestamp === undefined || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs - Number(timestamp) * 1000) > driftMs) return false;
  return verifyMessage(publicKey, signature, timestamp, body);
}

/** Our choice: what a busy server takes in in some minutes, in about 10 MB. */
const remembered = 65_536;

/**
 * Genuine requests that came before, for as long as their time lets them pass for new ones; of more than {@link remembered} the
 * oldest are forgotten. Each process knows of its own.
 */
export class ReceivedRequests {
  readonly #driftMs: number;
  /** What was signed, hashed: a signature can be written in several ways. In the order of arrival, with the end of each. */
  readonly #endsMs = new Map<string, number>();

  constructor({ driftMs }: Pick<Trust, 'driftMs'>) {
    this.#driftMs = driftMs;
  }

  /** @returns false when it came before */
  add({ header }: SignedRequest, body: Uint8Array, nowMs: number): boolean {
    const timestamp = header(signatureHeaders.timestamp) ?? '';
    const key = createHash('sha256').update(timestamp).update(body).digest('base64url');
    if (this.#endsMs.has(key)) return false;
    for (const [oldest, endMs] of this.#endsMs) {
      if (endMs >= nowMs && this.#endsMs.size < remembered) break;
      this.#endsMs.delete(oldest);
    }
    this.#endsMs.set(key, Number(timestamp) * 1000 + this.#driftMs);
    return true;
  }
}

/** A body as it came; undefined when it is longer than `limits.interactionBytesMax`, which is then not read to its end. */
export async function collectBody(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limits.interactionBytesMax) return undefined;
    collected.push(chunk);
  }
  return Buffer.concat(collected);
}
