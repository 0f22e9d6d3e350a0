import { type Signal, signal } from '@preact/signals';
import { allIntents, opcodes } from '../../../model/gateway.ts';
import type { CallFile } from '../../../wire/control/act.ts';
import { parseFrame } from '../../../wire/gateway/frames.ts';
import { act } from '../../control/act.ts';
import { control } from '../../control/client.ts';
import { serviceNow } from '../../control/clock.ts';
import { messageOf } from '../../control/errors.ts';
import { controlToken } from '../../control/session.ts';
import { changeUse, emptyScreen, receive, type Screen, type Use, withUse } from './screen.ts';

/** What is sent to `POST /interactions`. */
export interface UseBody {
  readonly application_id: string;
  readonly type: number;
  readonly channel_id: string;
  readonly guild_id?: string;
  readonly message_id?: string;
  readonly data: object;
}

const firstRetryMs = 500;
const lastRetryMs = 10_000;

/**
 * A connection to the gateway that is opened anew when it is lost. The service's own clock does not matter: heartbeats are for the
 * connection between the browser and the service.
 */
export class GatewaySocket {
  readonly connection: Signal<'connecting' | 'open' | 'closed'> = signal('connecting');
  readonly #getToken: () => Promise<string>;
  readonly #onEvent: (name: string, data: unknown) => void;
  #socket: WebSocket | undefined;
  #sequence: number | null = null;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(getToken: () => Promise<string>, onEvent: (name: string, data: unknown) => void) {
    this.#getToken = getToken;
    this.#onEvent = onEvent;
    void this.#open();
  }

  send(op: number, d: unknown): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    this.#socket?.close(1000);
  }

  async #open(): Promise<void> {
    let token: string;
    try {
      token = await this.#getToken();
    } catch {
      this.#openLater();
      return;
    }
    if (this.#isClosed) return;
    // The content policy allows the page's own origin only; the service serves the gateway there as well.
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/gateway?v=10&encoding=json`);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(String(data), token));
    socket.addEventListener('close', () => {
      if (socket !== this.#socket) return;
      clearInterval(this.#heartbeat);
      this.#openLater();
    });
  }

  #openLater(): void {
    if (this.#isClosed) return;
    this.connection.value = 'closed';
    const waitMs = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++);
    this.#retry = setTimeout(() => void this.#open(), waitMs);
  }

  #receive(text: string, token: string): void {
    const frame = parseFrame(text);
    if (!frame) return;
    if (typeof frame.s === 'number') this.#sequence = frame.s;
    if (frame.op === opcodes.HELLO) this.#greet(frame.d as { heartbeat_interval: number }, token);
    // Both ask for another session; a client that shows a screen has nothing to resume.
    if (frame.op === opcodes.RECONNECT || frame.op === opcodes.INVALID_SESSION) this.#socket?.close(1000);
    if (frame.op !== opcodes.DISPATCH) return;
    if (frame.t === 'READY') {
      this.#failures = 0;
      this.connection.value = 'open';
    }
    this.#onEvent(frame.t ?? '', frame.d);
  }

  #greet({ heartbeat_interval }: { heartbeat_interval: number }, token: string): void {
    const properties = { os: 'browser', browser: 'rallypoint-console', device: 'rallypoint-console' };
    this.send(opcodes.IDENTIFY, { token, intents: allIntents, properties });
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => this.send(opcodes.HEARTBEAT, this.#sequence), heartbeat_interval);
  }
}

/** A chat client of a user: what it shows, and what the user does in it. */
export class ChatClient {
  readonly userId: string;
  readonly screen: Signal<Screen> = signal(emptyScreen);
  /** Rises when the commands that the user may use may have changed. */
  readonly indexVersion = signal(0);
  readonly #socket: GatewaySocket;
  #lastNonce = 0;

  constructor(userId: string) {
    this.userId = userId;
    const token = async () => (await control.post<{ token: string }>(`/users/${userId}/session`)).token;
    this.#socket = new GatewaySocket(token, (name, data) => this.#receive(name, data));
  }

  get connection() {
    return this.#socket.connection;
  }

  /** Sends what the user does; its outcome appears in the {@link screen}. */
  async use(body: UseBody, label: string, files: readonly CallFile[] = []): Promise<void> {
    const nonce = this.#nonce();
    const { application_id: applicationId, channel_id: channelId } = body;
    const startedMs = serviceNow.peek();
    const use: Use = { nonce, label, applicationId, channelId, startedMs, state: 'sending' };
    this.screen.value = withUse(this.screen.peek(), use);
    try {
      const answer = await this.#send(body, nonce, files);
      const isSending = this.screen.peek().uses.find(one => one.nonce === nonce)?.state === 'sending';
      const trafficId = answer.traffic_id;
      this.#change(nonce, { ...(isSending && { state: 'waiting' }), ...(trafficId !== null && { trafficId }) });
    } catch (error) {
      this.#change(nonce, { state: 'rejected', error: errorText(error) });
    }
  }

  /** Asks what the application suggests for the option being typed. @returns the nonce of the suggestions */
  async suggest(body: UseBody): Promise<string> {
    const nonce = this.#nonce();
    await this.#send(body, nonce, []);
    return nonce;
  }

  dismissUse(nonce: string): void {
    const screen = this.screen.peek();
    this.screen.value = { ...screen, uses: screen.uses.filter(use => use.nonce !== nonce) };
  }

  dismissModal(): void {
    this.screen.value = { ...this.screen.peek(), modal: undefined };
  }

  clear(): void {
    this.screen.value = emptyScreen;
  }

  close(): void {
    this.#socket.close();
  }

  #send(body: UseBody, nonce: string, files: readonly CallFile[]) {
    const as = { kind: 'session', user_id: this.userId } as const;
    const call = { as, method: 'POST', path: '/interactions', body: { ...body, nonce } } as const;
    return act(files.length > 0 ? { ...call, files } : call);
  }

  #nonce(): string {
    return `console-${Date.now().toString(36)}-${++this.#lastNonce}`;
  }

  #change(nonce: string, change: Partial<Use>): void {
    this.screen.value = changeUse(this.screen.peek(), nonce, change);
  }

  #receive(name: string, data: unknown): void {
    if (name === 'APPLICATION_COMMAND_INDEX_UPDATE' || name === 'READY') this.indexVersion.value++;
    this.screen.value = receive(this.screen.peek(), name, data);
  }
}

