import { type FromHost, type FromPage, type PortMessage, socketPath } from './wire.ts';

/**
 * Runs in the page before anything else, and gives the preload script what it takes of Electron: `ipcRenderer`, over a
 * WebSocket to the stand-in, and `contextBridge`. A browser has no isolated world to put the preload script into; in
 * Electron it has one.
 */
const ports = new Map<number, MessagePort>();
const socket = new WebSocket(`ws://${location.host}${socketPath}`);
const opened = new Promise<void>(resolve => socket.addEventListener('open', () => resolve()));
/** The page's ends, in the order in which the preload script posts them to the page. */
const pageEnds: MessagePort[] = [];
let lastId = 0;

window.addEventListener('message', ({ source, ports: [port] }) => {
  if (source === window && port) pageEnds.push(port);
});

socket.addEventListener('message', ({ data }) => take(JSON.parse(String(data)) as FromHost));
// The app has ended; a window of Electron's would be gone.
socket.addEventListener('close', () => window.close());

async function send(message: FromPage): Promise<void> {
  await opened;
  socket.send(JSON.stringify(message));
}

function take(message: FromHost): void {
  if ('copy' in message) void navigator.clipboard.writeText(message.copy);
  else takeFromPort(message);
}

function takeFromPort({ port: id, data, isClosed }: PortMessage): void {
  const port = ports.get(id);
  if (isClosed) {
    ports.delete(id);
    port?.close();
    // Electron adds this event to ports; a browser has none.
    pageEnds[id - 1]?.dispatchEvent(new Event('close'));
  } else {
    port?.postMessage(data);
  }
}

const ipcRenderer = {
  /** The message itself is not sent: what is said goes by the port. */
  postMessage(channel: string, _message: unknown, [port]: readonly MessagePort[] = []): void {
    if (!port) return;
    const id = ++lastId;
    ports.set(id, port);
    void send({ port: id, channel });
    port.onmessage = ({ data }) => void send({ port: id, data });
  },
};

const contextBridge = {
  exposeInMainWorld(name: string, api: object): void {
    Object.defineProperty(window, name, { value: Object.freeze(api), enumerable: true });
  },
};

/** What `require('electron')` is in the preload script, which follows in the same file. */
Object.defineProperty(globalThis, 'electronOfStandIn', { value: { contextBridge, ipcRenderer }, configurable: true });
