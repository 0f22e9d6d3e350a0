import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** How often it asks the nodes whether they are ready, and how long it waits for the answer. */
const checkMs = 250;
const answerMsMax = 1500;

interface Backend {
  readonly port: number;
  /** Whether it gets new connections. */
  isReady: boolean;
  readonly sockets: Set<Socket>;
}

/**
 * Gives each connection to the next node that is ready, or to any while none is. It closes the connections of a node that does not
 * answer any more, as balancers do that are told to (HAProxy: `on-marked-down shutdown-sessions`).
 */
export class Balancer {
  readonly #server: Server;
  readonly #backends = new Map<number, Backend>();
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true });
    const balancer = new Balancer(server);
    server.on('connection', client => balancer.#accept(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    balancer.#timer = setInterval(() => {
      for (const backend of balancer.#backends.values()) void balancer.#check(backend);
    }, checkMs);
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  add(port: number): void {
    this.#backends.set(port, { port, isReady: true, sockets: new Set() });
  }

  remove(port: number): void {
    this.#backends.delete(port);
  }

  /** Destroys all connections of clients. */
  cut(): void {
    for (const { sockets } of this.#backends.values()) for (const socket of sockets) socket.destroy();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.close();
    this.cut();
  }

  #accept(client: Socket): void {
    const all = [...this.#backends.values()];
    const ready = all.filter(({ isReady }) => isReady);
    const usable = ready.length > 0 ? ready : all;
    const backend = usable[this.#turn++ % usable.length];
    client.on('error', () => {});
    if (!backend) {
      client.destroy();
      return;
    }
    const node = connect({ port: backend.port, host: '127.0.0.1', allowHalfOpen: true });
    node.on('error', () => {});
    backend.sockets.add(client);
    client.setNoDelay();
    node.setNoDelay();
    client.pipe(node);
    node.pipe(client);
    const end = () => {
      backend.sockets.delete(client);
      client.destroy();
      node.destroy();
    };
    client.on('close', end);
    node.on('close', end);
  }

  async #check(backend: Backend): Promise<void> {
    const signal = AbortSignal.timeout(answerMsMax);
    try {
      const { status } = await fetch(`http://127.0.0.1:${backend.port}/readyz`, { signal });
      backend.isReady = status === 200;
    } catch {
      backend.isReady = false;
      for (const socket of backend.sockets) socket.destroy();
    }
  }
}
