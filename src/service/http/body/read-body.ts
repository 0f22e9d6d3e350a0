import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Route } from '../../../wire/routes.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { quoteLongIds } from '../../support/long-ids.ts';
import { invalidBody, RequestError } from '../../support/request-error.ts';
import { intakeLimits, serviceLimits } from '../../support/service-limits.ts';
import { JoinedRequest } from '../joined-request.ts';
import { readFormBody } from './form-body.ts';
import { parseLargeJson } from './large-json.ts';
import { parseForm } from './url-encoded.ts';

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** Media types of a form that can replace a JSON body. */
export const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;

function isFormType(mediaType: string | undefined): boolean {
  return (formTypes as readonly unknown[]).includes(mediaType);
}

/** The bound on a body: for unidentified callers, for all others, and for forms that may contain files. */
export function bodyBytesMax({ forms }: Route, headers: IncomingHttpHeaders, isProven: boolean): number {
  if (!isProven) return intakeLimits.unprovenBodyBytesMax;
  const isForm = forms !== undefined && isFormType(mediaTypeOf(headers['content-type']));
  return isForm ? serviceLimits.formBodyBytesMax : serviceLimits.requestBodyBytesMax;
}

/**
 * Reads a body in the form that the route takes: parsed JSON, or the fields of a form. It is undefined if an optional body is
 * missing, and for a malformed form or one with too many fields, because the OAuth2 routes have error bodies of their own.
 *
 * @returns a promise only for a large body, which is parsed with pauses, and for a form in place of JSON
 * @throws RequestError `request_too_large`, `invalid_form_body` on another media type, `invalid_json`
 */
export function readBody(route: Route, headers: IncomingHttpHeaders, bytes: Buffer | undefined): unknown {
  if (!bytes) throw new RequestError('request_too_large');
  if (route.bodyOptional && bytes.length === 0) return undefined;
  const mediaType = mediaTypeOf(headers['content-type']);
  if (route.body === 'form') return mediaType === mediaTypes.form ? parseForm(bytes.toString()) : undefined;
  if (route.forms && isFormType(mediaType)) return readFormBody(headers['content-type'] ?? '', bytes, route.forms);
  if (mediaType !== mediaTypes.json) throw wrongMediaType(mediaTypes.json);
  if (!isUtf8(bytes)) throw new RequestError('invalid_json');
  const isLarge = bytes.length > intakeLimits.jsonPortionBytes;
  return isLarge ? parseLargeJson(bytes, readJson) : readJson(bytes.toString());
}

/** @throws RequestError `invalid_json` */
function readJson(text: string): unknown {
  try {
    return JSON.parse(quoteLongIds(text));
  } catch {
    throw new RequestError('invalid_json');
  }
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  if (contentType === mediaTypes.json) return contentType;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

function wrongMediaType(expected: string): RequestError {
  const message = serviceFieldErrors.CONTENT_TYPE_INVALID(expected);
  return invalidBody([{ path: [], code: 'CONTENT_TYPE_INVALID', message }]);
}

/** Thrown when the connection closed before the body was complete, so that no answer is needed. */
export class BodyBrokenOff extends Error {}

/** Whether the declared length is small enough to read the body before the caller is identified. */
export function isSmall({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= intakeLimits.unprovenBodyBytesMax;
}

/** The body of a request while it is received, and until it is released. */
export interface Collected {
  /**
   * The body, or undefined if it is too large. The rest is then read and discarded, so that the client receives the answer.
   *
   * @throws BodyBrokenOff
   */
  readonly bytes: Promise<Buffer | undefined>;
  /** The caller has proved who it is: the bytes no longer count against the bound for unidentified callers. */
  trust(): void;
  /** Must be called in the end: releases the body and discards what still arrives. Idempotent. */
  close(): void;
}

/** @param held counts the bytes in memory */
export function collectBody(request: IncomingMessage, bytesMax: number, held: HeldBytes): Collected {
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (declared > bytesMax) return { bytes: Promise.resolve(undefined), trust() {}, close() {} };
  const hold = held.open(() => request.socket.destroy());
  const gathered = new Gathered(hold, declared >= 0 ? declared : bytesMax);
  const bytes = new Promise<Buffer | undefined>((resolve, reject) => {
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) gathered.add(chunk);
      else gathered.end();
      // All of it is there; the event that says so comes later.
      if (size === declared) resolve(gathered.bytes);
    };
    const isPassedOn = declared > 0 && request instanceof JoinedRequest && request.passOn(take);
    if (!isPassedOn) {
      request.on('data', take);
      request.on('end', () => resolve(size <= bytesMax ? gathered.bytes : undefined));
    }
    const breakOff = () => {
      gathered.end();
      reject(new BodyBrokenOff());
    };
    request.on('error', breakOff);
    // 'close' also follows 'end'; the promise is settled by then.
    request.on('close', () => {
      if (!request.complete) breakOff();
    });
  });
  // If the request is rejected earlier, the promise has no other handler.
  bytes.catch(() => {});
  return { bytes, trust: () => hold.release(), close: () => gathered.end() };
}

const none: Buffer = Buffer.alloc(0);

/**
 * Joins chunks in one buffer. Kept as separate chunks, a body that arrives byte by byte would take a hundred times its size.
 */
class Gathered {
  readonly #hold: Hold;
  readonly #bytesMax: number;
  #buffer = none;
  #length = 0;
  #hasEnded = false;

  /** @param bytesMax the declared length, or the bound */
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
    // Mostly the first chunk is the whole body.
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#growTo(length);
      chunk.copy(this.#buffer, this.#length);
    }
    this.#length = length;
    this.#hold.grow(this.#buffer.length);
  }

  /** Releases the bytes and ignores further ones. */
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
  /** Reports the total number of bytes so far. */
  grow(bytes: number): void;
  /** Stops counting it. Idempotent. */
  release(): void;
}

/**
 * Bounds the memory of all request bodies together. Beyond it the oldest body is dropped, so that slow senders cannot occupy the
 * memory, while bodies that arrive quickly are finished before their turn comes.
 */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  readonly #holds = new Set<HeldBody>();
  #bytes = 0;

  /** @param onDrop called for each body that was dropped */
  constructor(bytesMax: number, onDrop: () => void = () => {}) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param drop releases the body and closes its connection */
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
