import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Reply } from './call.ts';

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
