/** Compile-only: Electron's own types fit what the bridge between windows and the main process takes. */
import type { App, ContextBridge, IpcMain, IpcRenderer } from 'electron';
import { BehaviorSubject, type Observable } from 'rxjs';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient } from '../../src/sdk/bridge/renderer.ts';
import type { Client } from '../../src/sdk/client.ts';
import { serveWindows } from '../../src/sdk/electron/index.ts';
import {
  type Credentials,
  type KeychainTier,
  type LobbyState,
  openCredentials,
  openKeychain,
} from '../../src/sdk/index.ts';

export function inMain(ipcMain: IpcMain, app: App, client: Client): void {
  serveWindows({ ipcMain, app, client, pages: ['game://app/'] });
  serveWindows({ ipcMain, client, isTrusted: ({ url, parent }) => parent === null && url.startsWith('game://app/') });
  const open = (allow: readonly KeychainTier[]) =>
    openKeychain({ service: 'Game', allow }).then(keychain => openCredentials({ client, keychain }));
  serveWindows({ ipcMain, client, credentials: open(['system']) });
  const windows = serveWindows({
    ipcMain,
    client,
    credentials: ({ forThisRun }) => open(forThisRun ? ['memory'] : ['system']),
    signInOptions: async () => ({ scheme: 'my-game' }),
    game: { calls, states: { score: new BehaviorSubject({ points: 0 }) } },
  });
  windows.credentials satisfies Credentials | undefined;
  // @ts-expect-error an observable is what windows watch
  serveWindows({ ipcMain, client, game: { states: { score: 0 } } });
}

const calls = { add: (points: number) => points + 1, rename: async (name: string) => name };

export function inPreload(contextBridge: ContextBridge, ipcRenderer: IpcRenderer): void {
  exposeRallypoint(contextBridge, ipcRenderer);
}

export async function inPage(): Promise<void> {
  const client = openClient();
  client.lobbies$ satisfies Observable<LobbyState>;
  const lobby = await client.lobbies.join('secret', { memberMetadata: { ship: 'sloop' } });
  (await lobby.send('Ahoy')).sentAtMs satisfies number;
  const game = client.gameCalls<typeof calls>();
  (await game.add(3)) satisfies number;
  (await game.rename('x')) satisfies string;
  // @ts-expect-error calls take what they take in the main process
  await game.add('3');
  client.gameState$<{ points: number }>('score') satisfies Observable<{ points: number }>;
  await client.signIn({ forThisRun: true });
  client.credentials?.status satisfies
    | 'opening'
    | 'unavailable'
    | 'signed-out'
    | 'signing-in'
    | 'signed-in'
    | 'signing-out'
    | undefined;
  // @ts-expect-error no token is to be had in a window
  client.getToken;
  // @ts-expect-error functions do not cross
  await lobby.leave({ onWait: () => {} });
}
