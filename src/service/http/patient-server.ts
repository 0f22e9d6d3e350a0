import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import { RequestError } from '../support/request-error.ts';
import { intakeLimits, serviceLimits } from '../support/service-limits.ts';
import { hangUp } from './hang-up.ts';

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