/** The message of the API, and what was wrong with which part of the body. */
export function errorText(error: unknown): string {
  const { issues = [] } = error as { issues?: readonly { path: readonly (string | number)[]; message: string }[] };
  const details = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return [messageOf(error), ...details].join('\n');
}

/** The clients of this tab, by user: a user who is in both panes has one, and it stays while other views are shown. */
const clients = new Map<string, ChatClient>();
/** How many were ever opened: rises with each. */
const opened = signal(0);

// Signing out, or signing in with another token, leaves no client connected.
controlToken.subscribe(() => {
  for (const client of clients.values()) client.close();
  clients.clear();
});

/** What was used in an interaction, by any client of this tab. */
export function labelOfInteraction(id: string): string | undefined {
  const uses = [...clients.values()].flatMap(({ screen }) => screen.value.uses);
  return uses.find(({ interactionId }) => interactionId === id)?.label;
}

export function chatClientOf(userId: string): ChatClient {
  let client = clients.get(userId);
  if (!client) {
    client = new ChatClient(userId);
    clients.set(userId, client);
    closeOldest();
    // Not while something is being rendered.
    queueMicrotask(() => void opened.value++);
  }
  return client;
}

/** What users have done who have a client, from the earliest on. */
export function usesOf(userIds: readonly string[]): readonly Use[] {
  opened.value;
  return [...new Set(userIds)]
    .flatMap(id => clients.get(id)?.screen.value.uses ?? [])
    .toSorted((a, b) => a.startedMs - b.startedMs);
}

/** More than are ever in sight: the two panes have two. */
const clientsMax = 8;

function closeOldest(): void {
  const [oldest] = clients.values();
  if (!oldest || clients.size <= clientsMax) return;
  oldest.close();
  clients.delete(oldest.userId);
}
