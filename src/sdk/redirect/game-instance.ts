import type { Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import { type Cancel, type Clock, type Logger, steadyNow } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { forwarderAgreement } from '../native/forwarder.ts';
import { RedirectServer } from './redirect-server.ts';
import { addressesIn, isAddressOf } from './scheme.ts';
import { preparePrivateFolder, type RunExclusively, type SocketLocation } from './socket-location.ts';
import { answerOf, connectSocket, deliver, joinMessage, readLines, sendLine } from './socket-protocol.ts';

export interface GameInstancePorts {
  readonly location: SocketLocation;
  readonly uid: number | undefined;
  readonly scheme: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Passes an address to this instance's client. */
  take(address: string): boolean;
  /** Called with an address that no window accepted. */
  unclaimed(address: string): void;
  /** The lock under which the socket is created. */
  readonly exclusively: RunExclusively;
}

export type Rank = 'first' | 'second';

// Unspecified: how long an instance waits to connect again after it was rejected, or lost its connection twice in this time.
const pauseMs = 1000;
// Unspecified: how often the first instance checks that no clean-up program has deleted its socket.
const checkMs = 60_000;
// Only on Windows can another process still be faster, and hardly twice.
const attemptsMax = 5;

/**
 * One running copy of the game. The first copy owns the socket; the others join it and are offered the addresses that
 * arrive. When the first one ends, one of the others takes over.
 */
export class GameInstance {
  readonly #ports: GameInstancePorts;
  /** The server of the first instance, or the connection of another one. */
  #role: { close(): void | Promise<void> } | undefined;
  #isClosed = false;
  #cancelTimer: Cancel = () => {};
  #disconnectedMs = Number.NEGATIVE_INFINITY;
  #startAddress: string | undefined;

  constructor(ports: GameInstancePorts) {
    this.#ports = ports;
  }

  /** The address that this process was started with, until a window accepts it. */
  get startAddress(): string | undefined {
    return this.#startAddress;
  }

  /**
   * Becomes the first instance or joins it, and delivers the address that this process was started with.
   *
   * @throws RedirectError
   */
  async start(argv: readonly string[]): Promise<Rank> {
    const rank = await this.#enter();
    for (const address of addressesIn(argv, this.#ports.scheme)) {
      if (await this.#deliver(address, rank)) this.#startAddress = undefined;
      else this.#startAddress ??= address;
    }
    return rank;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    const role = this.#role;
    this.#role = undefined;
    await role?.close();
  }

  async #deliver(address: string, rank: Rank): Promise<boolean> {
    const { location, clock, take } = this.#ports;
    if (rank === 'first') return take(address);
    // The first instance offers it to all windows, including this one.
    return (await deliver(location.path, address, clock, forwarderAgreement.answerMsMax)) === 'accepted';
  }

  async #enter(): Promise<Rank> {
    const { location, uid, exclusively } = this.#ports;
    if (location.folder !== undefined) await preparePrivateFolder(location.folder, uid);
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      if (await this.#join()) return 'second';
      const rank = await exclusively(async () => ((await this.#join()) ? 'second' : this.#listen()));
      if (rank) return rank;
    }
    throw new RedirectError(
      'listener_not_ours',
      `${location.path} is in use by a process that does not answer. End that process.`,
    );
  }

  async #listen(): Promise<Rank | undefined> {
    const server = await RedirectServer.open({ ...this.#ports, onJoin: window => this.#offerStart(window) });
    if (!server) return undefined;
    this.#setRole(server);
    this.#watchSocket(server);
    return 'first';
  }

  #watchSocket(server: RedirectServer): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#ports.clock.schedule(checkMs, () => {
      if (server.isInPlace) return this.#watchSocket(server);
      void server.close();
      return this.#enterAgain();
    });
  }

  /** @returns false when no process listens */
  async #join(): Promise<boolean> {
    const socket = await connectSocket(this.#ports.location.path);
    if (socket === 'absent') return false;
    if (socket === 'busy') this.#retry(pauseMs);
    else this.#sendJoin(socket);
    return true;
  }

  #sendJoin(socket: Socket): void {
    const { scheme, take } = this.#ports;
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#reconnect());
    readLines(
      socket,
      text => sendLine(socket, answerOf(isAddressOf(scheme, text) && take(text))),
      () => socket.destroy(),
    );
    sendLine(socket, joinMessage);
    this.#setRole({ close: () => void socket.destroy() });
  }

  #setRole(role: { close(): void | Promise<void> }): void {
    if (this.#isClosed) void role.close();
    else this.#role = role;
  }

  // Without a pause the first time, because a redirect that arrives meanwhile starts another copy of the game.
  #reconnect(): void {
    const nowMs = steadyNow(this.#ports.clock);
    const isRepeated = nowMs - this.#disconnectedMs < pauseMs;
    this.#disconnectedMs = nowMs;
    this.#retry(isRepeated ? pauseMs : 0);
  }

  #retry(afterMs: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#ports.clock.schedule(afterMs, () => this.#enterAgain());
  }

  async #enterAgain(): Promise<void> {
    try {
      const rank = await this.#enter();
      this.#ports.logger.info({ rank }, 'redirects can be received again');
    } catch (error) {
      this.#ports.logger.warn({ error: reportError(error) }, 'redirects cannot be received at present; it is retried');
      this.#retry(pauseMs);
    }
  }

  // The window that joined may be the one that waits for the address this process was started with.
  async #offerStart(window: { offer(address: string): Promise<boolean> }): Promise<void> {
    const address = this.#startAddress;
    if (address !== undefined && (await window.offer(address))) this.#startAddress = undefined;
  }
}
