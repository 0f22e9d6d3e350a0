import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { ControlMetrics } from '../../../src/wire/control/metrics.ts';
import type { StreamEventName, StreamEvents } from '../../../src/wire/control/stream.ts';

const folder = resolve(import.meta.dirname, '../../../dist/service/console');
const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** What a control call is answered with, or a function that answers by itself. */
export type Answer = unknown | ((request: IncomingMessage, response: ServerResponse) => void);

/**
 * A service of which only the console and the control API's answers exist, so that a test can let it lie, be slow or go away. Calls are
 * named as in `ControlCalls`, with the id: `GET /traffic/5`.
 */
export class StandIn {
  readonly answers: Record<string, Answer> = {};
  token = 'stand-in-token';
  /** The calls that came, in their order. */
  readonly calls: string[] = [];
  #streams = new Map<ServerResponse, URLSearchParams>();
  #sent = 0;
  #unsent: { readonly name: StreamEventName; readonly text: string }[] = [];
  readonly #server = createServer((request, response) => this.#serve(request, response));

  static async open(port = 0): Promise<StandIn> {
    const standIn = new StandIn();
    await standIn.listen(port);
    return standIn;
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get consoleUrl(): string {
    return `http://127.0.0.1:${this.port}/console#token=${this.token}`;
  }

  /** Sends an event to every stream that asked for it; if there is none yet, to the next one. */
  send<Name extends StreamEventName>(name: Name, data: StreamEvents[Name]): void {
    const text = `id: ${++this.#sent}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    const streams = [...this.#streams].filter(([, query]) => asksFor(query, name));
    for (const [response] of streams) response.write(text);
    if (streams.length === 0) this.#unsent.push({ name, text });
  }

  get streams(): number {
    return this.#streams.size;
  }

  /** Ends every stream, as a broken connection does. */
  async breakStreams(): Promise<void> {
    const closed = [...this.#streams.keys()].map(response => once(response, 'close'));
    for (const response of this.#streams.keys()) response.destroy();
    await Promise.all(closed);
  }

  /** What the last stream was asked for that sends these events. */
  lastStreamQuery(name: StreamEventName): string {
    return [...this.#streams.values()].findLast(query => query.get('events')?.includes(name))?.toString() ?? '';
  }

  /** Breaks every connection and accepts none, until {@link listen}. */
  async goAway(): Promise<number> {
    const { port } = this;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    return port;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/console' || pathname.startsWith('/console/')) serveFile(pathname, response);
    else if (!pathname.startsWith('/control/')) end(response, 404, { message: '404: Not Found' });
    else if (request.headers.authorization !== `Bearer ${this.token}`) end(response, 401, { message: 'no' });
    else this.#answer(`${request.method} ${pathname.slice('/control'.length)}`, searchParams, request, response);
  }

  #answer(name: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    this.calls.push(name);
    const answer = this.answers[name];
    if (typeof answer === 'function') answer(request, response);
    else if (answer !== undefined) end(response, 200, answer);
    else if (name === 'GET /stream') this.#openStream(query, response);
    else end(response, 404, { message: `There is no such control call: ${name}` });
  }

  #openStream(query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.set(response, query);
    response.on('close', () => this.#streams.delete(response));
    const hello: StreamEvents['hello'] = { node: null, next: 0, started_at_ms: 1_700_000_000_000, metrics: [] };
    response.write(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`);
    for (const { text } of this.#unsent.filter(({ name }) => asksFor(query, name))) response.write(text);
    this.#unsent = this.#unsent.filter(({ name }) => !asksFor(query, name));
  }
}

function asksFor(query: URLSearchParams, name: StreamEventName): boolean {
  return query.get('events')?.split(',').includes(name) ?? true;
}

export function end(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function serveFile(pathname: string, response: ServerResponse): void {
  const name = pathname.slice('/console/'.length) || 'index.html';
  try {
    if (!/^[\w.-]+$/.test(name)) throw new Error('no such file');
    const content = readFileSync(join(folder, name));
    const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy });
    response.end(content);
  } catch {
    end(response, 404, { message: '404: Not Found' });
  }
}

/** A sample of the metrics in which nothing happens, but for what is given. */
export function sampleOf(takenAtMs: number, fields: Partial<ControlMetrics> = {}): ControlMetrics {
  return {
    taken_at_ms: takenAtMs,
    now_ms: takenAtMs,
    requests_per_second: 0,
    rejections_per_second: 0,
    rate_limits_per_second: 0,
    errors_per_second: 0,
    events_per_second: 0,
    dispatches_per_second: 0,
    deliveries_per_second: 0,
    failed_deliveries_per_second: 0,
    commits_per_second: 0,
    request_ms: 0,
    loop_delay_ms: { p50: 0, p99: 0, max: 0 },
    cpu: 0,
    memory_bytes: 0,
    heap_bytes: 0,
    connections: 0,
    sessions_connected: 0,
    sessions_resumable: 0,
    backlog_bytes: 0,
    ...fields,
  };
}
