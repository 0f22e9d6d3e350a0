import { EventEmitter } from 'node:events';
import type { BrowserWindowConstructorOptions } from 'electron';
import type { ElectronParts } from '../../../samples/electron-lobby/main/electron-parts.ts';

type Handler = (...given: unknown[]) => unknown;

/** Electron without anything behind it: takes every call and remembers what it was told. */
export class RecordedElectron {
  readonly app = Object.assign(new EventEmitter(), {
    name: '',
    isSandboxed: false,
    hasQuit: false,
    paths: new Map([['userData', '/nowhere']]),
    schemes: [] as string[],
    isFirst: true,
    setName(name: string) {
      this.name = name;
    },
    enableSandbox() {
      this.isSandboxed = true;
    },
    setPath(name: string, path: string) {
      this.paths.set(name, path);
    },
    getPath(name: string) {
      return this.paths.get(name) ?? '';
    },
    whenReady: async () => {},
    requestSingleInstanceLock() {
      return this.isFirst;
    },
    setAsDefaultProtocolClient(scheme: string) {
      this.schemes.push(scheme);
      return true;
    },
    quit() {
      this.hasQuit = true;
    },
  });
  readonly ipcMain = new EventEmitter();
  readonly protocols = new Map<string, (request: Request) => Promise<Response>>();
  readonly privileged: string[] = [];
  /** By the name of what sets it. */
  readonly permissions = new Map<string, Handler>();
  readonly windows: RecordedWindow[] = [];
  readonly opened: string[] = [];
  readonly copied: string[] = [];

  get parts(): ElectronParts {
    const { app, ipcMain, protocols, privileged, permissions, windows, opened, copied } = this;
    const keeps = (name: string) => (handler: Handler) => void permissions.set(name, handler);
    const parts = {
      shell: 'electron',
      app,
      BrowserWindow: class extends RecordedWindow {
        constructor(options: BrowserWindowConstructorOptions) {
          super(options);
          windows.push(this);
        }
      },
      ipcMain,
      protocol: {
        registerSchemesAsPrivileged: (schemes: { scheme: string }[]) =>
          void privileged.push(...schemes.map(({ scheme }) => scheme)),
        handle: (scheme: string, handler: (request: Request) => Promise<Response>) =>
          void protocols.set(scheme, handler),
      },
      session: {
        defaultSession: {
          setPermissionRequestHandler: keeps('request'),
          setPermissionCheckHandler: keeps('check'),
          setDevicePermissionHandler: keeps('device'),
          on: (name: string, handler: Handler) => void permissions.set(name, handler),
        },
      },
      shellApi: { openExternal: async (url: string) => void opened.push(url) },
      clipboard: { writeText: (text: string) => void copied.push(text) },
      powerMonitor: new EventEmitter(),
    };
    return parts as unknown as ElectronParts;
  }
}

/** A window that shows nothing. */
export class RecordedWindow extends EventEmitter {
  readonly options: BrowserWindowConstructorOptions;
  url = '';
  readonly acts: string[] = [];
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });
  readonly webContents: EventEmitter;

  constructor(options: BrowserWindowConstructorOptions) {
    super();
    this.options = options;
    this.webContents = Object.assign(new EventEmitter(), {
      setWindowOpenHandler: (handler: RecordedWindow['openHandler']) => {
        this.openHandler = handler;
      },
    });
  }

  async loadURL(url: string): Promise<void> {
    this.url = url;
  }

  show = () => void this.acts.push('show');
  focus = () => void this.acts.push('focus');
  restore = () => void this.acts.push('restore');
  isMinimized = () => true;
  isDestroyed = () => false;
  destroy = () => void this.acts.push('destroy');
}
