import type { SchemeChoice } from '../scheme.ts';
import type { SchemeHandlers } from './scheme-handlers.ts';

export interface RegisterOptions extends SchemeChoice {
  /** What people read when they are asked whether to open the game: one line, up to 100 characters. */
  readonly name: string;
  /** How the system starts the game; the address is appended as the last argument. */
  readonly game: { readonly path: string; readonly args?: readonly string[] | undefined };
  /** As in {@link listenForRedirects}. */
  readonly folder?: string | undefined;
  /** macOS: id of the game's bundle, whose Info.plist names the scheme; needed there, unused elsewhere. */
  readonly bundleId?: string | undefined;
}

/** What was registered, and by which means. */
export interface RegisteredScheme {
  readonly scheme: string;
  /** What the application's page of the service has to list. */
  readonly redirectUri: string;
  /** Linux: the desktop file; Windows: the ProgId; macOS: the bundle. */
  readonly id: string;
  /** What the system starts, with the address as one argument more. */
  readonly command: readonly string[];
  /** `game`: there is no forwarder, and each redirect starts a second copy of the game, which hands it on. */
  readonly through: 'forwarder' | 'game';
  /** `xdg-mime`: there is no addon. */
  readonly by: SchemeHandlers['by'];
  /** Where the forwarder was looked for; empty when it was found. */
  readonly missing: readonly string[];
}

/** Whose registration is meant. */
export type UnregisterOptions = SchemeChoice & Pick<RegisterOptions, 'bundleId'>;
