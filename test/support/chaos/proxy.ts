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
  readonly #ends: readonly [Socket, Socket];
  #isFrozen = false;
  /** What arrived, or was due, while the link was frozen. */
  #held: (() => void)[] = [];

  constructor(client: Socket, server: Socket, proxy: ChaosProxy) {
    this.#ends = [client, server];
    this.#forward(client, server, proxy);
    this.#forward(server, client, proxy);
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#ends) socket.pause();
  }

  proceed(): void {
    this.#isFrozen = false;
    for (const send of this.#held.splice(0)) send();
    for (const socket of this.#ends) socket.resume();
  }

  end(): void {
    for (const socket of this.#ends) socket.destroy();
    this.onEnd();
  }

  #forward(from: Socket, to: Socket, proxy: ChaosProxy): void {
    let dueMs = 0;
    const later = (send: () => void) => {
      dueMs = Math.max(dueMs, performance.now() + proxy.delayMs);
      const deliver = () => (this.#isFrozen ? this.#held.push(send) : send());
      const waitMs = dueMs - performance.now();
      if (waitMs <= 0 && this.#held.length === 0) deliver();
      else setTimeout(deliver, waitMs);
    };
    from.setNoDelay();
    from.on('data', chunk =>
      later(() => {
        if (to.writable && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => {
            if (!this.#isFrozen) from.resume();
          });
        }
      }),
    );
    from.on('end', () => later(() => to.end()));
    from.on('error', () => this.end());
    from.on('close', () => {
      if (from.destroyed && to.destroyed) this.onEnd();
      else later(() => to.destroy());
    });
  }
}
