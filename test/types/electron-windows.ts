/** Compile-only: Electron's own types fit what the bridge between windows and the main process takes. */
import type { ContextBridge, IpcMain, IpcRenderer } from 'electron';
import type { Observable } from 'rxjs';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient } from '../../src/sdk/bridge/renderer.ts';
import type { Client } from '../../src/sdk/client.ts';
import { serveWindows } from '../../src/sdk/electron/index.ts';
import type { LobbyState } from '../../src/sdk/index.ts';

export function inMain(ipcMain: IpcMain, client: Client): void {
  serveWindows({ ipcMain, client, isTrusted: ({ url, parent }) => parent === null && url.startsWith('game://app/') });
}

export function inPreload(contextBridge: ContextBridge, ipcRenderer: IpcRenderer): void {
  exposeRallypoint(contextBridge, ipcRenderer);
}

export async function inPage(): Promise<void> {
  const client = openClient();
  client.lobbies$ satisfies Observable<LobbyState>;
  const lobby = await client.lobbies.join('secret', { memberMetadata: { ship: 'sloop' } });
  (await lobby.send('Ahoy')).sentAtMs satisfies number;
  // @ts-expect-error no token is to be had in a window
  client.getToken;
  // @ts-expect-error functions do not cross
  await lobby.leave({ onWait: () => {} });
}
