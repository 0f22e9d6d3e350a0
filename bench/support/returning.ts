import { connect, type Socket } from 'node:net';
import { maskedFrame, readFrames } from './frames.ts';

/** Gateway clients that come back whenever they lose their connection, and resume: as light as they can be. */

const retryMs = 250;
const heartbeatMs = 30_000;

export class ReturningClients {
  readonly #port: number;
  readonly #clients: Client[] = [];
  /** Connections that were made and then reset before their client was back; sessions begun; sessions resumed. */
  counts = { resets: 0, identified: 0, resumed: 0 };
  #there = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => {};
  #isClosed = false;

  readonly #heartbeat = setInterval(() => this.#beat(), heartbeatMs);

  constructor(port: number) {
    this.#port = port;
  }

  /** Adds clients, so many at a time, and resolves when all have a session. */
  async add(tokens: readonly string[], atATime: number): Promise<void> {
    for (let at = 0; at < tokens.length; at += atATime) {
      for (const token of tokens.slice(at, at + atATime)) {
        const client = { token, number: this.#clients.length, sessionId: '', sequence: 0, isThere: false };
        this.#clients.push(client);
        this.#open(client);
      }
      await this.all();
    }
  }

  /** Resolves when every client has its session. */
  async all(): Promise<void> {
    this.#wanted = this.#clients.length;
    if (this.#there < this.#wanted) {
      await new Promise<void>(resolve => {
        this.#reached = resolve;
      });
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const client of this.#clients) client.socket?.destroy();
  }

  #beat(): void {
    for (const { socket, sequence, isThere } of this.#clients) {
      if (isThere) socket?.write(maskedFrame(JSON.stringify({ op: 1, d: sequence })));
    }
  }

  #open(client: Client): void {
    if (this.#isClosed) return;
    // Some addresses of this machine, because one has too few ports for all that were used a moment ago.
    const localAddress = `127.0.0.${2 + (client.number % 8)}`;
    const socket = connect({ port: this.#port, host: '127.0.0.1', localAddress });
    client.socket = socket;
    let held: Buffer = Buffer.alloc(0);
    let isOpen = false;
    let wasConnected = false;
    socket.setNoDelay(true);
    socket.on('connect', () => {
      wasConnected = true;
      socket.write(upgrade);
    });
    socket.on('data', (chunk: Buffer) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (!isOpen) {
        const end = held.indexOf('\r\n\r\n');
        if (end < 0) return;
        isOpen = true;
        held = held.subarray(end + 4);
      }
      held = readFrames(held, text => this.#onFrame(client, socket, text));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' && wasConnected && !client.isThere) this.counts.resets++;
    });
    socket.on('close', () => {
      if (client.isThere) this.#there--;
      client.isThere = false;
      setTimeout(() => this.#open(client), retryMs);
    });
  }

  #onFrame(client: Client, socket: Socket, text: string): void {
    const { op, t, s, d } = JSON.parse(text) as {
      op: number;
      t?: string;
      s?: number | null;
      d?: { session_id: string };
    };
    if (typeof s === 'number') client.sequence = s;
    if (op === 10) socket.write(maskedFrame(client.sessionId === '' ? identify(client) : resume(client)));
    else if (op === 9) {
      client.sessionId = '';
      socket.write(maskedFrame(identify(client)));
    } else if (t === 'READY' || t === 'RESUMED') {
      if (t === 'READY') client.sessionId = d?.session_id ?? '';
      this.counts[t === 'READY' ? 'identified' : 'resumed']++;
      client.isThere = true;
      if (++this.#there >= this.#wanted) this.#reached();
    }
  }
}

interface Client {
  readonly token: string;
  readonly number: number;
  sessionId: string;
  sequence: number;
  isThere: boolean;
  socket?: Socket;
}

const upgrade =
  'GET /gateway?v=10&encoding=json HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

const properties = { os: 'linux', browser: 'bench', device: 'bench' };
const intents = (2 ** 27) | (2 ** 28);

function identify({ token }: Client): string {
  return JSON.stringify({ op: 2, d: { token: `Bearer ${token}`, intents, capabilities: 2 ** 16, properties } });
}

function resume({ token, sessionId, sequence }: Client): string {
  return JSON.stringify({ op: 6, d: { token: `Bearer ${token}`, session_id: sessionId, seq: sequence } });
}
