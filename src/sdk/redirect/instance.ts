import type { Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import type { Cancel, Clock, Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import { forwarderAgreement } from '../native/forwarder.ts';
import { addressesIn, isAddressOf } from './address.ts';
import { answerOf, joinWord, readLines, sendLine } from './lines.ts';
import { Owner } from './owner.ts';
import { makePrivate, type Place } from './place.ts';
import { handOver, reach } from './reach.ts';

/** Runs work while no other process runs work under the same lock. */
export type Exclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** What an {@link Instance} stands on. */
export interface InstancePorts {
  readonly place: Place;
  readonly uid: number | undefined;
  readonly scheme: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hands an address to this instance's own client. */
  take(address: string): boolean;
  /** Told of an address that nobody took. */
  unclaimed(address: string): void;
  /** Guards the place while a socket is put there. */
  readonly exclusively: Exclusively;
}

export type Rank = 'first' | 'second';

// Our choice: whoever is turned away, or loses its place twice within this time, waits as long before it asks again.
const pauseMs = 1000;
// Our choice: programs that clean up after others may take the socket away; it is looked for this often.
const lookMs = 60_000;
// Only on Windows can somebody else be faster after all, and then hardly twice.
const attemptsMax = 5;

/**
 * One running copy of the game. The first one at the place owns its socket; the others join it and are offered what
 * arrives. When the first one goes, one of the others takes its place.
 */
export class Instance {
  readonly #ports: InstancePorts;
  #role: { close(): void } | undefined;
  #isClosed = false;
  #cancelTimer: Cancel = () => {};
  #lostMs = Number.NEGATIVE_INFINITY;
  #startAddress: string | undefined;

  constructor(ports: InstancePorts) {
    this.#ports = ports;
  }

  /** An address among the arguments of the start that nobody has waited for yet. */
  get startAddress(): string | undefined {
    return this.#startAddress;
  }

  /**
   * Takes its place, and hands on the address it was started with.
   *
   * @throws RedirectError
   */
  async start(argv: readonly string[]): Promise<Rank> {
    const rank = await this.#enter();
    for (const address of addressesIn(argv, this.#ports.scheme)) {
      if (await this.#handOn(address, rank)) this.#startAddress = undefined;
      else this.#startAddress ??= address;
    }
    return rank;
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#role?.close();
    this.#role = undefined;
  }

  async #handOn(address: string, rank: Rank): Promise<boolean> {
    const { place, clock, take } = this.#ports;
    if (rank === 'first') return take(address);
    // The first instance offers it to all windows, to this one too.
    return (await handOver(place.path, address, clock, forwarderAgreement.answerMsMax)) === 'accepted';
  }

  async #enter(): Promise<Rank> {
    const { place, uid, exclusively } = this.#ports;
    if (place.folder !== undefined) await makePrivate(place.folder, uid);
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      if (await this.#join()) return 'second';
      const rank = await exclusively(async () => ((await this.#join()) ? 'second' : this.#own()));
      if (rank) return rank;
    }
    throw new RedirectError('listener_not_ours', `${place.path} is in use by a process that does not answer.`);
  }

  async #own(): Promise<Rank | undefined> {
    const owner = await Owner.open({ ...this.#ports, onJoin: window => this.#offerStart(window) });
    if (!owner) return undefined;
    this.#assume(owner);
    this.#look(owner);
    return 'first';
  }

  #look(owner: Owner): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#ports.clock.schedule(lookMs, () => {
      if (owner.isInPlace) return this.#look(owner);
      owner.close();
      return this.#enterAgain();
    });
  }

  /** @returns false when there is nobody to join */
  async #join(): Promise<boolean> {
    const socket = await reach(this.#ports.place.path);
    if (socket === 'absent') return false;
    if (socket === 'busy') this.#retry(pauseMs);
    else this.#follow(socket);
    return true;
  }

  #follow(socket: Socket): void {
    const { scheme, take } = this.#ports;
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#replaceLost());
    readLines(
      socket,
      text => sendLine(socket, answerOf(isAddressOf(scheme, text) && take(text))),
      () => socket.destroy(),
    );
    sendLine(socket, joinWord);
    this.#assume({ close: () => void socket.destroy() });
  }

  #assume(role: { close(): void }): void {
    if (this.#isClosed) role.close();
    else this.#role = role;
  }

  // At once, for a redirect that comes meanwhile starts one more copy of the game.
  #replaceLost(): void {
    const nowMs = this.#ports.clock.now();
    const isRepeated = nowMs - this.#lostMs < pauseMs;
    this.#lostMs = nowMs;
    this.#retry(isRepeated ? pauseMs : 0);
  }

  #retry(afterMs: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#ports.clock.schedule(afterMs, () => this.#enterAgain());
  }

  async #enterAgain(): Promise<void> {
    try {
      const rank = await this.#enter();
      this.#ports.logger.info({ rank }, 'redirects are received again');
    } catch (error) {
      this.#ports.logger.warn({ error: reportError(error) }, 'redirects cannot be received at present');
      this.#retry(pauseMs);
    }
  }

  // Another window may be the one that waits for the address this one was started with.
  async #offerStart(window: { offer(address: string): Promise<boolean> }): Promise<void> {
    const address = this.#startAddress;
    if (address !== undefined && (await window.offer(address))) this.#startAddress = undefined;
  }
}
