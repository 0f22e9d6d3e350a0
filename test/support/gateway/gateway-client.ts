import { createInflate, createZstdDecompress, inflateSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { type GatewayFrame, type Identify, opcodes, type Ready } from '../../../src/model/gateway.ts';
import { parseFrame, readFrame } from '../../../src/wire/gateway/frames.ts';
import { delivered } from '../engines/delivery.ts';
import { asJson, packTerm, unpackTerm } from './etf-client.ts';

/** A bare client of the gateway: keeps every frame it gets, sends what it is told. Speaks every encoding and compression. */
export class GatewayClient {
  readonly frames: GatewayFrame[] = [];
  /** Code and reason of the close frame. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  readonly #encoding: string | null;
  #wake: () => void = () => {};

  constructor(url: string) {
    this.socket = new WebSocket(url);
    const { searchParams } = new URL(url);
    this.#encoding = searchParams.get('encoding');
    const read = reader(searchParams.get('compress'), this.#encoding === 'etf', message => this.#receive(message));
    this.socket.on('message', (data, isBinary) => read(data as Buffer, isBinary));
    this.socket.on('error', () => {});
    this.closed = new Promise(resolve =>
      this.socket.on('close', (code, reason) => {
        resolve({ code, reason: String(reason) });
        this.#wake();
      }),
    );
  }

  #receive(message: Buffer): void {
    const frame = this.#encoding === 'etf' ? readFrame(asJson(unpackTerm(message))) : parseFrame(String(message));
    if (!frame) throw new Error(`Not a frame: ${message}`);
    this.frames.push(frame);
    this.#wake();
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

  /** Asks to go on with a session whose events it has up to `seq`. */
  resume(token: string, session_id: string, seq: number): void {
    this.send({ op: opcodes.RESUME, d: { token, session_id, seq } });
  }

  /** Connects and goes on where `former` ended; RESUMED may not have come yet. */
  static async resumed(url: string, token: string, former: GatewayClient, query?: string): Promise<GatewayClient> {
    const client = await GatewayClient.open(url, query);
    client.resume(token, former.sessionId, former.sequence);
    return client;
  }

  get sessionId(): string {
    const ready = this.frames.find(({ t }) => t === 'READY')?.d as Ready | undefined;
    return ready?.session_id ?? '';
  }

  /** Number of the last dispatch. */
  get sequence(): number {
    return this.frames.findLast(({ op }) => op === opcodes.DISPATCH)?.s ?? 0;
  }

  send(frame: unknown): void {
    this.socket.send(this.#encoding === 'etf' ? packTerm(frame) : JSON.stringify(frame));
  }

  /** Sends a heartbeat and waits for its acknowledgement: all that was sent or committed before it has been dealt with. */
  async beat(): Promise<void> {
    await delivered();
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

  /** Names of all dispatches so far, without those about the user's other sessions. */
  get names(): string[] {
    const names = this.frames.filter(({ op }) => op === opcodes.DISPATCH).map(({ t }) => String(t));
    return names.filter(name => name !== 'READY_SUPPLEMENTAL' && name !== 'SESSIONS_REPLACE');
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

/** Takes messages as they are: plain ones, ones compressed each on its own, or parts of one compressed stream. */
function reader(
  compress: string | null,
  isPlainBinary: boolean,
  receive: (message: Buffer) => void,
): (data: Buffer, isBinary: boolean) => void {
  const stream =
    compress === 'zlib-stream' ? createInflate() : compress === 'zstd-stream' ? createZstdDecompress() : undefined;
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return (data, isBinary) => {
    if (!isBinary || (isPlainBinary && !stream)) receive(data);
    else if (!stream) receive(inflateSync(data));
    else {
      if (compress === 'zlib-stream' && data.subarray(-4).toString('hex') !== '0000ffff') throw new Error('no flush');
      stream.write(data, () => {
        // Its output comes before this; each message holds one frame.
        receive(Buffer.concat(chunks.splice(0)));
      });
    }
  };
}
