import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A link to a server, on a port of its own, that a test can delay, freeze and cut. */
export class ChaosProxy {
  /** How long every packet is on its way, in each direction. */
  delayMs = 0;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #isFrozen = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param path the server's unix socket */
  static async to(path: string): Promise<ChaosProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new ChaosProxy(server);
    server.on('connection', client => {
      const link = new Link(client, connect({ path, allowHalfOpen: true }), proxy);
      proxy.#links.add(link);
      link.onEnd = () => proxy.#links.delete(link);
      if (proxy.#isFrozen) link.freeze();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Destroys all connections; new ones are accepted. */
  cut(): void {
    for (const link of [...this.#links]) link.end();
  }

  /** Forwards nothing until {@link proceed}; connections stay, and new ones are accepted. */
  freeze(): void {
    this.#isFrozen = true;
    for (const link of this.#links) link.freeze();
  }

  proceed(): void {
    this.#isFrozen = false;
    for (const link of this.#links) link.proceed();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

class Link {
  onEnd: () => void = () => {};
  readonly #ends: readonly [Direction, Direction];

  constructor(client: Socket, server: Socket, proxy: ChaosProxy) {
    this.#ends = [new Direction(client, server, proxy), new Direction(server, client, proxy)];
    for (const socket of [client, server]) {
      socket.on('error', () => this.end());
      socket.on('close', () => {
        if (client.destroyed && server.destroyed) this.onEnd();
      });
    }
  }

  freeze(): void {
    for (const direction of this.#ends) direction.freeze();
  }

  proceed(): void {
    for (const direction of this.#ends) direction.proceed();
  }

  end(): void {
    for (const { from } of this.#ends) from.destroy();
    this.onEnd();
  }
}

/** What one side sends to the other, in its order. */
class Direction {
  readonly from: Socket;
  readonly #to: Socket;
  readonly #waiting: { readonly dueMs: number; readonly send: () => void }[] = [];
  #isFrozen = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, proxy: ChaosProxy) {
    this.from = from;
    this.#to = to;
    const later = (send: () => void) => {
      this.#waiting.push({ dueMs: performance.now() + proxy.delayMs, send });
      this.#pump();
    };
    from.setNoDelay();
    from.on('data', (chunk: Buffer) => later(() => this.#write(chunk)));
    from.on('end', () => later(() => to.end()));
    from.on('close', () => later(() => to.destroy()));
  }

  freeze(): void {
    this.#isFrozen = true;
    this.from.pause();
  }

  proceed(): void {
    this.#isFrozen = false;
    this.from.resume();
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    for (let next = this.#waiting[0]; next && !this.#isFrozen; next = this.#waiting[0]) {
      const waitMs = next.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#pump(), waitMs);
        return;
      }
      this.#waiting.shift();
      next.send();
    }
  }

  #write(chunk: Buffer): void {
    if (!this.#to.writable || this.#to.write(chunk)) return;
    this.from.pause();
    this.#to.once('drain', () => {
      if (!this.#isFrozen) this.from.resume();
    });
  }
}
