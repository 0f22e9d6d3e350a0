import { WebSocket } from 'ws';
import { type GatewayFrame, opcodes } from '../../../src/model/gateway.ts';
import { keyOf } from './event-history.ts';
import type { Findings } from './record.ts';

/** A dispatch as a client got it. */
export interface Seen {
  readonly name: string;
  readonly key: string;
  readonly lobby: string | undefined;
}

/** What a client got by one session, over all of its connections. */
export interface Epoch {
  /** When READY had come; 0 before. */
  readyMs: number;
  /** When the session had ended, and the client identified anew. */
  endMs: number;
  /** Numbers of the lobbies' states that came after READY: lobby → `metadata.v`. */
  readonly snapshots: Map<string, string | undefined>;
  readonly seen: Seen[];
}

const heartbeatMs = 1500;
const acknowledgeMsMax = 4000;
/** After these a client has to identify again. */
const sessionEnds = new Set([4007, 4009]);

/** A client of the gateway that resumes whenever its connection ends, and counts. */
export class Watcher {
  readonly name: string;
  readonly userId: string | undefined;
  readonly epochs: Epoch[] = [];
  resumes = 0;
  invalidSessions = 0;
  onDispatch: (name: string, data: Record<string, unknown>) => void = () => {};
  readonly #url: string;
  readonly #token: string;
  readonly #intents: number;
  readonly #findings: Findings;
  #session = '';
  #sequence = 0;
  #isOver = false;
  #socket: WebSocket | undefined;
  #isUp = false;

  constructor(
    name: string,
    url: string,
    token: string,
    findings: Findings,
    { intents, userId }: { readonly intents: number; readonly userId?: string },
  ) {
    this.name = name;
    this.userId = userId;
    this.#url = url;
    this.#token = token;
    this.#intents = intents;
    this.#findings = findings;
  }

  /** Whether it has a session, and is connected. */
  get isUp(): boolean {
    return this.#isUp;
  }

  get epoch(): Epoch {
    const epoch = this.epochs.at(-1);
    if (!epoch) throw new Error('It has not begun.');
    return epoch;
  }

  async run(): Promise<void> {
    this.#begin();
    while (!this.#isOver) {
      await this.#connection();
      if (!this.#isOver) await new Promise(resolve => setTimeout(resolve, 100 + Math.random() * 200));
    }
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }

  #begin(): void {
    const last = this.epochs.at(-1);
    if (last) last.endMs = Date.now();
    this.#session = '';
    this.#sequence = 0;
    this.epochs.push({ readyMs: 0, endMs: Number.POSITIVE_INFINITY, snapshots: new Map(), seen: [] });
  }

  #connection(): Promise<void> {
    const socket = new WebSocket(`${this.#url}?v=10&encoding=json`, { handshakeTimeout: 5000 });
    this.#socket = socket;
    let sentMs = 0;
    let isAcknowledged = true;
    const timer = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (!isAcknowledged) {
        if (Date.now() - sentMs > acknowledgeMsMax) socket.terminate();
      } else if (Date.now() - sentMs > heartbeatMs) {
        isAcknowledged = false;
        sentMs = Date.now();
        socket.send(JSON.stringify({ op: opcodes.HEARTBEAT, d: this.#sequence || null }));
      }
    }, 250);
    socket.on('message', data => {
      const frame = JSON.parse(String(data)) as GatewayFrame & { d: Record<string, unknown> };
      if (frame.op === opcodes.HEARTBEAT_ACK) isAcknowledged = true;
      else this.#receive(socket, frame);
    });
    socket.on('error', () => {});
    return new Promise(resolve =>
      socket.on('close', (code, reason) => {
        this.#isUp = false;
        clearInterval(timer);
        if (code === 4004) this.#findings.violation(`${this.name}: a good token was rejected (4004)`);
        if (sessionEnds.has(code)) {
          this.invalidSessions++;
          this.#begin();
        } else if (code === 4008 || code === 4003 || code === 4005) {
          this.#findings.violation(`${this.name}: closed with ${code} ${reason}`);
        }
        resolve();
      }),
    );
  }

  #receive(socket: WebSocket, frame: GatewayFrame & { d: Record<string, unknown> }): void {
    switch (frame.op) {
      case opcodes.HELLO: {
        const d =
          this.#session === ''
            ? { token: this.#token, properties: {}, intents: this.#intents }
            : { token: this.#token, session_id: this.#session, seq: this.#sequence };
        socket.send(JSON.stringify({ op: this.#session === '' ? opcodes.IDENTIFY : opcodes.RESUME, d }));
        return;
      }
      case opcodes.RECONNECT:
        socket.close(4900);
        return;
      case opcodes.INVALID_SESSION:
        if ((frame.d as unknown) !== true) {
          if (this.#session !== '') this.invalidSessions++;
          this.#begin();
        }
        setTimeout(() => socket.close(4900), 1000);
        return;
      case opcodes.DISPATCH:
        this.#dispatched(frame);
    }
  }

  #dispatched({ s, t, d }: GatewayFrame & { d: Record<string, unknown> }): void {
    const name = String(t);
    if (s !== this.#sequence + 1) {
      this.#findings.violation(`${this.name}: number ${s} of ${name} follows ${this.#sequence}`);
    }
    this.#sequence = s ?? 0;
    const { epoch } = this;
    if (name === 'READY') {
      this.#session = String(d.session_id);
      epoch.readyMs = Date.now();
      this.#isUp = true;
    } else if (name === 'RESUMED') {
      this.resumes++;
      this.#isUp = true;
    } else {
      const lobby = name.startsWith('LOBBY_') ? String(d.lobby_id ?? d.id) : undefined;
      epoch.seen.push({ name, key: keyOf(name, d), lobby });
      if (name === 'LOBBY_CREATE' && lobby !== undefined) {
        epoch.snapshots.set(lobby, (d.metadata as { v?: string } | null)?.v);
      }
    }
    this.onDispatch(name, d);
  }
}
