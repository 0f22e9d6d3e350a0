import { exposeRallypoint } from '@rallypoint/sdk/electron/preload';
import { openClient, type WindowClient } from '@rallypoint/sdk/electron/renderer';
import { WebSocket } from 'ws';
import { type FromHost, type FromPage, socketPath } from '../../../samples/electron-lobby/host/wire.ts';
import { type Actions, AppModel, type AppState } from '../../../samples/electron-lobby/renderer/model.ts';
import { WindowStandIn } from '../electron/window-stand-in.ts';

/** A window of the sample without a browser: speaks to the stand-in as its page does, and keeps all that it hears. */
export class SampleWindow {
  /** Everything that came from the main process, as text. */
  readonly heard: string[] = [];
  /** What the app put into the clipboard. */
  copied: string | undefined;
  readonly #socket: WebSocket;
  readonly #watchers = new Set<() => void>();
  readonly #standIn = new WindowStandIn();
  readonly #ports = new Map<number, MessagePort>();
  #client: WindowClient | undefined;
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

  /** The client of the page. */
  async client(): Promise<WindowClient> {
    await this.#page();
    return this.#client as WindowClient;
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

  /** Posts anything at all by a port of its own. */
  post(message: FromPage): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    void this.#client?.close();
    this.#standIn.close();
    this.#socket.close();
  }

  /** What runs in the page, once it has something to show. */
  async #page(): Promise<AppModel> {
    this.#client ??= this.#openClient();
    this.#model ??= new AppModel(this.#client, () => this.#wake());
    this.#started ??= this.#model.start();
    await this.#started;
    return this.#model;
  }

  #openClient(): WindowClient {
    const ipcRenderer = {
      postMessage: (channel: string, _message: unknown, [port]: MessagePort[]) => {
        if (!port) return;
        const id = this.#ports.size + 1;
        this.#ports.set(id, port);
        this.post({ port: id, channel });
        port.onmessage = ({ data }) => this.post({ port: id, data });
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
    else if (message.isClosed) this.#ports.get(message.port)?.close();
    else this.#ports.get(message.port)?.postMessage(message.data);
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
