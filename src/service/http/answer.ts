import { Buffer } from 'node:buffer';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdHeader } from '../telemetry/request-log.ts';
import type { Reply } from './call.ts';

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
  response.writeHead(answer.status, Object.assign(headers, more, answer.headers));
  response.end(payload);
}

function emptyLength(status: number): Headers {
  return status === 204 ? {} : { 'content-length': '0' };
}
