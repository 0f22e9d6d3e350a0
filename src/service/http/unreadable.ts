import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiErrorName } from '../../model/errors.ts';
import { Fault } from '../fault.ts';
import { faultReply } from './errors.ts';

const reasons: Readonly<Record<string, ApiErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers, in the interface's form, bytes that are no HTTP request, and closes the connection. */
export function answerUnreadable(error: { readonly code?: string }, socket: Socket): void {
  if (socket.destroyed) return;
  const { status, body } = faultReply(new Fault(reasons[error.code ?? ''] ?? 'bad_request'));
  const payload = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${payload.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${payload}`);
}
