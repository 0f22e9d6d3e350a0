/** The door `@rallypoint/sdk/electron`: for Electron's main process. `electron` itself is handed in, never imported. */
export { openWithShell } from './open-external.ts';
export { type RedirectApp, type RedirectOptions, type RedirectReceiver, receiveRedirects } from './redirects.ts';
export { checkOnWake, type WakeMonitor, type WakeOptions } from './wake.ts';
