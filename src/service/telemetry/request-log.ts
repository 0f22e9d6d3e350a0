import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Entropy, Logger } from '../../wire/clock/ports.ts';

/** The header that an answer names its request by; from a trusted proxy also the request's. */
export const requestIdHeader = 'x-request-id';

const idLength = 16;
/** Drawn at a time, because asking for randomness costs more than the few bytes of an id. */
const idsPerDraw = 256;

/** What a proxy may name a request by: nothing that would break a log line or a header. */
const acceptable = /^[\w.:/+=@-]{1,128}$/;

/** Gives every request an id: the one that a trusted proxy sent along, or a new one of 16 hexadecimal digits. */
export type RequestIds = (request: IncomingMessage) => string;

/** @param isProxy whether the other end of the connection is a trusted proxy; absent when there is none */
export function createRequestIds(entropy: Entropy, isProxy?: (request: IncomingMessage) => boolean): RequestIds {
  const draw = () => Buffer.from(entropy.bytes((idLength * idsPerDraw) / 2)).toString('hex');
  let drawn = draw();
  let at = 0;

  function next(): string {
    if (at >= drawn.length) {
      drawn = draw();
      at = 0;
    }
    at += idLength;
    return drawn.slice(at - idLength, at);
  }

  if (!isProxy) return next;
  return request => {
    const given = request.headers[requestIdHeader];
    return typeof given === 'string' && isProxy(request) && acceptable.test(given) ? given : next();
  };
}

/** What the request log says of a request: nothing of its query, its credential or its bodies. */
export interface LoggedRequest {
  readonly request_id: string | undefined;
  readonly method: string | undefined;
  /** The template of its path. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Of the answer's body, where it is known. */
  readonly bytes?: number;
  readonly address: string;
  readonly user_id?: string;
  readonly application_id?: string;
}

/** Writes a line for each request that was answered. */
export type RequestLog = (request: LoggedRequest) => void;

export function createRequestLog(log: Logger): RequestLog {
  return request => log.info({ ...request }, 'A request was answered.');
}
