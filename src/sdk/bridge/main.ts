import type { Client } from '../client.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { serveShared, type WindowServer, type WindowServerOptions } from './serve-windows.ts';
import { sharedParts } from './shared-parts.ts';

export interface ServeWindowsOptions extends WindowServerOptions {
  /** The client whose state and operations the windows share. */
  // biome-ignore lint/suspicious/noExplicitAny: a client with whatever metadata schemas
  readonly client: Client<any, any>;
  /** With them, windows sign the player in and out by the keychain; without, for this run only. */
  readonly credentials?: Credentials | undefined;
}

/**
 * Lets the windows of the game use the client: its live state, its events and its operations. Neither tokens nor
 * authorization addresses leave the main process. Only top frames of the game's own pages are served, unless `isTrusted`
 * says otherwise.
 *
 * @example
 * import { app, ipcMain } from 'electron';
 *
 * const windows = serveWindows({ ipcMain, client, credentials });
 * app.on('will-quit', () => windows.close());
 */
export function serveWindows({ client, credentials, ...options }: ServeWindowsOptions): WindowServer {
  return serveShared(sharedParts(client, credentials), options);
}
