import { connect, type Socket } from 'node:net';
import { frameEnd, maskedFrame } from './frames.ts';

const quietMs = 300;

/** WebSockets as bytes, so that a thousand of them cost the other core little: frames are counted, not read. */
export class Sockets {
  readonly #sockets: Socket[] = [];
  #frames = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => {};

  /**
   * @param path below the host, with query; of each socket, or of all
   * @param first what each socket sends when it is open; undefined: nothing
   */
  static async open(
    port: number,
    path: string | ((n: number) => string),
    count: number,
    first: (n: number) => string | undefined,
  ): Promise<Sockets> {
    const sockets = new Sockets();
    const atOnce = 100;
    for (let at = 0; at < count; at += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, count - at) }, (_, n) => at + n);
      await Promise.all(some.map(n => sockets.#open(port, typeof path === 'string' ? path : path(n), first(n))));
    }
    return sockets;
  }

  /** Resolves when so many frames have come, all sockets together, since the last time. */
  async frames(count: number): Promise<void> {
    if (this.#frames < count) {
      this.#wanted = count;
      await new Promise<void>(resolve => {
        this.#reached = resolve;
      });
    }
    this.#frames -= count;
    this.#wanted = Number.POSITIVE_INFINITY;
  }

  /** Resolves when nothing has come for a while; what has come until then is not counted. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.#frames; ) {
      before = this.#frames;
      await new Promise(resolve => setTimeout(resolve, quietMs));
    }
    this.#frames = 0;
  }

  /** Sends a text on every socket. */
  send(text: string): void {
    for (const socket of this.#sockets) socket.write(maskedFrame(text));
  }

  /**
   * Sends a heartbeat of the gateway on every socket; the answers are not counted. The service closes sockets that send none for a minute,
   * and on a busy machine the rounds of one row take longer.
   */
  async heartbeat(): Promise<void> {
    this.send('{"op":1,"d":null}');
    await this.quiet();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(port: number, path: string, first: string | undefined): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    this.#sockets.push(socket);
    socket.setNoDelay(true);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    return new Promise((resolve, reject) => {
      let held: Buffer = Buffer.alloc(0);
      let isOpen = false;
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
        if (!isOpen) {
          const end = held.indexOf('\r\n\r\n');
          if (end < 0) return;
          if (!held.toString('latin1').startsWith('HTTP/1.1 101 ')) return reject(new Error(String(held)));
          isOpen = true;
          held = held.subarray(end + 4);
          if (first !== undefined) socket.write(maskedFrame(first));
          resolve();
        }
        held = this.#count(held);
      });
    });
  }

  /** Counts the whole frames; gives what is left. */
  #count(bytes: Buffer): Buffer {
    let at = 0;
    for (let end = frameEnd(bytes, at); end > 0 && end <= bytes.length; end = frameEnd(bytes, at)) {
      at = end;
      if (++this.#frames >= this.#wanted) this.#reached();
    }
    return bytes.subarray(at);
  }
}
