import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { TunnelPort } from './tunnel-port.ts';
import { type FromHost, type FromPage, preloadPath, socketPath } from './wire.ts';

/** What a {@link WindowServer} serves, and whom it tells. */
export interface WindowServerParts {
  /** The app's own answer for a path: the very files that Electron would show. */
  readonly fetchFile: (path: string) => Promise<Response>;
  /** Page side of the stand-in, and the app's preload script. */
  readonly scripts: { readonly page: string; readonly preload: string };
  /** The page has transferred a MessagePort. */
  readonly openPort: (channel: string, port: TunnelPort) => void;
  /** The page is there, for the first time or after a reload. */
  readonly onOpened: () => void;
  /** The page has been gone for a while. */
  readonly onClosed: () => void;
}

// A reload takes less; a window that was closed is noticed soon enough.
const goneMs = 1_500;
const messageBytesMax = 64 * 1024;

/**
 * Serves one window of the stand-in to this machine's browser, and to nobody else: on 127.0.0.1, under its own Host
 * only, to whoever brought the key of the window's address, once. A page elsewhere that reaches for the port has neither
 * the cookie nor the origin.
 */
export class WindowServer {
  readonly #parts: WindowServerParts;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax });
  readonly #cookie = randomBytes(32).toString('base64url');
  #key: string | undefined = randomBytes(32).toString('base64url');
  #host = '';
  #socket: WebSocket | undefined;
  #closing: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: WindowServerParts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('upgrade', (request, stream, head) => this.#upgrade(request, stream, head));
  }

  /** @returns the address to open, once */
  async listen(): Promise<string> {
    this.#server.listen({ host: '127.0.0.1', port: 0 });
    await once(this.#server, 'listening');
    this.#host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return `http://${this.#host}/?key=${this.#key}`;
  }

  send(message: FromHost): void {
    this.#socket?.send(JSON.stringify(message));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#closing);
    this.#socket?.close();
    this.#sockets.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${this.#host}`);
    if (request.headers.host !== this.#host || request.method !== 'GET') return refuse(response);
    if (pathname === '/' && this.#takesKey(searchParams.get('key'))) {
      const cookie = `${this.#cookieName}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
      response.writeHead(303, { location: '/index.html', 'set-cookie': cookie, 'cache-control': 'no-store' }).end();
      return;
    }
    if (!this.#isLetIn(request)) return refuse(response);
    if (pathname === preloadPath) return this.#servePreload(response);
    await this.#serveFile(pathname, response);
  }

  #takesKey(given: string | null): boolean {
    if (given === null || this.#key === undefined || !isSame(given, this.#key)) return false;
    this.#key = undefined;
    return true;
  }

  #servePreload(response: ServerResponse): void {
    const { page, preload } = this.#parts.scripts;
    const [inPage, inPreload] = [page, preload].map(path => readFileSync(path, 'utf8'));
    response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' });
    response.end(
      `${inPage}\n(require => {\n${inPreload}\n})(() => electronOfStandIn);\ndelete globalThis.electronOfStandIn;\n`,
    );
  }

  async #serveFile(path: string, response: ServerResponse): Promise<void> {
    const file = await this.#parts.fetchFile(path);
    const headers = Object.fromEntries(file.headers);
    // The one thing that the stand-in must loosen: its bridge is a socket.
    const policy = headers['content-security-policy']?.replace("connect-src 'none'", `connect-src ws://${this.#host}`);
    let body = Buffer.from(await file.arrayBuffer());
    if (headers['content-type']?.startsWith('text/html')) {
      body = Buffer.from(body.toString('utf8').replace('<script', `<script src="${preloadPath}"></script>\n<script`));
    }
    response.writeHead(file.status, {
      ...headers,
      'cache-control': 'no-store',
      ...(policy !== undefined && { 'content-security-policy': policy }),
    });
    response.end(body);
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { host, origin } = request.headers;
    const isOurs = request.url === socketPath && host === this.#host && origin === `http://${this.#host}`;
    if (!isOurs || !this.#isLetIn(request)) {
      stream.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, stream, head, socket => this.#begin(socket));
  }

  #begin(socket: WebSocket): void {
    clearTimeout(this.#closing);
    // One window, one page: a reloaded one takes the place of the other.
    this.#socket?.close();
    this.#socket = socket;
    const ports = new Map<number, TunnelPort>();
    socket.on('message', data => {
      const message = read(String(data));
      if (message) this.#takeFromPort(socket, ports, message);
      else socket.close(1008);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const port of ports.values()) port.emit('close');
      if (this.#isClosed || this.#socket !== socket) return;
      this.#closing = setTimeout(() => this.#parts.onClosed(), goneMs);
    });
    this.#parts.onOpened();
  }

  #takeFromPort(
    socket: WebSocket,
    ports: Map<number, TunnelPort>,
    { port: id, data, isClosed, ...first }: FromPage,
  ): void {
    if (first.channel !== undefined) {
      const port = new TunnelPort(message => {
        if (message.isClosed) ports.delete(id);
        socket.send(JSON.stringify({ port: id, ...message }));
      });
      ports.set(id, port);
      this.#parts.openPort(first.channel, port);
    } else if (isClosed) {
      ports.get(id)?.emit('close');
      ports.delete(id);
    } else {
      ports.get(id)?.emit('message', { data });
    }
  }

  #isLetIn({ headers }: IncomingMessage): boolean {
    const cookies = (headers.cookie ?? '').split(/; */);
    return cookies.some(cookie => isSame(cookie, `${this.#cookieName}=${this.#cookie}`));
  }

  // Cookies do not tell ports apart.
  get #cookieName(): string {
    return `starfall-${this.#host.split(':')[1]}`;
  }
}

function refuse(response: ServerResponse): void {
  response
    .writeHead(403, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
    .end('This window is not yours.');
}

function read(text: string): FromPage | undefined {
  try {
    const { channel, port, data, isClosed } = Object(JSON.parse(text)) as Partial<FromPage>;
    if (typeof port !== 'number') return undefined;
    return { port, data, ...(typeof channel === 'string' && { channel }), isClosed: isClosed === true };
  } catch {
    return undefined;
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
