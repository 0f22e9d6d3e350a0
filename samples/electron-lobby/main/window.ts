import { appPage } from './app-files.ts';
import type { AppWindow, ElectronParts } from './electron-parts.ts';

/** What no page of the game is ever let do, whatever it is made to try. */
export function denyPermissions({ session }: Pick<ElectronParts, 'session'>): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
  // Nothing is downloaded either.
  defaultSession.on('will-download', event => event.preventDefault());
}

/**
 * Opens the game's window. The page runs in a sandbox, apart from the preload script, and without Node; it stays where
 * it is, and opens nothing. Addresses are opened by the main process alone, and only those it made.
 *
 * @param preload path of the bundled preload script
 */
export async function openAppWindow({ BrowserWindow }: ElectronParts, preload: string): Promise<AppWindow> {
  const window = new BrowserWindow({
    title: 'Starfall',
    width: 1280,
    height: 800,
    minWidth: 320,
    minHeight: 480,
    // Shown with its first picture: an empty window would flash white.
    show: false,
    backgroundColor: '#10111c',
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: false,
    },
  });
  const { webContents } = window;
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview'] as const) {
    webContents.on(name as 'will-navigate', event => event.preventDefault());
  }
  window.once('ready-to-show', () => window.show());
  await window.loadURL(appPage);
  return window;
}

/** Brings a window to the front: the player has come back from the browser. */
export function bringToFront(window: AppWindow | undefined): void {
  if (!window || window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
