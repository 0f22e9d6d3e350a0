import { RallypointError, TransportError } from '../model/errors/errors.ts';
import { type Dispatches, type DispatchName, intents, opcodes } from '../model/gateway.ts';
import type { PresenceUpdate } from '../model/presence.ts';
import type { Cancel, Clock, FetchInit } from '../wire/clock/ports.ts';
import { parseFrame } from '../wire/gateway/frames.ts';
import { parseJson } from '../wire/http/codec.ts';
import { apiError } from '../wire/http/http.ts';
import { type RouteName, routes } from '../wire/routes.ts';
import { nodeFetch } from './node-fetch.ts';

/** Where the session's requests and its connection go. */
export interface SessionAddresses {
  readonly apiBase: string;
  readonly gateway: string;
}

/** An event that the session received. */
export interface Received {
  readonly name: DispatchName;
  readonly data: unknown;
}

interface Listener {
  readonly onReceived: (received: Received) => void;
  readonly onClosed?: () => void;
}

const everyIntent = Object.values(intents).reduce((all, bit) => all | bit, 0);

/** What a user's own client is to the service: a session token, requests with it, and a gateway session. */
export class UserSession {
  readonly #service: SessionAddresses;
  readonly #token: string;
  readonly #clock: Clock;
  readonly #socket: WebSocket;
  readonly #listeners = new Set<Listener>();
  /** Aborts the requests that are under way at the end of the session. */
  readonly #life = new AbortController();
  #acknowledged: (() => void)[] = [];
  #cancelHeartbeat: Cancel = () => {};
  #sequence: number | null = null;
  #whenClosed: (() => void)[] = [];
  #id = '';

  private constructor(service: SessionAddresses, token: string, clock: Clock) {
    this.#service = service;
    this.#token = token;
    this.#clock = clock;
    this.#socket = new WebSocket(`${service.gateway}?v=10&encoding=json`);
    this.#socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    this.#socket.addEventListener('close', () => {
      this.#cancelHeartbeat();
      this.#life.abort(closed());
      for (const resolve of [...this.#whenClosed, ...this.#acknowledged]) resolve();
      for (const { onClosed } of this.#listeners) onClosed?.();
      this.#listeners.clear();
    });
  }

  /**
   * Resolves once the service has greeted the session.
   *
   * @param token of the user's own client
   * @throws TransportError `connection_lost`
   */
  static async open(
    service: SessionAddresses,
    token: string,
    clock: Clock,
    onReceived: (received: Received) => void,
  ): Promise<UserSession> {
    const session = new UserSession(service, token, clock);
    session.listen(onReceived);
    await new Promise<void>((resolve, reject) => {
      session.listen(({ name }) => name === 'READY' && resolve());
      session.#whenClosed.push(() =>
        reject(new TransportError('connection_lost', 'The gateway closed the connection of a chat client.')),
      );
    });
    return session;
  }

  /** As the gateway calls it. */
  get id(): string {
    return this.#id;
  }

  /** Shows others what the user does. */
  setPresence(presence: PresenceUpdate): void {
    this.#send(opcodes.PRESENCE_UPDATE, presence);
  }

  /** @returns what ends it */
  listen(onReceived: Listener['onReceived'], onClosed?: () => void): () => void {
    const listener = { onReceived, ...(onClosed && { onClosed }) };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A request as the user's own client makes it. @throws ApiError; RallypointError `closed`; TransportError `connection_lost` */
  async request<Answer>(name: RouteName, path: string, body?: unknown): Promise<Answer> {
    const { status, ok, text } = await this.#exchange(`${this.#service.apiBase}/v10${path}`, {
      method: routes[name].method,
      headers: { authorization: this.#token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: this.#life.signal,
    });
    const json = parseJson(text);
    if (!ok) throw apiError(name, status, json);
    return json as Answer;
  }

  async #exchange(url: string, init: FetchInit): Promise<{ status: number; ok: boolean; text: string }> {
    try {
      const answer = await nodeFetch(url, init);
      return { status: answer.status, ok: answer.ok, text: await answer.text() };
    } catch (cause) {
      if (cause instanceof RallypointError) throw cause;
      throw new TransportError('connection_lost', 'The connection of a chat client broke off.', { cause });
    }
  }

  /** Resolves once everything that the service had sent before has been received. */
  async barrier(): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const acknowledged = new Promise<void>(resolve => this.#acknowledged.push(resolve));
    this.#send(opcodes.HEARTBEAT, this.#sequence);
    await acknowledged;
  }

  async close(): Promise<void> {
    this.#cancelHeartbeat();
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>(resolve => this.#whenClosed.push(resolve));
    this.#socket.close(1000);
    await closed;
  }

  #receive(text: string): void {
    const frame = parseFrame(text);
    if (!frame) return;
    if (typeof frame.s === 'number') this.#sequence = frame.s;
    if (frame.op === opcodes.HELLO) this.#greet(frame.d as { heartbeat_interval: number });
    // It identified too soon after others of the same user. The service asks again when it may.
    if (frame.op === opcodes.INVALID_SESSION && this.#id === '') this.#identify();
    if (frame.op === opcodes.HEARTBEAT_ACK) this.#acknowledged.shift()?.();
    if (frame.op !== opcodes.DISPATCH) return;
    const received = { name: frame.t as DispatchName, data: frame.d };
    this.#id = dataOf(received, 'READY')?.session_id ?? this.#id;
    for (const { onReceived } of [...this.#listeners]) onReceived(received);
  }

  #identify(): void {
    const properties = { os: process.platform, browser: 'rallypoint-testing', device: 'rallypoint-testing' };
    this.#send(opcodes.IDENTIFY, { token: this.#token, intents: everyIntent, properties });
  }

  #greet({ heartbeat_interval }: { heartbeat_interval: number }): void {
    this.#identify();
    const beat = (): void => {
      this.#cancelHeartbeat = this.#clock.schedule(heartbeat_interval, () => {
        // Also counted as acknowledged, so that a later barrier does not take its answer.
        this.#acknowledged.push(() => {});
        this.#send(opcodes.HEARTBEAT, this.#sequence);
        beat();
      });
    };
    beat();
  }

  #send(op: number, d: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }
}

/** The data of an event, by its name. */
export function dataOf<Name extends DispatchName>(received: Received, name: Name): Dispatches[Name] | undefined {
  return received.name === name ? (received.data as Dispatches[Name]) : undefined;
}

export function closed(): RallypointError {
  return new RallypointError('closed', 'The chat client is closed.');
}
