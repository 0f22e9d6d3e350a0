import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { runtimeLimits } from '../support/service-limits.ts';
import { Answer } from './answer.ts';

/** How many requests a connection has carried so far. */
const asked = Symbol('asked');
/** How many of them are not fully answered yet. */
const open = Symbol('open');
type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type CountedSocket = Socket & { [asked]?: number; [open]?: number };

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
  async run(server: Server, idleMs: number, endsMs: number): Promise<number> {
    const ended = new AbortController();
    const { signal } = ended;
    const closed = once(server, 'close').then(() => ended.abort());
    const pause = (ms: number) =>
      wait(Math.max(0, Math.min(ms, endsMs - performance.now())), undefined, { signal }).catch(() => {});
    this.#isDraining = true;
    // Not the close() of the HTTP server, which ends idle connections immediately, with requests that are on their way.
    NetServer.prototype.close.call(server);
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
    const spared = [...this.#sockets].filter(socket => ((socket as CountedSocket)[open] ?? 0) > 0);
    for (const socket of spared) socket.destroy = () => socket;
    closeIdle();
    // The prototype's own again.
    for (const socket of spared) Reflect.deleteProperty(socket, 'destroy');
  }
}
