import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Core } from '../core.ts';
import { isPrivateAddress } from '../outbound/private-address.ts';
import { blockList, holds } from '../support/network-address.ts';
import { intakeLimits } from '../support/service-limits.ts';
import { countedAddress, peerAddress } from './client-address.ts';

/** What an operator says of them; the table's bounds otherwise. */
export interface ConnectionBounds {
  readonly connections?: number | undefined;
  readonly connectionsPerAddress?: number | undefined;
}

/**
 * Bounds the connections on which nobody has proved who they are: all together, and from one address. One more is closed at
 * once; one on which a credential or a session was accepted counts no longer.
 */
export class Connections {
  readonly #core: Pick<Core, 'clock' | 'log' | 'metrics'>;
  readonly #isProxy: (address: string) => boolean;
  readonly #bounds: ConnectionBounds;
  /** With the address each is counted for. */
  readonly #unproven = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, number>();
  #refused = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  /** @param proxies addresses and CIDR blocks that only the bound of all holds for */
  constructor(
    core: Pick<Core, 'clock' | 'log' | 'metrics'>,
    proxies: readonly string[],
    bounds: ConnectionBounds = {},
  ) {
    this.#bounds = bounds;
    this.#core = core;
    const trusted = blockList(proxies);
    this.#isProxy = address => holds(trusted, address);
  }

  /** Lets a new connection in, or closes it. */
  accept(socket: Socket): void {
    const peer = peerAddress(socket);
    const address = countedAddress(peer);
    const count = this.#byAddress.get(address) ?? 0;
    if (this.#unproven.size >= this.#max || count >= this.#maxOf(peer)) {
      // Reset rather than closed: the system keeps nothing of it, either.
      socket.resetAndDestroy();
      this.#tell(address);
      return;
    }
    this.#unproven.set(socket, address);
    this.#byAddress.set(address, count + 1);
    socket.once('close', () => this.prove(socket));
  }

  /** Somebody on this connection has proved who they are; or it has ended. */
  prove(socket: Duplex): void {
    const address = this.#unproven.get(socket);
    if (address === undefined) return;
    this.#unproven.delete(socket);
    const count = (this.#byAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#byAddress.set(address, count);
    else this.#byAddress.delete(address);
  }

  get #max(): number {
    return this.#bounds.connections ?? intakeLimits.unprovenConnectionsMax;
  }

  #maxOf(address: string): number {
    if (this.#isProxy(address)) return this.#max;
    const { unprovenConnectionsPerAddressMax, unprovenConnectionsPerPrivateAddressMax } = intakeLimits;
    if (this.#bounds.connectionsPerAddress !== undefined) return this.#bounds.connectionsPerAddress;
    return isPrivateAddress(address) ? unprovenConnectionsPerPrivateAddressMax : unprovenConnectionsPerAddressMax;
  }

  /** Once in a while: whoever opens thousands would fill the log, too. */
  #tell(address: string): void {
    this.#refused++;
    this.#core.metrics.limited('connections');
    const nowMs = this.#core.clock.now();
    if (Math.abs(nowMs - this.#toldAtMs) < tellEveryMs) return;
    this.#core.log.warn({ address, refused: this.#refused }, 'Connections were refused: too many have proved nothing.');
    this.#toldAtMs = nowMs;
    this.#refused = 0;
  }
}

const tellEveryMs = 60_000;
