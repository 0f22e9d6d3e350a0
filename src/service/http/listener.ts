import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import { RequestError } from '../support/request-error.ts';
import { intakeLimits, serviceLimits } from '../support/service-limits.ts';
import { requestErrorReply } from './errors.ts';

/** How long a server waits for its peers. */
export interface Patience {
  /** For the head of a request, and for all of it; both are looked at every `checkMs`. */
  readonly headMs: number;
  readonly requestMs: number;
  readonly checkMs: number;
  /** For a peer that neither sends nor reads what it is sent. */
  readonly stillMs: number;
  /** Between two requests. */
  readonly keepAliveMs: number;
}

const patience: Patience = {
  headMs: intakeLimits.requestHeadMs,
  requestMs: serviceLimits.requestMs,
  checkMs: intakeLimits.requestCheckMs,
  stillMs: intakeLimits.stillMs,
  // As long as a proxy in front may keep a connection that nothing is asked on.
  keepAliveMs: 72_000,
};

/**
 * An HTTP server that no peer can make wait for ever, and that keeps no connection it has given up.
 *
 * @param responseClass what answers are made of
 */
export function createHttpListener(
  responseClass: typeof ServerResponse,
  listener: RequestListener,
  waits: Patience = patience,
): Server {
  const options = {
    headersTimeout: waits.headMs,
    requestTimeout: waits.requestMs,
    connectionsCheckingInterval: waits.checkMs,
    keepAliveTimeout: waits.keepAliveMs,
    ServerResponse: responseClass,
  };
  const server = createServer(options, listener);
  server.on('clientError', answerUnreadable);
  // A connection that became a WebSocket is not concerned.
  server.setTimeout(waits.stillMs, socket => socket.destroy());
  return server;
}

const reasons: Readonly<Record<string, ApiErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers, in the interface's form, bytes that are no HTTP request, or that did not come in time, and closes the connection. */
function answerUnreadable(error: { readonly code?: string }, socket: Socket): void {
  hangUp(socket, new RequestError(reasons[error.code ?? ''] ?? 'bad_request'));
}

/**
 * Answers past the HTTP parser, and gives the connection up. The peer has a moment to read the answer and to close from its side,
 * because a connection that is cut off while bytes of it are unread takes the answer along; then it is cut off.
 */
export function hangUp(socket: Duplex, fault: RequestError): void {
  const { status, body } = requestErrorReply(fault);
  const payload = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(payload)}`,
    'connection: close',
  ];
  giveUp(socket, `${head.join('\r\n')}\r\n\r\n${payload}`);
}

/** As {@link hangUp}, with an answer of one's own. */
export function giveUp(socket: Duplex, answer: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.on('error', ignore); // the peer may be gone already
  const timer = setTimeout(() => socket.destroy(), intakeLimits.lingerMs);
  socket.once('close', () => clearTimeout(timer));
  // What still comes is thrown away: while it waits to be read, the end of the connection is not seen.
  socket.resume();
  socket.end(answer);
}

function ignore(): void {}
