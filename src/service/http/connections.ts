import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { ConnectionOwner } from '../auth/principal.ts';
import type { Core } from '../core.ts';
import { isPrivateAddress } from '../outbound/private-address.ts';
import { blockList, holds } from '../support/network-address.ts';
import { intakeLimits, runtimeLimits } from '../support/service-limits.ts';
import { Answer } from './call.ts';
import { countedAddress, peerAddress } from './client-address.ts';
import { listenForParts } from './joined-request.ts';
import type { Listening } from './listening.ts';
import { TurnShare } from './turn-share.ts';

/** Bounds that the operator sets; by default those of `intakeLimits`. */
export interface ConnectionBounds {
  readonly connections?: number | undefined;
  readonly connectionsPerAddress?: number | undefined;
}

/**
 * Bounds the connections without a valid credential, in all and from one address, and how long they may occupy a turn of the event loop.
 * Further ones are closed immediately. A connection on which a credential was accepted counts for its owner instead, whose longest idle
 * one is closed when there are too many. One with a gateway session counts as a session, and one of a trusted proxy carries requests of
 * many owners and counts for none.
 */
export class Connections {
  readonly #core: Pick<Core, 'clock' | 'log' | 'metrics'>;
  readonly #isProxy: (address: string) => boolean;
  readonly #bounds: ConnectionBounds;
  /** Connection → the address that it counts for. */
  readonly #unproven = new Map<Duplex, string>();
  readonly #byAddress = new Map<string, number>();
  /** Connection → the owner whom it counts for. */
  readonly #owners = new Map<Duplex, string>();
  /** Owner → connections; the one that was used last is the last. */
  readonly #owned = new Map<string, Set<Duplex>>();
  readonly #share = new TurnShare(() => this.#unproven);
  readonly #spend = () => this.#share.spend();
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
    listenForParts(socket, this.#spend);
    socket.once('close', () => this.prove(socket));
  }

