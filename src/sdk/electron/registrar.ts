import type { App } from 'electron';
import type { Logger } from '../../wire/clock/ports.ts';
import { listenForRedirects, type SchemeReceiver } from '../redirect/listen.ts';
import type { RedirectTarget } from '../redirect/receiver.ts';
import { registerScheme } from '../redirect/registration/register.ts';

export interface RegistrarOptions {
  readonly app: Pick<App, 'setAsDefaultProtocolClient'>;
  /** Who waits for the redirect: a {@link Client}. */
  readonly client: RedirectTarget;
  /** Called when a redirect ended an authorization: the moment to bring the game's window to the front. */
  readonly onAccepted?: (() => void) | undefined;
  /** As in {@link listenForRedirects}. */
  readonly onUnclaimed?: ((address: string) => void) | undefined;
  /** What the system is to start; needed while the game is run by `electron .` on Windows and Linux. */
  readonly launch?: { readonly path: string; readonly args: readonly string[] } | undefined;
  /**
   * Registers the forwarder under the game's name, so that a redirect starts no second copy of Electron. Where that
   * cannot be, and on macOS, which hands addresses to the running app by itself, Electron's own way is taken.
   */
  readonly forwarder?: { readonly name: string; readonly folder?: string | undefined } | undefined;
  readonly logger?: Logger | undefined;
}

/** How the scheme came to be registered. */
export interface ElectronRegistration {
  /** Whether the system took us for the scheme's program. */
  readonly isRegistered: boolean;
  /** What the system starts: `forwarder`, or `game`, a second copy that hands the address to the first one. */
  readonly through: 'forwarder' | 'game';
  /** Why it is not the forwarder, though it was asked for. */
  readonly reason?: string;
}

/** Registers the first instance for its scheme, and listens for the forwarder if that is to be used. */
export class Registrar {
  readonly registration: Promise<ElectronRegistration>;
  /** Undefined while it is under way. */
  outcome: ElectronRegistration | undefined;
  readonly #scheme: string;
  readonly #options: RegistrarOptions;
  #receiver: SchemeReceiver | undefined;
  #isClosed = false;

  constructor(scheme: string, options: RegistrarOptions) {
    this.#scheme = scheme;
    this.#options = options;
    const { forwarder } = options;
    const isForwarded = forwarder !== undefined && process.platform !== 'darwin';
    this.registration = isForwarded ? this.#forwarded(forwarder) : Promise.resolve(this.#started());
  }

  close(): void {
    this.#isClosed = true;
    this.#receiver?.close();
  }

  /** Electron's own way: the system starts a second copy of the game. */
  #started(reason?: string): ElectronRegistration {
    const { app, launch } = this.#options;
    const isRegistered = launch
      ? app.setAsDefaultProtocolClient(this.#scheme, launch.path, [...launch.args])
      : app.setAsDefaultProtocolClient(this.#scheme);
    return this.#ended({ isRegistered, through: 'game', ...(reason !== undefined && { reason }) });
  }

  async #forwarded({ name, folder }: NonNullable<RegistrarOptions['forwarder']>): Promise<ElectronRegistration> {
    const { launch: game = { path: process.execPath, args: [] }, logger } = this.#options;
    const scheme = this.#scheme;
    try {
      await this.#listen(folder);
      const { through, missing } = await registerScheme({ scheme, name, game, folder });
      return this.#ended({ isRegistered: true, through, ...(missing.length > 0 && { reason: missing.join(' ') }) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger?.warn({ reason }, 'the forwarder cannot be used; Electron registers the game');
      return this.#started(reason);
    }
  }

  async #listen(folder: string | undefined): Promise<void> {
    const { client, onAccepted, onUnclaimed, logger } = this.#options;
    // What this process was started with has been handed on already.
    const argv: readonly string[] = [];
    const scheme = this.#scheme;
    this.#receiver = await listenForRedirects({ client, scheme, folder, onAccepted, onUnclaimed, logger, argv });
    if (this.#isClosed) this.#receiver.close();
  }

  #ended(outcome: ElectronRegistration): ElectronRegistration {
    this.outcome = outcome;
    return outcome;
  }
}
