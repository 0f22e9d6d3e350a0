/** The door `@rallypoint/sdk/electron`: for Electron's main process. `electron` itself is handed in, never imported. */
export { isRallypointError } from '../../model/errors/errors.ts';
export { openWithShell } from './open-external.ts';
export { type ElectronReceiver, type RedirectApp, type RedirectOptions, receiveRedirects } from './redirects.ts';
export type { ElectronRegistration } from './registrar.ts';
export { checkOnWake, type WakeMonitor, type WakeOptions } from './wake.ts';
