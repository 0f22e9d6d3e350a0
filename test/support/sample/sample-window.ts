import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
import { openClient, type WindowClient } from '@rallypoint/sdk/electron/renderer';
import { WebSocket } from 'ws';
import { type FromHost, socketPath } from '../../../samples/electron-lobby/host/wire.ts';
import { type Actions, AppModel } from '../../../samples/electron-lobby/renderer/model.ts';
import { type Bridge, callNames, channelOf, stateChannel } from '../../../samples/electron-lobby/shared/bridge.ts';
import type { AppState, GameState } from '../../../samples/electron-lobby/shared/state.ts';
import { WindowStandIn } from '../electron/window-stand-in.ts';

/** A window of the sample without a browser: speaks to the stand-in as its page does, and keeps all that it hears. */
export class SampleWindow {
  /** Everything that came over the bridge, as text. */
  readonly heard: string[] = [];
  /** What the app put into the clipboard. */
  copied: string | undefined;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: FromHost & { id: number }) => void>();
  readonly #watchers = new Set<() => void>();
  readonly #listeners = new Set<(state: GameState) => void>();
  readonly #standIn = new WindowStandIn();
  #lastId = 0;
  #port: MessagePort | undefined;
  #model: AppModel | undefined;
  #started: Promise<void> | undefined;

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
    if (!this.#model) throw new Error('The app has not said anything yet.');
    return this.#model.state;
  }

  /** What the page does when a player asks for something. */
  async call<Name extends keyof Actions>(name: Name, ...payload: Parameters<Actions[Name]>) {
    const action = (await this.#page()).actions[name] as (...given: typeof payload) => ReturnType<Actions[Name]>;
    return action(...payload);
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
    await this.#page();
    while (!fits(this.state)) {
      await new Promise<void>(resolve => {
        this.#watchers.add(resolve);
      });
    }
    return this.state;
  }

  close(): void {
    this.#standIn.close();
    this.#socket.close();
  }

  /** What runs in the page, once it has something to show. */
  async #page(): Promise<AppModel> {
    const calls = callNames.map(name => [name, (payload?: unknown) => this.send(channelOf(name), payload)]);
    const bridge = {
      ...Object.fromEntries(calls),
      onState: (listener: (state: GameState) => void) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    } as Bridge;
    this.#model ??= new AppModel(bridge, this.#openClient(), () => this.#wake());
    this.#started ??= this.#model.start(bridge.readState);
    await this.#started;
    return this.#model;
  }

  #openClient(): WindowClient {
    const ipcRenderer = {
      postMessage: (channel: string, _message: unknown, [port]: MessagePort[]) => {
        if (!port) return;
        this.#port = port;
        this.#socket.send(JSON.stringify({ port: 1, channel }));
        port.onmessage = ({ data }) => this.#socket.send(JSON.stringify({ port: 1, data }));
      },
    };
    const { contextBridge } = this.#standIn;
    return this.#standIn.open(
      () => exposeRallypoint(contextBridge, ipcRenderer),
      () => openClient(),
    );
  }

  #take(text: string): void {
    this.heard.push(text);
    const message = JSON.parse(text) as FromHost;
    if ('copy' in message) this.copied = message.copy;
    else if ('port' in message) message.isClosed ? this.#port?.close() : this.#port?.postMessage(message.data);
    else if ('id' in message) this.#waiting.get(message.id)?.(message);
    else if (message.channel === stateChannel) {
      for (const listener of this.#listeners) listener(message.payload as GameState);
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

/** @returns the cookie that lets a page in */
export async function enter(address: string): Promise<string> {
  const answer = await fetch(address, { redirect: 'manual' });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
