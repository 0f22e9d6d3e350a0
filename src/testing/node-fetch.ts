import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { FetchInit } from '../wire/clock/ports.ts';

/**
 * A `fetch` by `node:http`, one connection per request. The global `fetch` waits for the global `setImmediate` before it uses a
 * connection again, which a test runner's fake timers hold up for ever.
 */
export async function nodeFetch(url: string, init: Partial<FetchInit> = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal, redirect = 'follow' } = init;
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = request(url, { method, headers, agent: false, ...(signal && { signal }) }, resolve);
    outgoing.once('error', reject);
    outgoing.end(typeof body === 'object' ? new Uint8Array(body) : body);
    const { statusCode: status = 0, headers: received, ...incoming } = await read(await promise);
    const { location } = received;
    if (location !== undefined && redirect === 'follow') {
      return await nodeFetch(new URL(location, url).href, signal ? { signal } : {});
    }
    const isBodiless = status === 204 || status === 304;
    const names = Object.entries(received).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(isBodiless ? null : incoming.body, { status, headers: names });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

async function read(incoming: IncomingMessage) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of incoming) pieces.push(piece);
  return { statusCode: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(pieces) };
}
