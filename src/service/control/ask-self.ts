import { Buffer } from 'node:buffer';
import { type IncomingHttpHeaders, request } from 'node:http';

/** A request of the service to itself. */
export interface SelfRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer | undefined;
}

export interface SelfAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends requests to the service's own HTTP server. @param origin where it listens */
export function createAskSelf(origin: () => string): (asked: SelfRequest) => Promise<SelfAnswer> {
  return ({ method, path, headers, content }) =>
    new Promise((resolve, reject) => {
      const sent = request(
        origin() + path,
        {
          method,
          headers: { ...headers, ...(method !== 'GET' && { 'content-length': content?.length ?? 0 }) },
          // No connection stays open that the service would have to wait for when it stops.
          agent: false,
        },
        answer => {
          const chunks: Buffer[] = [];
          answer.on('data', chunk => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
          });
        },
      );
      sent.on('error', reject);
      sent.end(content);
    });
}
