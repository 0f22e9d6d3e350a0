import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestError } from '../support/request-error.ts';
import { intakeLimits } from '../support/service-limits.ts';
import { requestErrorReply } from './errors.ts';

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
