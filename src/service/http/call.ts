import { Buffer } from 'node:buffer';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Entropy, Logger } from '../../wire/clock/ports.ts';
import type { RouteName } from '../../wire/routes.ts';
import type { Principal, PrincipalKind } from '../auth/principal.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { RequestError } from '../support/request-error.ts';
import { intakeLimits } from '../support/service-limits.ts';

type Of<Kind extends PrincipalKind> = Extract<Principal, { kind: Kind }>;

/** A request as its handler receives it: the credential is checked, ids in the path are well-formed, the body is read. */
export interface Call {
  readonly route: RouteName;
  readonly principal: Principal;
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON or form; undefined when the route has no body. */
  readonly body: unknown;
  /** The caller's address. */
  readonly address: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a handler answers. */
export interface Reply {
  readonly status: number;
  /** Encoded as JSON. */
  readonly body?: unknown;
  /** JSON that is already encoded; instead of `body`. As bytes, all answers that wait for slow clients share it. */
  readonly text?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fault injection: answers some requests instead of their handlers. */
export interface RequestFaults {
  /** False while no fault is armed that could match a request. */
  readonly concernRequests: boolean;
  /** The answer that replaces the handler's, perhaps after a delay; undefined if no fault matches. */
  answer(route: RouteName, principal: Principal): Promise<Reply | undefined>;
}

export type Handler = (call: Call) => Reply | Promise<Reply>;

/** What is known of a request before its body is read. */
export type CallHead = Pick<Call, 'params' | 'query'>;

/** Checks the secret in the path of a request, before its body is read. @throws RequestError */
export type Proof = (head: CallHead) => void | Promise<void>;

/** Routes without a credential whose path carries a secret. */
export type Proofs = Partial<Record<RouteName, Proof>>;

/** Handlers for some of the routes; every route of the table has exactly one. */
export type Handlers = Partial<Record<RouteName, Handler>>;

/** The principal, for a route whose credentials allow only these kinds. */
export function expectPrincipal<Kind extends PrincipalKind>(call: Call, ...kinds: readonly Kind[]): Of<Kind> {
  if (!(kinds as readonly string[]).includes(call.principal.kind)) {
    throw new Error(`${call.route} was reached with a credential of kind ${call.principal.kind}.`);
  }
  return call.principal as Of<Kind>;
}

/** A parameter of the path. */
export function param({ params }: CallHead, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path of this route has no parameter ${name}.`);
  return value;
}

/**
 * The caller's application, which must be the one in the path.
 *
 * @param kinds of credential that the route accepts
 * @throws RequestError `not_your_application`, which is answered as `unknown_application` if there is none with the id
 */
export function applicationInPath(
  call: Call,
  ...kinds: readonly ('bot' | 'application' | 'user')[]
): ApplicationRecord {
  const { application } = expectPrincipal(call, ...kinds);
  if (param(call, 'application_id') !== application.id) throw new RequestError('not_your_application');
  return application;
}

type AnyHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** The response class of all servers of the service; it carries the id of its request. */
// The fields are declared only, so that responses that do not need them do not have them.
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Sent in a header, and part of log lines about the request. */
  declare requestId: string | undefined;
  /** The template of the requested path; undefined until a route is found. */
  declare route: string | undefined;

  /** The `content-length` of the answer. */
  declare bytes: number | undefined;

  // Every answer passes here, even one that never calls writeHead itself.
  override writeHead(status: number, second?: string | AnyHeaders, third?: AnyHeaders): this {
    // One function for all, assigned once for each connection.
    if (!this.req.complete && hasBody(this.req)) this.req.socket.destroySoon = linger;
    if (typeof second !== 'object' || Array.isArray(second)) {
      if (this.requestId !== undefined) this.setHeader(requestIdHeader, this.requestId);
    } else {
      // Added to the given headers, because setHeader() before writeHead() makes Node merge both, which costs more.
      if (this.requestId !== undefined) second[requestIdHeader] = this.requestId;
      const length = second['content-length'];
      if (length !== undefined) this.bytes = Number(length);
    }
    return super.writeHead(status, second as string, third);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * In place of `socket.destroySoon`, which Node calls behind the last answer: the connection lingers while its client still sends
 * a body. If it were destroyed immediately, unread bytes would make the system discard the answer.
 */
function linger(this: Socket): void {
  const timer = setTimeout(() => this.destroy(), intakeLimits.lingerMs);
  this.once('close', () => clearTimeout(timer));
  this.resume();
  this.end();
}

/** The id of the request. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return (response as Answer).requestId;
}

type Headers = Readonly<Record<string, string>>;

/** Headers of an answer that no cache may keep. @see RFC 6749, section 5.1 */
export const uncached: Headers = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Writes an answer. @param more headers in addition to the answer's own */
export function writeReply(response: ServerResponse, answer: Reply, more: Headers = {}): void {
  const payload = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (payload === undefined) {
    // No content type without a body: clients would try to parse it.
    response.writeHead(answer.status, { ...more, ...answer.headers, ...emptyLength(answer.status) });
    response.end();
    return;
  }
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
  response.writeHead(answer.status, { ...headers, ...more, ...answer.headers });
  response.end(payload);
}

function emptyLength(status: number): Headers {
  return status === 204 ? {} : { 'content-length': '0' };
}

/** The header with the id of a request: in every answer, and in requests of a trusted proxy. */
const requestIdHeader = 'x-request-id';

/** In bytes, each written as two hexadecimal digits. */
const idLength = 8;

/** Valid ids from a proxy: nothing that could break a log line or a header. */
const acceptable = /^[\w.:/+=@-]{1,128}$/;

/** Returns the id of a request: the one that a trusted proxy sent, or a new one of 16 hexadecimal digits. */
export type RequestIds = (request: IncomingMessage) => string;

/** @param isProxy whether the peer of the connection is a trusted proxy; absent if there are none */
export function createRequestIds(entropy: Entropy, isProxy?: (request: IncomingMessage) => boolean): RequestIds {
  const next = () => Buffer.from(entropy.bytes(idLength)).toString('hex');
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
