import { Buffer } from 'node:buffer';
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { requestIdHeader } from '../telemetry/request-log.ts';
import type { Reply } from './call.ts';

type AnyHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** An answer that names the request it answers. All that the service's servers answer are of this class. */
// Declared fields, so that a request which needs none of them makes none.
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** In the header, and in log lines about the request. */
  declare requestId: string | undefined;
  /** The template of the path that was asked for; undefined while nothing is known to serve it. */
  declare route: string | undefined;

  /** Of its body, as its head says. */
  declare bytes: number | undefined;

  // Every answer comes by here, also one that begins without naming its head.
  override writeHead(status: number, second?: string | AnyHeaders, third?: AnyHeaders): this {
    if (typeof second !== 'object' || Array.isArray(second)) {
      if (this.requestId !== undefined) this.setHeader(requestIdHeader, this.requestId);
    } else {
      // Put beside the others: setting one header before costs more than writing all of them.
      if (this.requestId !== undefined) second[requestIdHeader] = this.requestId;
      const length = second['content-length'];
      if (length !== undefined) this.bytes = Number(length);
    }
    return super.writeHead(status, second as string, third);
  }
}

/** The id of the request that is answered. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return (response as Answer).requestId;
}

type Headers = Readonly<Record<string, string>>;

/** Headers of an answer that no cache may keep. @see RFC 6749, section 5.1 */
export const uncached: Headers = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Writes an answer. @param more headers beside the answer's own */
export function writeReply(response: ServerResponse, answer: Reply, more: Headers = {}): void {
  const payload = answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (payload === undefined) {
    // Without a body there must be no content type: clients would parse the emptiness.
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
