import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Core } from '../core.ts';
import { isPrivateAddress } from '../outbound/private-address.ts';
import { blockList, holds } from '../support/network-address.ts';
import { intakeLimits } from '../support/service-limits.ts';
import { countedAddress, peerAddress } from './client-address.ts';

/** Bounds that the operator sets; by default those of `intakeLimits`. */
export interface ConnectionBounds {
  readonly connections?: number | undefined;
  readonly connectionsPerAddress?: number | undefined;
}

/**
 * Bounds the connections without a valid credential, in all and from one address. Further ones are closed immediately. A connection
 * on which a credential or a session was accepted no longer counts.
 */
export class Connections {
  readonly #core: Pick<Core, 'clock' | 'log' | 'metrics'>;
  readonly #isProxy: (address: string) => boolean;
  readonly #bounds: ConnectionBounds;
  /** Connection → the address that it counts for. */
  readonly #unproven = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, number>();
  #rejected = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  /** @param proxies addresses and CIDR blocks that are exempt from the bound for one address */
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

  /** Counts a new connection, or closes it. */
  accept(socket: Socket): void {
    const peer = peerAddress(socket);
    const address = countedAddress(peer);
    const count = this.#byAddress.get(address) ?? 0;
    if (this.#unproven.size >= this.#max || count >= this.#maxOf(peer)) {
      // A reset leaves no state in the operating system.
      socket.resetAndDestroy();
      this.#logRejected(address);
      return;
    }
    this.#unproven.set(socket, address);
    this.#byAddress.set(address, count + 1);
    socket.once('close', () => this.prove(socket));
  }

  /** Stops counting a connection: a credential was accepted on it, or it has closed. */
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

  /** Logs at intervals, so that thousands of connections do not fill the log. */
  #logRejected(address: string): void {
    this.#rejected++;
    this.#core.metrics.limited('connections');
    const nowMs = this.#core.clock.now();
    if (Math.abs(nowMs - this.#loggedAtMs) < logEveryMs) return;
    this.#core.log.warn(
      { address, rejected: this.#rejected },
      'Connections were rejected: too many are open without a valid credential.',
    );
    this.#loggedAtMs = nowMs;
    this.#rejected = 0;
  }
}

const logEveryMs = 60_000;
