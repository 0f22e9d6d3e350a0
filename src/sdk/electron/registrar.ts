import type { App } from 'electron';
import type { Logger } from '../../wire/clock/ports.ts';
import { listenForRedirects, type RedirectTarget, type SchemeReceiver } from '../redirect/listen.ts';
import { registerScheme } from '../redirect/registration/register.ts';

export interface RegistrarOptions {
  readonly app: Pick<App, 'setAsDefaultProtocolClient'>;
  /** The {@link Client} that signs the player in. */
  readonly client: RedirectTarget;
  /** Called when a redirect ended an authorization; bring the game's window to the front then. */
  readonly onAccepted?: (() => void) | undefined;
  /** As in {@link listenForRedirects}. */
  readonly onUnclaimed?: ((address: string) => void) | undefined;
  /** The program that the system starts. Required while the game runs as `electron .` on Windows and Linux. */
  readonly launch?: { readonly path: string; readonly args: readonly string[] } | undefined;
  /**
   * Registers the forwarder under the game's name, so that a redirect does not start a second copy of Electron. Where the
   * forwarder cannot be used, and on macOS, which delivers addresses to the running app itself, Electron registers the game.
   */
  readonly forwarder?: { readonly name: string; readonly folder?: string | undefined } | undefined;
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined;
}

/** The result of registering the scheme. */
export interface ElectronRegistration {
  /** Whether the system accepted the registration. */
  readonly isRegistered: boolean;
  /** The program that the system starts: the forwarder, or a second copy of the game, which passes the address on. */
  readonly through: 'forwarder' | 'game';
  /** Why the forwarder is not used, although it was requested. */
  readonly reason?: string | undefined;
}

/** Registers the first instance for its scheme, and listens for the forwarder if it is used. */
export class Registrar {
  readonly registration: Promise<ElectronRegistration>;
  /** Undefined while the registration is in progress. */
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
    this.registration = isForwarded ? this.#registerForwarder(forwarder) : Promise.resolve(this.#registerGame());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#receiver?.close();
  }

  /** Registers the game through Electron: each redirect starts a second copy of it. */
  #registerGame(reason?: string): ElectronRegistration {
    const { app, launch } = this.#options;
    const isRegistered = launch
      ? app.setAsDefaultProtocolClient(this.#scheme, launch.path, [...launch.args])
      : app.setAsDefaultProtocolClient(this.#scheme);
    return this.#finish({ isRegistered, through: 'game', ...(reason !== undefined && { reason }) });
  }

  async #registerForwarder({
    name,
    folder,
  }: NonNullable<RegistrarOptions['forwarder']>): Promise<ElectronRegistration> {
    const { launch: game = { path: process.execPath, args: [] }, logger } = this.#options;
    const scheme = this.#scheme;
    try {
      await this.#listen(folder);
      const { through, missing } = await registerScheme({ scheme, name, game, folder });
      return this.#finish({ isRegistered: true, through, ...(missing.length > 0 && { reason: missing.join(' ') }) });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger?.warn({ reason }, 'the forwarder cannot be used; Electron registers the game instead');
      return this.#registerGame(reason);
    }
  }

  async #listen(folder: string | undefined): Promise<void> {
    const { client, onAccepted, onUnclaimed, logger } = this.#options;
    // The address that this process was started with has been delivered already.
    const argv: readonly string[] = [];
    const scheme = this.#scheme;
    this.#receiver = await listenForRedirects({ client, scheme, folder, onAccepted, onUnclaimed, logger, argv });
    if (this.#isClosed) await this.#receiver.close();
  }

  #finish(outcome: ElectronRegistration): ElectronRegistration {
    this.outcome = outcome;
    return outcome;
  }
}
