import { WebSocket } from 'ws';
import { type GatewayFrame, type Identify, opcodes } from '../../src/model/gateway.ts';
import { parseFrame } from '../../src/wire/gateway.ts';

/** A bare client of the gateway: keeps every frame it gets, sends what it is told. */
export class GatewayClient {
  readonly frames: GatewayFrame[] = [];
  /** Code and reason of the close frame. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  #wake: () => void = () => {};

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', data => {
      const frame = parseFrame(String(data));
      if (!frame) throw new Error(`Not a frame: ${data}`);
      this.frames.push(frame);
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise(resolve =>
      this.socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.#wake();
      }),
    );
  }

  /** Connects and waits for Hello. */
  static async open(url: string, query = '?v=10&encoding=json'): Promise<GatewayClient> {
    const client = new GatewayClient(url + query);
    await client.frame(({ op }) => op === opcodes.HELLO);
    return client;
  }

  /** Connects, identifies and waits for READY. */
  static async identified(url: string, identify: Partial<Identify> & { token: string }): Promise<GatewayClient> {
    const client = await GatewayClient.open(url);
    client.identify(identify);
    await client.dispatch('READY');
    return client;
  }

  identify(identify: Partial<Identify> & { token: string }): void {
    this.send({ op: opcodes.IDENTIFY, d: { properties: {}, intents: 0, ...identify } });
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Sends a heartbeat and waits for its acknowledgement: all sent before it has been dealt with. */
  async beat(): Promise<void> {
    const count = () => this.frames.filter(({ op }) => op === opcodes.HEARTBEAT_ACK).length;
    const before = count();
    this.send({ op: opcodes.HEARTBEAT, d: null });
    await this.until(() => count() > before);
  }

  /** The first frame that fits, come or coming. */
  async frame(fits: (frame: GatewayFrame) => boolean): Promise<GatewayFrame> {
    await this.until(() => this.frames.some(fits));
    const found = this.frames.find(fits);
    if (!found) throw new Error('The frame is gone.');
    return found;
  }

  /** The `d` of the first dispatch of that name, come or coming. */
  async dispatch<T = Record<string, unknown>>(name: string): Promise<T> {
    return (await this.frame(({ t }) => t === name)).d as T;
  }

  /** Names of all dispatches so far. */
  get names(): string[] {
    return this.frames.filter(({ op }) => op === opcodes.DISPATCH).map(({ t }) => String(t));
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.socket.readyState >= WebSocket.CLOSING) throw new Error(`Closed while waiting; had ${this.names}.`);
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  /** Closes as a client that wants no session any more. */
  async end(code = 1000): Promise<void> {
    this.socket.close(code);
    await this.closed;
  }
}
