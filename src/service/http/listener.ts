import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearTimeout, setTimeout } from 'node:timers';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import { systemClock, whenRead } from '../../wire/clock/ports.ts';
import { RequestError } from '../support/request-error.ts';
import { intakeLimits, serviceLimits } from '../support/service-limits.ts';
import { writeReply } from './call.ts';
import { requestErrorReply } from './errors.ts';
import { JoinedRequest, requestStepsOn } from './joined-request.ts';
import { servePipelined } from './pipelining.ts';

/** How long a server waits for its clients. */
export interface Patience {
  /** For the head of a request, and for the whole request; both are checked every `checkMs`. */
  readonly headMs: number;
  readonly requestMs: number;
  readonly checkMs: number;
  /** For a client that neither sends nor reads. */
  readonly stillMs: number;
  /** Between two requests. */
  readonly keepAliveMs: number;
}

const patience: Patience = {
  headMs: intakeLimits.requestHeadMs,
  requestMs: serviceLimits.requestMs,
  checkMs: intakeLimits.requestCheckMs,
  stillMs: intakeLimits.stillMs,
  // As long as a reverse proxy may keep an idle connection.
  keepAliveMs: 72_000,
};

/**
 * An HTTP server with time limits for every phase of a request, which closes the connections that exceed them.
 *
 * @param responseClass the class of its responses
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
    IncomingMessage: JoinedRequest,
    ServerResponse: responseClass,
    // Node's own answer has no body.
    requireHostHeader: false,
    // Others are answered as if they did not ask: clients offer HTTP/2 (`h2c`) with their first request, and only GET opens a WebSocket
    // (RFC 6455, section 4.1), and not in HTTP/1.0 (RFC 9110, section 7.8). Node.js before 24.9 ignores this.
    shouldUpgradeCallback: ({ method, httpVersion, headers: { upgrade = '' } }: IncomingMessage): boolean =>
      server.listenerCount('upgrade') > 0 && method === 'GET' && httpVersion !== '1.0' && /^websocket$/i.test(upgrade),
  };
  const serve = servePipelined((request, response) => {
    if (request.rawHeaders.length > 2 * intakeLimits.headersMax) {
      return writeReply(response, requestErrorReply(new RequestError('headers_too_large')));
    }
    if (isMalformed(request)) {
      return writeReply(response, requestErrorReply(new RequestError('bad_request')));
    }
    listener(request, response);
  });
  const server: Server = createServer(options, serve);
  // Node.js drops further ones; one more than the bound shows that there were too many.
  server.maxHeadersCount = intakeLimits.headersMax + 1;
  server.on('checkContinue', (request, response) => {
    inviteBody(request, response);
    serve(request, response);
  });
  // Other expectations are ignored, as RFC 9110, section 10.1.1 allows.
  server.on('checkExpectation', serve);
  server.on('clientError', (error: { readonly code?: string }, socket: Socket) => {
    if (error.code === requestTimedOut) hangUpLate(socket, waits.requestMs);
    else hangUp(socket, new RequestError(reasons[error.code ?? ''] ?? 'bad_request'));
  });
  // This does not affect connections that became WebSockets.
  server.setTimeout(waits.stillMs, socket => {
    const { bytesRead } = socket;
    whenRead(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
  return server;
}

/**
 * Whether the headers of a request have no one meaning: it names no host (RFC 9112, section 3.2), or a header that has one value is there
 * more than once (RFC 9110, section 5.3). Node.js shows the first; a proxy may have gone by another.
 */
export function isMalformed({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  return (headers.host === undefined && httpVersion === '1.1') || repeatsSingleton(rawHeaders);
}

function repeatsSingleton(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  let types = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // By its length first: this runs for every header of every request.
    if (name.length === 4) hosts += countIf(name, 'host', 'Host');
    else if (name.length === 12) types += countIf(name, 'content-type', 'Content-Type');
    else if (name.length === 13) credentials += countIf(name, 'authorization', 'Authorization');
  }
  return hosts > 1 || types > 1 || credentials > 1;
}

function countIf(name: string, wanted: string, usual: string): number {
  return name === usual || name === wanted || name.toLowerCase() === wanted ? 1 : 0;
}

/** A client waits before it sends the body: it is asked for that when the body is read, so never if the request is rejected before. */
function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    // The rest of a body that nobody wants is read as well, behind the answer.
    if (!response.headersSent) response.writeContinue();
  });
}

/** Malformed requests are answered with an error of the interface, and their connections are closed. */
const reasons: Readonly<Record<string, ApiErrorName>> = { HPE_HEADER_OVERFLOW: 'headers_too_large' };

const requestTimedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * The same for a request that is late, unless it was the process that was stopped or busy, and the rest of the head or of the body has
 * arrived.
 */
function hangUpLate(socket: Socket, requestMs: number): void {
  const steps = requestStepsOn(socket);
  whenRead(() => {
    const stepsNow = requestStepsOn(socket);
    if (stepsNow === steps) return hangUp(socket, new RequestError('request_timeout'));
    if (stepsNow % 2 === 0 || socket.destroyed) return;
    // The head has arrived. Node.js no longer watches the body.
    systemClock.schedule(requestMs, () => {
      if (requestStepsOn(socket) === stepsNow) hangUp(socket, new RequestError('request_timeout'));
    });
  });
}

/**
 * Writes an error directly to the socket and closes it. The client has a moment to read the answer and to close its side, because
 * destroying a connection with unread bytes discards the answer; then the socket is destroyed.
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

/** Like {@link hangUp}, with the given answer. */
export function giveUp(socket: Duplex, answer: string): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.on('error', ignore); // the peer may be gone already
  const timer = setTimeout(() => socket.destroy(), intakeLimits.lingerMs);
  socket.once('close', () => clearTimeout(timer));
  // Discard what still arrives: unread data would hide the end of the connection.
  socket.resume();
  socket.end(answer);
}

function ignore(): void {}
