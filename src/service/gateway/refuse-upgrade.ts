import type { Duplex } from 'node:stream';

/** Ends an upgrade request that is refused, and its connection, whatever the peer does. */
export function refuseUpgrade(stream: Duplex, status: 404 | 503, reason: string): void {
  stream.on('error', () => {}); // the peer may be gone already
  stream.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => stream.destroy());
}
