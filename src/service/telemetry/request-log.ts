import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Entropy, Logger } from '../../wire/clock/ports.ts';

/** The header with the id of a request: in every answer, and in requests of a trusted proxy. */
export const requestIdHeader = 'x-request-id';

const idLength = 16;
/** Drawn together: one draw of random bytes takes 2 µs, a tenth of what a PUT takes. */
const idsPerDraw = 256;

/** Valid ids from a proxy: nothing that could break a log line or a header. */
const acceptable = /^[\w.:/+=@-]{1,128}$/;

/** Returns the id of a request: the one that a trusted proxy sent, or a new one of 16 hexadecimal digits. */
export type RequestIds = (request: IncomingMessage) => string;

/** @param isProxy whether the peer of the connection is a trusted proxy; absent if there are none */
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

/** A line of the request log. It contains nothing of the query, the credential or the bodies. */
export interface LoggedRequest {
  readonly request_id: string | undefined;
  readonly method: string | undefined;
  /** The template of its path. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Length of the answer's body, if known. */
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
