import type { ClientRequest } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { type Cancel, type Clock, systemClock } from '../clock/ports.ts';

/**
 * How long a host may take to accept a TCP connection. A network that drops packets gives no error, and the system repeats its
 * first packet after 1 s, 3 s and 7 s: a new attempt reaches a network that is back sooner.
 */
export const reachingMsMax = 3_200;

/**
 * Fails a request whose host accepts no connection. The time to look up its name does not count, because the system repeats
 * that by itself.
 *
 * @param socket that of the request's `socket` event
 */
export function limitReaching(request: ClientRequest, socket: Socket, clock: Clock = systemClock): void {
  let cancel: Cancel = () => {};
  const begin = () => {
    cancel = clock.schedule(reachingMsMax, () => {
      request.destroy(Object.assign(new Error(`no connection within ${reachingMsMax} ms`), { code: 'ETIMEDOUT' }));
    });
  };
  if (isIP(request.host.replace(/^\[|\]$/g, ''))) begin();
  else socket.once('lookup', begin);
  socket.once('connect', () => cancel());
  request.once('close', () => cancel());
}
