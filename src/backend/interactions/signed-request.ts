import { createHash } from 'node:crypto';
import { ReceivedBody } from '../../wire/http/transport.ts';
import { signatureHeaders, verifyMessage } from '../../wire/signature.ts';

/** Bounds of what an endpoint accepts. Unspecified: all of them. @see docs/spec/interactions.md#delivery-over-http */
export const endpointLimits = {
  /** Of a request's body: room for the largest use of a command. */
  interactionBytesMax: 1024 * 1024,
  /** How far the timestamp of a request may differ from the endpoint's clock. */
  interactionTimestampDriftMs: 5 * 60_000,
  /** How many accepted requests an endpoint remembers, about 10 MB: what a busy server receives in some minutes. */
  requestsRememberedMax: 65_536,
} as const;

/** How an endpoint decides whether a request comes from the service. */
export interface Trust {
  /** The application's public key, 64 hexadecimal digits. */
  readonly publicKey: string;
  /** How far a request's timestamp may differ from the current time. */
  readonly driftMs: number;
}

/** A request as it was received, independent of the HTTP server. */
export interface SignedRequest {
  readonly method: string;
  /** The value of a header by its lower-case name, when it came exactly once. */
  readonly header: (name: string) => string | undefined;
  /** The bytes as received; undefined when it is longer than `endpointLimits.interactionBytesMax`. */
  readonly body: Uint8Array | undefined;
}

/**
 * Whether the service signed this request recently: anyone who saw an old one could send it again. The timestamp is in
 * seconds since the Unix epoch.
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

/**
 * The requests that were accepted, each until its timestamp is too old to be accepted again. Beyond
 * `endpointLimits.requestsRememberedMax` the oldest are forgotten. Each process has its own list.
 */
export class ReceivedRequests {
  readonly #driftMs: number;
  /** Hash of what was signed (one signature has several encodings) → when it expires, in the order of arrival. */
  readonly #endsMs = new Map<string, number>();

  constructor({ driftMs }: Pick<Trust, 'driftMs'>) {
    this.#driftMs = driftMs;
  }

  /** @returns false when the request was accepted before */
  add({ header }: SignedRequest, body: Uint8Array, nowMs: number): boolean {
    const timestamp = header(signatureHeaders.timestamp) ?? '';
    const key = createHash('sha256').update(timestamp).update(body).digest('base64url');
    if (this.#endsMs.has(key)) return false;
    for (const [oldest, endMs] of this.#endsMs) {
      if (endMs >= nowMs && this.#endsMs.size < endpointLimits.requestsRememberedMax) break;
      this.#endsMs.delete(oldest);
    }
    this.#endsMs.set(key, Number(timestamp) * 1000 + this.#driftMs);
    return true;
  }
}

/** A body that was read already; undefined when it is longer than `endpointLimits.interactionBytesMax`. */
export function boundBody(body: Uint8Array): Uint8Array | undefined {
  return body.length > endpointLimits.interactionBytesMax ? undefined : body;
}

/** Reads a body; undefined when it is longer than `endpointLimits.interactionBytesMax`, whose rest is then not read. */
export async function collectBody(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const body = new ReceivedBody(endpointLimits.interactionBytesMax);
  for await (const chunk of chunks) if (!body.add(chunk)) return undefined;
  return body.bytes();
}