  /** Counts a connection for the owner of the credential that was accepted on it. Call it for every such request. */
  proveFor(socket: Socket, owner: ConnectionOwner): void {
    const peer = peerAddress(socket);
    const key = `${owner.kind}/${owner.id}`;
    if (this.#owners.get(socket) !== key) this.prove(socket);
    if (socket.destroyed || this.#isProxy(peer)) return;
    const connections = this.#owned.get(key) ?? new Set();
    connections.delete(socket);
    connections.add(socket);
    this.#owners.set(socket, key);
    this.#owned.set(key, connections);
    if (connections.size <= this.#ownedMax(owner, peer)) return;
    const [oldest] = connections;
    (firstIdle(connections) ?? oldest)?.destroy();
    this.#core.metrics.limited('connections');
  }

  /** Stops counting a connection: it has a gateway session, or has closed. */
  prove(socket: Duplex): void {
    const owner = this.#owners.get(socket);
    if (owner !== undefined) this.#release(socket, owner);
    const address = this.#unproven.get(socket);
    if (address === undefined) return;
    this.#unproven.delete(socket);
    listenForParts(socket, undefined);
    this.#share.release(socket, address);
    const count = (this.#byAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#byAddress.set(address, count);
    else this.#byAddress.delete(address);
  }

  #release(socket: Duplex, owner: string): void {
    this.#owners.delete(socket);
    const connections = this.#owned.get(owner);
    connections?.delete(socket);
    if (connections?.size === 0) this.#owned.delete(owner);
  }

  #ownedMax({ kind }: ConnectionOwner, peer: string): number {
    if (kind === 'address') return this.#maxOf(peer);
    return kind === 'user' ? intakeLimits.connectionsPerUserMax : intakeLimits.connectionsPerApplicationMax;
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

function firstIdle(connections: Iterable<Duplex>): Duplex | undefined {
  for (const connection of connections) if (!hasOpenRequests(connection)) return connection;
  return undefined;
}

/** How many requests a connection has carried so far. */
const asked = Symbol('asked');
/** How many of them are not fully answered yet. */
const open = Symbol('open');
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type CountedSocket = Socket & { [asked]?: number; [open]?: number };

/** Whether a connection has requests that are not fully answered yet. */
export function hasOpenRequests(socket: Duplex): boolean {
  return ((socket as CountedSocket)[open] ?? 0) > 0;
}

/**
 * Stops a server without cutting off requests under way. From {@link Drain.begin} on it accepts no connections, and every answer
 * carries `connection: close`. Connections that are still open at the deadline are destroyed.
 *
 * Times are the machine's own, because a virtual clock may stand still.
 */
export class Drain {
  /** For the server's options: adds `connection: close` to the last answer of each connection. */
  readonly responseClass: typeof Answer;
  readonly #sockets = new Set<Socket>();
  #isDraining = false;

  constructor() {
    const isDraining = () => this.#isDraining;
    this.responseClass = class extends Answer {
      readonly #number: number;

      constructor(request: IncomingMessage) {
        super(request);
        const socket: CountedSocket = request.socket;
        this.#number = (socket[asked] ?? 0) + 1;
        socket[asked] = this.#number;
        socket[open] = (socket[open] ?? 0) + 1;
        this.once('close', () => {
          socket[open] = (socket[open] ?? 1) - 1;
        });
      }

      // Every answer passes here, even one that never calls writeHead itself. Pipelined requests behind this one are answered, too;
      // the last of them closes the connection.
      override writeHead(status: number, second?: string | Headers, third?: Headers): this {
        const isLast = isDraining() && (this.req.socket as CountedSocket)[asked] === this.#number;
        if (isLast) this.shouldKeepAlive = false;
        return super.writeHead(status, second as string, third);
      }
    } as typeof Answer;
  }

  /** Keeps track of the server's connections. */
  watch(server: Server): void {
    const sockets = this.#sockets;
    function forget(this: Socket): void {
      sockets.delete(this);
    }
    server.on('connection', socket => {
      sockets.add(socket);
      socket.once('close', forget);
    });
  }

  /**
   * Resolves when every connection is closed, with the number of those that had to be destroyed.
   *
   * @param idleMs how long an idle connection stays open for requests that its peer sent before it could know
   * @param endsMs deadline, by `performance.now()`
   */
  async run({ server, others }: Listening, idleMs: number, endsMs: number): Promise<number> {
    const ended = new AbortController();
    const { signal } = ended;
    const closed = Promise.all([server, ...others].map(each => once(each, 'close'))).then(() => ended.abort());
    const pause = (ms: number) =>
      wait(Math.max(0, Math.min(ms, endsMs - performance.now())), undefined, { signal }).catch(() => {});
    this.#isDraining = true;
    // Not the close() of the HTTP server, which ends idle connections immediately, with requests that are on their way.
    NetServer.prototype.close.call(server);
    for (const other of others) other.close();
    const closeIdle = server.closeIdleConnections.bind(server);
    // Node considers a connection idle as soon as its answer is written, even if the peer has not read it yet.
    server.closeIdleConnections = () => this.#sparing(closeIdle);
    if (idleMs > 0) await pause(idleMs);
    server.close();
    while (!signal.aborted && performance.now() < endsMs) {
      server.closeIdleConnections();
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
      await pause(runtimeLimits.drainLookMs);
    }
    const left = signal.aborted ? 0 : this.#sockets.size;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    return left;
  }

  /** Calls Node's function that destroys connections, and spares those whose answers are not fully sent. */
  #sparing(closeIdle: () => void): void {
    const spared = [...this.#sockets].filter(hasOpenRequests);
    for (const socket of spared) socket.destroy = () => socket;
    closeIdle();
    // The prototype's own again.
    for (const socket of spared) Reflect.deleteProperty(socket, 'destroy');
  }
}
