import { WebSocket } from 'ws';
import { type FromHost, socketPath } from '../../../samples/electron-lobby/host/wire.ts';
import {
  type CallName,
  channelOf,
  type Gives,
  stateChannel,
  type Takes,
} from '../../../samples/electron-lobby/shared/bridge.ts';
import type { AppState } from '../../../samples/electron-lobby/shared/state.ts';

/** A window of the sample without a browser: speaks to the stand-in as its page does, and keeps all that it hears. */
export class SampleWindow {
  /** Everything that came over the bridge, as text. */
  readonly heard: string[] = [];
  /** What the app put into the clipboard. */
  copied: string | undefined;
  #state: AppState | undefined;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: FromHost & { id: number }) => void>();
  readonly #watchers = new Set<() => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', data => this.#take(String(data)));
  }

  /** Brings the key of the address, as a browser that opens it does. */
  static async open(address: string): Promise<SampleWindow> {
    const cookie = await enter(address);
    const { host, origin } = new URL(address);
    const socket = new WebSocket(`ws://${host}${socketPath}`, { headers: { origin, cookie } });
    const window = new SampleWindow(socket);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return window;
  }

  get state(): AppState {
    if (!this.#state) throw new Error('The app has not said anything yet.');
    return this.#state;
  }

  async call<Name extends CallName>(
    name: Name,
    ...payload: Takes<Name> extends undefined ? [] : [Takes<Name>]
  ): Promise<Gives<Name>> {
    return (await this.send(channelOf(name), payload[0])) as Gives<Name>;
  }

  /** Any call at all. @throws Error with what the app said */
  send(channel: string, payload?: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, channel, payload }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, answer =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(Object(answer).value),
      );
    });
  }

  /** The first state that fits, the present one included. */
  async sees(fits: (state: AppState) => boolean): Promise<AppState> {
    this.#state ??= await this.call('readState');
    while (!fits(this.state)) {
      await new Promise<void>(resolve => {
        this.#watchers.add(resolve);
      });
    }
    return this.state;
  }

  close(): void {
    this.#socket.close();
  }

  #take(text: string): void {
    this.heard.push(text);
    const message = JSON.parse(text) as FromHost;
    if ('copy' in message) this.copied = message.copy;
    else if ('id' in message) this.#waiting.get(message.id)?.(message);
    else if ('channel' in message && message.channel === stateChannel) this.#state = message.payload as AppState;
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

/** @returns the cookie that lets a page in */
export async function enter(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
