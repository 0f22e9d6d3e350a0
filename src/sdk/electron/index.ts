/** The entry point `@rallypoint/sdk/electron/main`, and `@rallypoint/sdk/electron` for short, for Electron's main process. Callers pass in the parts of `electron`; nothing imports it. */
export { isRallypointError } from '../../model/errors/errors.ts';
export { type GameWindowServer, type ServeWindowsOptions, serveWindows } from '../bridge/main.ts';
export { isOwnPage, type OwnPages } from '../bridge/own-pages.ts';
export type {
  ConnectEvent,
  SenderFrame,
  WindowIpc,
  WindowServer,
  WindowServerOptions,
} from '../bridge/serve-windows.ts';
export type { GameParts } from '../bridge/shared-parts.ts';
export type {
  CredentialsRequest,
  CredentialsSource,
  SignInSnapshot,
  WindowSignInOptions,
} from '../bridge/shared-sign-in.ts';
export { openWithShell } from './open-external.ts';
export { type ElectronReceiver, type RedirectApp, type RedirectOptions, receiveRedirects } from './redirects.ts';
export type { ElectronRegistration } from './registrar.ts';
export { checkOnWake, type WakeCheck, type WakeMonitor, type WakeOptions } from './wake.ts';
