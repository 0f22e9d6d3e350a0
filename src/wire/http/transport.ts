import { TransportError } from '../../model/errors/errors.ts';
import type { Fetch } from '../clock/ports.ts';

/** One HTTP exchange, ready to be sent. */
export interface TransportRequest {
  readonly method: string;
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text in UTF-8, or bytes. */
  readonly body?: string | ArrayBuffer;
  /** Ends the exchange; its reason is what {@link Transport.send} rejects with. */
  readonly signal: AbortSignal;
}

/** Header name in lower case → value; a repeated header may come as a list. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface TransportAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The whole body as UTF-8, at most {@link answerBytesMax}. */
  readonly text: string;
}

/**
 * What carries bytes to a service: narrower than `fetch`, so that a host can bring its own and a test can stand in.
 * Redirects are not followed.
 */
export interface Transport {
  /**
   * @throws TransportError `unreachable`: no connection was made, so the request was certainly not processed;
   *   `connection_lost`: it broke off later, so the request may have been processed; `unreadable_answer`: the answer
   *   is larger than {@link answerBytesMax}
   */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Ends every connection, also one whose exchange is under way. */
  close(): void;
}

/** 8 MiB: about four times the largest response of the interface (130 commands of 8000 characters, localized). */
export const answerBytesMax = 8 * 1024 * 1024;

/**
 * Carries requests by a `fetch`, for hosts without Node's `http`.
 *
 * A failing `fetch` rarely says whether the request was sent, so every failure except a refused connection and an unresolved
 * name counts as `connection_lost`.
 */
export function fetchTransport(fetch: Fetch): Transport {
  const closing = new AbortController();
  return {
    async send({ method, url, headers, body, signal: caller }) {
      const signal = AbortSignal.any([caller, closing.signal]);
      const exchange = async () => {
        const answer = await fetch(url, {
          method,
          headers,
          signal,
          redirect: 'manual',
          ...(body === undefined ? {} : { body }),
        });
        return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await readBounded(answer) };
      };
      try {
        return await untilAborted(exchange(), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof TransportError ? error : connectionError(url, systemCode(error));
      }
    },
    close: () => closing.abort(new TransportError('aborted', 'The client was closed.')),
  };
}

/** A host's `fetch` may ignore the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}

async function readBounded(answer: Response): Promise<string> {
  const body = new ReceivedBody();
  for await (const chunk of answer.body ?? []) if (!body.add(chunk)) throw answerTooLarge();
  return body.text();
}

// A piece takes some hundred bytes besides its content.
const piecesMax = 1024;

/** A body as it arrives: in memory proportional to its bytes, however small its pieces are. */
export class ReceivedBody {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  readonly #blocks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax = answerBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /** @returns false when the body is larger than its bound */
  add(piece: Uint8Array): boolean {
    this.#bytes += piece.byteLength;
    if (this.#bytes > this.#bytesMax) return false;
    if (this.#pieces.push(piece) === piecesMax) {
      this.#blocks.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
    }
    return true;
  }

  text(): string {
    return this.bytes().toString();
  }

  bytes(): Buffer {
    const parts = [...this.#blocks, ...this.#pieces];
    const [first] = parts;
    return first instanceof Buffer && parts.length === 1 ? first : Buffer.concat(parts);
  }
}

/** The answer passed {@link answerBytesMax}. */
export function answerTooLarge(): TransportError {
  return new TransportError(
    'unreadable_answer',
    `The response is larger than ${answerBytesMax} bytes, and was not read.`,
  );
}

// Codes of failures that come before the first byte is sent.
const beforeSending = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Names a failed connection by its origin alone: paths may hold interaction tokens, and the original error (which could
 * hold anything) is dropped; the message has only its code.
 *
 * @param unsent whether the request certainly never left
 */
export function connectionError(url: string, code: string, unsent = beforeSending.has(code)): TransportError {
  const { origin } = new URL(url);
  return unsent
    ? new TransportError(
        'unreachable',
        `${origin} cannot be reached (${code}). Check the address, and that the service runs.`,
      )
    : new TransportError('connection_lost', `The connection to ${origin} was lost (${code}).`);
}

/** The system's code of a failure (`ECONNRESET`), wherever in its chain of causes it stands; `unknown` without one. */
export function systemCode(error: unknown): string {
  for (let link = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++) {
    if ('code' in link && typeof link.code === 'string') return link.code;
  }
  return 'unknown';
}

/** The first value of a header, by its lower-case name. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}
