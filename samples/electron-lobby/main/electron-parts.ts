import type {
  App,
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Clipboard,
  IpcMain,
  PowerMonitor,
  Protocol,
  SafeStorage,
  Session,
  Shell,
  WebContents,
} from 'electron';

/**
 * What the main process takes of Electron. It is handed in, so that the same code runs where Electron does not: in the
 * stand-in of `host/`, and in tests.
 */
export interface ElectronParts {
  /** Which of them it is; windows say so. */
  readonly shell: 'electron' | 'stand-in';
  readonly app: Pick<
    App,
    | 'on'
    | 'off'
    | 'quit'
    | 'whenReady'
    | 'enableSandbox'
    | 'setName'
    | 'setPath'
    | 'getPath'
    | 'requestSingleInstanceLock'
    | 'setAsDefaultProtocolClient'
  >;
  readonly BrowserWindow: new (options: BrowserWindowConstructorOptions) => AppWindow;
  readonly ipcMain: Pick<IpcMain, 'on' | 'off'>;
  readonly protocol: Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>;
  readonly session: { readonly defaultSession: Pick<Session, PermissionDoors> };
  readonly shellApi: Pick<Shell, 'openExternal'>;
  readonly clipboard: Pick<Clipboard, 'writeText'>;
  /** Absent where there is none. */
  readonly safeStorage?: SafeStorage;
  readonly powerMonitor: Pick<PowerMonitor, 'on' | 'off'>;
}

type PermissionDoors =
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'on';

/** As much of a window as is used. */
export type AppWindow = Pick<
  BrowserWindow,
  'loadURL' | 'show' | 'focus' | 'restore' | 'isMinimized' | 'isDestroyed' | 'once'
> & {
  readonly webContents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>;
};
