import type { Duplex } from 'node:stream';
import { giveUp } from '../../http/hang-up.ts';

/** Ends an upgrade request that is refused, and its connection, whatever the peer does. */
export function refuseUpgrade(stream: Duplex, status: 404 | 503, reason: string): void {
  giveUp(stream, `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
