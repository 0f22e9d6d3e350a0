/**
 * `@rallypoint/sdk/electron/preload`: for the preload script of a window. It imports nothing, so that it works in a sandbox,
 * bundled or not.
 */
import { connectChannel } from './messages.ts';

/** The part of Electron's `contextBridge` that is called. */
export interface ContextBridge {
  exposeInMainWorld(name: string, api: object): void;
}

/** The part of Electron's `ipcRenderer` that is called. */
export interface PreloadIpc {
  postMessage(channel: string, message: unknown, transfer: MessagePort[]): void;
}

export interface ExposeOptions {
  /** The name of the global in the page. Default: {@link exposedName}. Pass the same to `openClient()` there. */
  readonly name?: string | undefined;
}

/** The window as this script sees it. */
interface PreloadWindow {
  readonly origin: string;
  postMessage(message: unknown, targetOrigin: string, transfer: MessagePort[]): void;
}

/** The name under which a page finds what the preload script exposes. */
export const exposedName = 'rallypoint';

/**
 * Lets the page of this window reach the client of the main process, by a port of its own and by nothing else: neither
 * `ipcRenderer` nor one of its events is exposed. Call it once.
 *
 * @example
 * import { contextBridge, ipcRenderer } from 'electron';
 * exposeRallypoint(contextBridge, ipcRenderer);
 */
export function exposeRallypoint(
  contextBridge: ContextBridge,
  ipcRenderer: PreloadIpc,
  { name = exposedName }: ExposeOptions = {},
): void {
  const page = globalThis as unknown as PreloadWindow;
  let post: ((message: unknown, port: MessagePort) => void) | undefined;
  contextBridge.exposeInMainWorld(name, {
    /** Opens a port to the main process and posts it to this window, marked with `key`. The page calls it for each port. */
    connect(key: unknown): void {
      if (typeof key !== 'string' || key.length > 64) return;
      const { port1, port2 } = new MessageChannel();
      ipcRenderer.postMessage(connectChannel, null, [port2]);
      post ??= posterOf(page);
      post({ rallypoint: key }, port1);
    },
  });
}

/** The page's own functions, as they are when it begins: a page may replace them later. */
function posterOf(page: PreloadWindow): (message: unknown, port: MessagePort) => void {
  // A page of a file has the origin "null", which no target can name.
  const target = page.origin === 'null' ? '*' : page.origin;
  const postMessage = page.postMessage.bind(page);
  return (message, port) => postMessage(message, target, [port]);
}
