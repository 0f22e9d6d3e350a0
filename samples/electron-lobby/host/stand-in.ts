import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserWindowConstructorOptions } from 'electron';
import type { ElectronParts } from '../main/electron-parts.ts';
import { WindowServer } from './window-server.ts';

/** A browser window that shows a page of ours. */
export interface ShownPage {
  close(): void;
}

export interface StandInOptions {
  /** Shows an address to the player as a window of its own. */
  readonly showWindow: (
    address: string,
    size: { readonly width: number; readonly height: number },
  ) => Promise<ShownPage>;
  /** Opens a page in the player's browser. */
  readonly openPage: (url: string) => Promise<void>;
  /** The bundled page side of the stand-in. */
  readonly pageScript: string;
}

/**
 * As much of Electron as this app takes, where Electron itself cannot run: the main-process code is the same, its
 * windows are a browser's. What a browser cannot do is left out and stated: there is no isolated world for the preload
 * script, navigation is held by the content policy alone, and the system's secret storage is not to be had by
 * `safeStorage` (keychains are reached directly). Of two copies both go on, unless the socket for redirects tells them.
 */
export function createStandIn(options: StandInOptions): ElectronParts {
  const schemes = new Map<string, (request: Request) => Response | Promise<Response>>();
  const ipcMain = new EventEmitter();
  const windows = new Set<StandInWindow>();
  const paths = new Map<string, string>();
  /** Folders that nobody named: private ones, gone when the app quits. */
  const own: string[] = [];

  const app = Object.assign(new EventEmitter(), {
    setName() {},
    enableSandbox() {},
    setPath: (name: string, path: string) => void paths.set(name, path),
    getPath(name: string) {
      const path = paths.get(name) ?? mkdtempSync(join(tmpdir(), 'rallypoint-stand-in-'));
      if (!paths.has(name)) own.push(path);
      paths.set(name, path);
      return path;
    },
    whenReady: async () => {},
    requestSingleInstanceLock: () => true,
    setAsDefaultProtocolClient: () => false,
    quit() {
      let isPrevented = false;
      const preventDefault = () => {
        isPrevented = true;
      };
      app.emit('before-quit', { preventDefault });
      if (isPrevented) return;
      for (const window of windows) window.destroy();
      app.emit('quit');
      for (const folder of own.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  });

  class StandInWindow extends EventEmitter {
    readonly webContents = Object.assign(new EventEmitter(), {
      setWindowOpenHandler() {},
    });
    readonly #options: BrowserWindowConstructorOptions;
    #server: WindowServer | undefined;
    #shown: ShownPage | undefined;
    #isDestroyed = false;

    constructor(windowOptions: BrowserWindowConstructorOptions) {
      super();
      this.#options = windowOptions;
      windows.add(this);
    }

    async loadURL(url: string): Promise<void> {
      const { width = 800, height = 600, webPreferences } = this.#options;
      const { protocol } = new URL(url);
      const fetchFile = schemes.get(protocol.slice(0, -1));
      if (!fetchFile) throw new Error(`Nobody serves ${protocol}`);
      const opened = Promise.withResolvers<void>();
      // As Electron tells whoever answers: the top frame, with the page's address.
      const event = { sender: this.webContents, senderFrame: { url, parent: null } };
      this.#server = new WindowServer({
        fetchFile: async path => fetchFile(new Request(new URL(path, url))),
        scripts: { page: options.pageScript, preload: webPreferences?.preload ?? '' },
        openPort: (channel, port) => ipcMain.emit(channel, { ...event, ports: [port] }),
        onOpened: opened.resolve,
        onClosed: () => this.destroy(),
      });
      this.#shown = await options.showWindow(await this.#server.listen(), { width, height });
      await opened.promise;
      this.emit('ready-to-show');
    }

    copy(text: string): void {
      this.#server?.send({ copy: text });
    }

    // A browser decides itself which of its windows is in front.
    show(): void {}
    focus(): void {}
    restore(): void {}
    isMinimized(): boolean {
      return false;
    }

    isDestroyed(): boolean {
      return this.#isDestroyed;
    }

    destroy(): void {
      if (this.#isDestroyed) return;
      this.#isDestroyed = true;
      windows.delete(this);
      this.#server?.close();
      this.#shown?.close();
      this.emit('closed');
      if (windows.size === 0) app.emit('window-all-closed');
    }
  }

  const parts = {
    shell: 'stand-in',
    app,
    BrowserWindow: StandInWindow,
    ipcMain,
    protocol: {
      registerSchemesAsPrivileged() {},
      handle: (scheme: string, handler: (request: Request) => Promise<Response>) => void schemes.set(scheme, handler),
    },
    session: {
      defaultSession: {
        setPermissionRequestHandler() {},
        setPermissionCheckHandler() {},
        setDevicePermissionHandler() {},
        on() {},
      },
    },
    shellApi: { openExternal: options.openPage },
    clipboard: {
      writeText(text: string) {
        for (const window of windows) window.copy(text);
      },
    },
    powerMonitor: new EventEmitter(),
  };
  // It has the few members that are taken, not all the overloads that Electron declares for them.
  return parts as unknown as ElectronParts;
}
