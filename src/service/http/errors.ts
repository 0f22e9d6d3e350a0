import type { IncomingMessage } from 'node:http';
import { type ApiErrorName, apiErrors } from '../../model/errors/errors.ts';
import { issuesToTree } from '../../model/errors/issue.ts';
import { BusError } from '../bus/errors.ts';
import { StoreError } from '../store/errors.ts';
import { apiMessages } from '../support/api-messages.ts';
import { challengeOf } from '../support/challenge.ts';
import { RequestError } from '../support/request-error.ts';
import { runtimeLimits } from '../support/service-limits.ts';
import type { Reply } from './call.ts';
import type { LimitRefusal } from './limiter.ts';

/** A name or an address in brackets, perhaps with a port. */
const hostForm = /^(?:\[[\da-f:.]+\]|[^\s/?#@\\:[\]]*)(?::\d*)?$/i;

/** The error for a request with a host that is not accepted. @see RFC 9112, section 3.2; RFC 9110, section 15.5.20 */
export function misdirectedError({ headers: { host = '' } }: Pick<IncomingMessage, 'headers'>): RequestError {
  if (!hostForm.test(host)) return new RequestError('bad_request');
  const message = `${apiMessages.misdirected_request}: the service does not accept the host that the request names. Its operator can allow the name by --allowed-host.`;
  return new RequestError('misdirected_request', { message });
}

/** The error for a form sent by a page of another origin. */
export function foreignOriginReply(): Reply {
  const message = `${apiMessages.foreign_origin}: forms from pages of another origin are not accepted.`;
  return requestErrorReply(new RequestError('foreign_origin', { message }));
}

/** The interface's error body for a rejected request. @see docs/spec/errors.md#shapes */
export function requestErrorReply(fault: RequestError): Reply {
  const { code, status } = apiErrors[fault.reason];
  const message = apiMessages[fault.reason];
  const errors = fault.issues.length > 0 ? { errors: issuesToTree(fault.issues) } : {};
  return { status, body: { message, code, ...fault.extra, ...errors }, ...headersOf(fault, status) };
}

/**
 * Headers of an error with `retry_after`, which belongs to a limit that several callers share, of what the service cannot do now, and of
 * a credential that is missing or not enough.
 *
 * @see docs/spec/limits.md#headers; docs/spec/limits.md#daily-creates; docs/spec/errors.md#shapes
 */
function headersOf(fault: RequestError, status: number): Pick<Reply, 'headers'> {
  const { retry_after } = fault.extra;
  const challenge = challengeFor(fault, status);
  if (challenge !== undefined) return { headers: { 'www-authenticate': challenge } };
  if (status === 503) return { headers: { 'retry-after': String(runtimeLimits.retryMs / 1000) } };
  if (typeof retry_after !== 'number') return {};
  return { headers: { 'retry-after': String(Math.ceil(retry_after)), 'x-ratelimit-scope': 'shared' } };
}

/** Every 401 names a scheme (RFC 9110, section 11.6.1), and so does a token that is not enough (RFC 6750, section 3). */
function challengeFor({ challenge, reason }: RequestError, status: number): string | undefined {
  if (status === 401) return challenge ?? challengeOf('Bearer');
  return reason === 'missing_scope' ? challengeOf('Bearer', 'insufficient_scope') : undefined;
}

/** The body of a 429. @see docs/spec/limits.md#the-body-of-a-429 */
export function limitReply({ global, retryAfterSeconds }: LimitRefusal): Reply {
  const { code, status } = apiErrors.rate_limited;
  const message = apiMessages.rate_limited;
  return { status, body: { message, code, retry_after: retryAfterSeconds, global } };
}

/** The answer to a blocked address. @see docs/spec/limits.md#blocked-addresses */
export function blockedReply(blockedForMs: number): Reply {
  return {
    ...requestErrorReply(new RequestError('blocked')),
    headers: { 'retry-after': String(Math.ceil(blockedForMs / 1000)) },
  };
}

/** Errors that Fastify finds in a request target before it looks for the route, and in a body before it calls the handler. */
const frameworkFaults: ReadonlyMap<unknown, ApiErrorName> = new Map<unknown, ApiErrorName>([
  ['FST_ERR_BAD_URL', 'bad_request'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'request_too_large'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'bad_request'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'bad_request'],
]);

/** Codes of the system: too many files are open for the one that a request needs first, until some are closed. */
const shortages: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** The answer for an error that was thrown while a request was served. Unexpected errors become 500 without details. */
export function errorReply(error: unknown): Reply {
  if (error instanceof RequestError) return requestErrorReply(error);
  // Nothing was written, so the request may be retried.
  if (isEngineFailure(error)) return requestErrorReply(new RequestError('overloaded'));
  const code = (error as { code?: unknown } | null)?.code;
  if (shortages.has(code)) return requestErrorReply(new RequestError('unavailable'));
  return requestErrorReply(new RequestError(frameworkFaults.get(code) ?? 'internal_error'));
}

/** Whether the store or the bus failed, and not the service itself. */
export function isEngineFailure(error: unknown): error is StoreError | BusError {
  return error instanceof StoreError || error instanceof BusError;
}

const outages: ReadonlySet<unknown> = new Set(['store_unavailable', 'bus_unavailable', 'node_outdated']);

/**
 * How loudly to log an error of a request: while an engine of a cluster is away, every request fails for a reason that is in the log
 * already.
 */
export function logLevelOf(error: unknown): 'debug' | 'error' {
  return isEngineFailure(error) && outages.has(error.code) ? 'debug' : 'error';
}

/** Whether {@link errorReply} hides what the error says. */
export function isUnforeseen(error: unknown): boolean {
  return errorReply(error).status >= 500;
}
