import { EventEmitter } from 'node:events';
import type { ContextBridge, PreloadIpc } from '../../../src/sdk/bridge/preload.ts';
import type { ConnectEvent, SenderFrame, WindowIpc } from '../../../src/sdk/bridge/serve-windows.ts';
import type { MainPort } from '../../../src/sdk/bridge/window-connection.ts';

/**
 * Electron's part between a page and the main process, over real MessagePorts: the globals that a page and its preload
 * script share, and the events of `ipcMain`.
 */
export class WindowStandIn {
  readonly ipcMain: EventEmitter & WindowIpc;
  readonly sender = {};
  /** Who sends. */
  frame: SenderFrame | null = { url: 'game://app/index.html', parent: null };
  /** What the preload script exposed. */
  readonly exposed: Record<string, object> = {};
  /** Everything that crossed its ports, both ways. */
  readonly crossed: unknown[] = [];
  readonly #listeners = new Set<(event: object) => void>();
  readonly #onlineListeners = new Set<(event: object) => void>();
  readonly #ports: MessagePort[] = [];
  #isGone = false;

  /** The globals of the page; to be stubbed while page and preload script run. */
  readonly globals = {
    origin: 'game://app',
    addEventListener: (name: string, listener: (event: object) => void) => {
      if (name === 'message') this.#listeners.add(listener);
      if (name === 'online') this.#onlineListeners.add(listener);
    },
    postMessage: (data: unknown, _origin: string, ports: MessagePort[]) => {
      this.#ports.push(...ports);
      for (const listener of [...this.#listeners]) listener({ source: globalThis, data, ports });
    },
  };

  readonly contextBridge: ContextBridge = {
    exposeInMainWorld: (name, api) => {
      this.exposed[name] = api;
    },
  };

  readonly ipcRenderer: PreloadIpc = {
    postMessage: (channel, _message, [port]) => {
      if (!port || this.#isGone) return;
      this.#ports.push(port);
      const event: ConnectEvent = {
        sender: this.sender,
        senderFrame: this.frame,
        ports: [asMainPort(port, this.crossed)],
      };
      this.ipcMain.emit(channel, event);
    },
  };

  /** @param ipcMain of the main process, if there is one */
  constructor(ipcMain: EventEmitter = new EventEmitter()) {
    this.ipcMain = ipcMain as EventEmitter & WindowIpc;
  }

  /** The browser engine reports that there is a network. */
  online(): void {
    for (const listener of this.#onlineListeners) listener({});
  }

  /** Runs what a preload script and a page do at their start, with their globals. */
  run<Value>(work: () => Value): Value {
    const names = Object.keys(this.globals) as (keyof typeof this.globals)[];
    const before = names.map(name => Object.getOwnPropertyDescriptor(globalThis, name));
    const define = (name: string, value: unknown) =>
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    for (const name of names) define(name, this.globals[name]);
    try {
      return work();
    } finally {
      names.forEach((name, at) => {
        const former = before[at];
        if (former) Object.defineProperty(globalThis, name, former);
        else Reflect.deleteProperty(globalThis, name);
      });
      for (const name of Object.keys(this.exposed)) Reflect.deleteProperty(globalThis, name);
    }
  }

  /** Opens a page with the preload script: what {@link openClient} gives it. */
  open<Client>(preload: () => void, page: () => Client): Client {
    return this.run(() => {
      preload();
      for (const [name, value] of Object.entries(this.exposed)) {
        Object.defineProperty(globalThis, name, { value, configurable: true });
      }
      return page();
    });
  }

  /** The ports break; the page is still there. */
  drop(): void {
    for (const port of this.#ports.splice(0)) port.close();
  }

  /** As when the window is closed or reloaded: its ports are gone, and so is the page. */
  close(): void {
    this.#isGone = true;
    this.drop();
  }
}

/** A MessagePort as Electron shows it in the main process. @param crossed takes what crosses it */
export function asMainPort(port: MessagePort, crossed: unknown[]): MainPort {
  const emitter = port as unknown as EventEmitter;
  return {
    on(event: 'message' | 'close', listener: (event: { readonly data: unknown }) => void) {
      if (event === 'close') emitter.on('close', listener);
      else {
        emitter.on('message', data => {
          crossed.push(data);
          listener({ data });
        });
      }
    },
    postMessage: message => {
      crossed.push(message);
      port.postMessage(message);
    },
    start: () => port.start(),
    close: () => port.close(),
  };
}
