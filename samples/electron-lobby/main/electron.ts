import { join } from 'node:path';
import { app, BrowserWindow, clipboard, ipcMain, powerMonitor, protocol, safeStorage, session, shell } from 'electron';
import { startApp } from './app.ts';
import type { ElectronParts } from './electron-parts.ts';
import { readOptions } from './options.ts';

/** Where Electron starts: hands itself to the app. Bundled to dist/main.js, beside the other built files. */
const electron: ElectronParts = {
  shell: 'electron',
  app,
  BrowserWindow,
  ipcMain,
  protocol,
  session,
  shellApi: shell,
  clipboard,
  safeStorage,
  powerMonitor,
};
const files = { preload: join(import.meta.dirname, 'preload.cjs'), pages: join(import.meta.dirname, 'pages') };

async function start(): Promise<void> {
  const { isFirstInstance } = await startApp(electron, readOptions(process.env), files);
  if (isFirstInstance && process.env.STARFALL_ONCE) app.quit();
}

// Not awaited: Electron becomes ready only once this file has run.
start().catch(error => {
  process.stderr.write(`Starfall cannot start: ${error instanceof Error ? error.message : 'unknown reason'}\n`);
  app.exit(1);
});
