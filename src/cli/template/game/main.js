import { join } from 'node:path';
import { Client } from '@rallypoint/sdk';
import { openWithShell, serveWindows } from '@rallypoint/sdk/electron/main';
import { app, BrowserWindow, ipcMain, shell } from 'electron';

// Without these variables, the service and the application of this folder.
const { RALLYPOINT_BASE_URL: baseUrl = 'http://127.0.0.1:8910', RALLYPOINT_APPLICATION_ID: applicationId = '1' } =
  process.env;

const client = new Client({ baseUrl, applicationId, openBrowser: openWithShell(shell) });
const windows = serveWindows({ ipcMain, app, client });

app.enableSandbox();
// Not awaited: Electron becomes ready only once this file has run.
app.whenReady().then(openWindow);
app.on('window-all-closed', async () => {
  await windows.close();
  await client.close();
  app.quit();
});

async function openWindow() {
  const preload = join(import.meta.dirname, '../build/preload.js');
  const window = new BrowserWindow({ width: 480, height: 640, webPreferences: { preload } });
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  window.webContents.on('will-navigate', event => event.preventDefault());
  await window.loadFile(join(import.meta.dirname, 'index.html'));
}
