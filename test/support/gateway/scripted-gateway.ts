import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type GatewayFrame, opcodes } from '../../../src/model/gateway.ts';
import { encodeFrame, parseFrame } from '../../../src/wire/gateway/frames.ts';

/** One connection of a client, seen from the gateway; the test says what the gateway does. */
export class ScriptedLink {
  /** Query included. */
  readonly url: string;
  /** With which code it ended. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #frames: GatewayFrame[] = [];
  #wake: () => void = () => {};
  #sequence = 0;

  constructor(socket: WebSocket, url: string) {
    this.#socket = socket;
    this.url = url;
    this.closed = new Promise(resolve => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.on('message', data => {
      const frame = parseFrame(String(data));
      if (frame) this.#frames.push(frame);
      this.#wake();
    });
  }

  /** The next frame of the client, in order. */
  async next(): Promise<GatewayFrame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) return frame;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  hello(heartbeat_interval = 40_000): void {
    this.send({ op: opcodes.HELLO, d: { heartbeat_interval } });
  }

  dispatch(t: string, d: unknown): void {
    this.send({ op: opcodes.DISPATCH, t, d, s: ++this.#sequence });
  }

  ready(d: object = {}): void {
    const session = { session_id: 'the-session', user: { id: '9' }, lobbies: [] };
    this.dispatch('READY', { ...session, ...d });
  }

  /** Hello, Identify, READY; gives the client's frame. */
  async open(ready?: object): Promise<GatewayFrame> {
    this.hello();
    const identify = await this.next();
    this.ready(ready);
    return identify;
  }

  /** Resolves when the client has handled all that was sent before. */
  async settled(): Promise<void> {
    this.send({ op: opcodes.HEARTBEAT, d: null });
    await this.next();
  }

  send(frame: GatewayFrame): void {
    this.sendText(encodeFrame(frame));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  /** As if the cable was cut. */
  cut(): void {
    this.#socket.terminate();
  }
}

/** A real gateway on the loopback interface that does nothing by itself, and the API route that names it. */
export class ScriptedGateway {
  readonly baseUrl: string;
  /** What `GET /gateway` answers; default: this gateway's own address. */
  answers: { status: number; body: unknown }[] = [];
  asked = 0;
  /** The most connections that were open at one time. */
  openMax = 0;
  readonly #links: ScriptedLink[] = [];
  readonly #close: () => Promise<void>;
  #wake: () => void = () => {};

  private constructor(baseUrl: string, close: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.#close = close;
  }

  static async start(): Promise<ScriptedGateway> {
    const server = createServer((_, response) => {
      gateway.asked++;
      const url = `ws://${new URL(gateway.baseUrl).host}/gateway`;
      const { status, body } = gateway.answers.shift() ?? { status: 200, body: { url } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket, { url = '' }) => {
      gateway.openMax = Math.max(gateway.openMax, sockets.clients.size);
      gateway.#links.push(new ScriptedLink(socket, url));
      gateway.#wake();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const gateway = new ScriptedGateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    });
    return gateway;
  }

  /** The next connection, in order. */
  async link(): Promise<ScriptedLink> {
    for (;;) {
      const link = this.#links.shift();
      if (link) return link;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** Connections nobody has taken. */
  get waiting(): number {
    return this.#links.length;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
