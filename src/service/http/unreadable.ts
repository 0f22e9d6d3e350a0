import type { Socket } from 'node:net';
import type { ApiErrorName } from '../../model/errors/errors.ts';
import { Fault } from '../support/fault.ts';
import { hangUp } from './hang-up.ts';

const reasons: Readonly<Record<string, ApiErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers, in the interface's form, bytes that are no HTTP request, or that did not come in time, and closes the connection. */
export function answerUnreadable(error: { readonly code?: string }, socket: Socket): void {
  hangUp(socket, new Fault(reasons[error.code ?? ''] ?? 'bad_request'));
}
