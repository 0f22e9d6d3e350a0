import type { Socket, SocketEvents, SocketFactory } from '../../../src/wire/clock/ports.ts';

/** The network between one client and its gateway, over real sockets, which a test can disturb. */
export class Network {
  /** For a client's `socket` option. */
  readonly socket: SocketFactory = (url, events) => this.#open(url, events);
  /** The most sockets that were there at one time. */
  openMax = 0;
  #isDown = false;
  #isFrozen = false;
  readonly #openReal: SocketFactory;
  readonly #links = new Set<Link>();

  constructor(openReal: SocketFactory) {
    this.#openReal = openReal;
  }

  /** Breaks off what is open; the client sees it closed with this code. 1006: as when a cable is cut. */
  cut(code = 1006): void {
    for (const link of [...this.#links]) link.end(code);
  }

  /** While it is down, nothing opens and nothing passes. */
  setDown(isDown: boolean): void {
    this.#isDown = isDown;
    if (isDown) this.cut();
  }

  /** While it is frozen, what the gateway sends stays on its way. */
  setFrozen(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    if (!isFrozen) for (const link of [...this.#links]) link.flush();
  }

  #open(url: string, events: SocketEvents): Socket {
    const forget = () => this.#links.delete(link);
    const link = new Link(events, () => this.#isFrozen, forget);
    this.#links.add(link);
    this.openMax = Math.max(this.openMax, this.#links.size);
    if (this.#isDown) queueMicrotask(() => link.end(1006));
    else link.real = this.#openReal(url, link);
    return link;
  }
}

/** One socket: what its client is told, and whether it still is. */
class Link implements Socket, SocketEvents {
  real: Socket | undefined;
  readonly #events: SocketEvents;
  readonly #isFrozen: () => boolean;
  readonly #forget: () => void;
  #held: (() => void)[] = [];
  #isOver = false;

  constructor(events: SocketEvents, isFrozen: () => boolean, forget: () => void) {
    this.#events = events;
    this.#isFrozen = isFrozen;
    this.#forget = forget;
  }

  send(text: string): void {
    if (!this.#isOver) this.real?.send(text);
  }

  close(code?: number, reason?: string): void {
    this.real?.close(code, reason);
  }

  opened(): void {
    this.#pass(() => this.#events.opened());
  }

  received(text: string): void {
    this.#pass(() => this.#events.received(text));
  }

  closed(code: number, reason: string): void {
    this.flush();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#forget();
    this.#events.closed(code, reason);
  }

  end(code: number): void {
    this.#held = [];
    // A close that the gateway takes for a broken connection, not for the session's end.
    this.real?.close(4000, 'cut');
    this.closed(code, 'cut');
  }

  flush(): void {
    const held = this.#held;
    this.#held = [];
    for (const event of held) if (!this.#isOver) event();
  }

  #pass(event: () => void): void {
    if (this.#isOver) return;
    if (this.#isFrozen()) this.#held.push(event);
    else event();
  }
}
