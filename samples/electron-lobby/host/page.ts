import { type FromHost, type FromPage, type PortMessage, socketPath } from './wire.ts';

/**
 * Runs in the page before anything else, and gives the preload script what it takes of Electron: `ipcRenderer`, over a
 * WebSocket to the stand-in, and `contextBridge`. A browser has no isolated world to put the preload script into; in
 * Electron it has one.
 */
type Listener = (event: object, payload: unknown) => void;

const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>();
const listeners = new Map<string, Set<Listener>>();
const ports = new Map<number, MessagePort>();
const socket = new WebSocket(`ws://${location.host}${socketPath}`);
const opened = new Promise<void>(resolve => socket.addEventListener('open', () => resolve()));
let lastId = 0;

socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as FromHost));
// The app has ended; a window of Electron's would be gone.
socket.addEventListener('close', () => window.close());

async function send(message: FromPage): Promise<void> {
  await opened;
  socket.send(JSON.stringify(message));
}

function take(message: FromHost): void {
  if ('copy' in message) {
    void navigator.clipboard.writeText(message.copy);
  } else if ('port' in message) {
    takeFromPort(message);
  } else if ('channel' in message) {
    for (const listener of listeners.get(message.channel) ?? []) listener({}, message.payload);
  } else {
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) call?.resolve(message.value);
    else call?.reject(new Error(message.error));
  }
}

function takeFromPort({ port: id, data, isClosed }: PortMessage): void {
  const port = ports.get(id);
  if (isClosed) {
    ports.delete(id);
    port?.close();
  } else {
    port?.postMessage(data);
  }
}

const ipcRenderer = {
  async invoke(channel: string, payload?: unknown): Promise<unknown> {
    const id = ++lastId;
    const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    await send({ id, channel, payload });
    return answer;
  },
  /** The message itself is not sent: what is said goes by the port. */
  postMessage(channel: string, _message: unknown, [port]: readonly MessagePort[] = []): void {
    if (!port) return;
    const id = ++lastId;
    ports.set(id, port);
    void send({ port: id, channel });
    port.onmessage = ({ data }) => void send({ port: id, data });
    port.addEventListener('close', () => void (ports.delete(id) && send({ port: id, isClosed: true })));
  },
  on(channel: string, listener: Listener): void {
    listeners.set(channel, new Set([...(listeners.get(channel) ?? []), listener]));
  },
  off(channel: string, listener: Listener): void {
    listeners.get(channel)?.delete(listener);
  },
};

const contextBridge = {
  exposeInMainWorld(name: string, api: object): void {
    Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true });
  },
};

/** What `require('electron')` is in the preload script, which follows in the same file. */
Object.defineProperty(globalThis, 'electronOfStandIn', { value: { contextBridge, ipcRenderer }, configurable: true });
