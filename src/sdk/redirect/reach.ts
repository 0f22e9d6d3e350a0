import type { Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { answerOf, readLines, sendLine } from './lines.ts';

/** No socket is there, or nobody listens on it any more. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);
const forbidden: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/**
 * Connects to whoever listens.
 *
 * @returns `absent`: nobody does; `busy`: somebody does and takes no more at present
 * @throws RedirectError `listener_not_ours`: another user does, or a copy of the game that runs elevated
 */
export async function reach(path: string): Promise<Socket | 'absent' | 'busy'> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      // What goes wrong from here on shows as the end of the connection.
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      if (absent.has(cause.code)) return resolve('absent');
      if (!forbidden.has(cause.code)) return resolve('busy');
      const message = `${path} belongs to another user, or to a copy of the game that runs elevated.`;
      reject(new RedirectError('listener_not_ours', message, { cause }));
    });
  });
}

/** What became of an address. */
export type HandOver = 'accepted' | 'refused' | 'absent' | 'silent';

/** Hands an address to whoever listens, as the forwarder does. @throws as {@link reach} */
export async function handOver(path: string, address: string, clock: Clock, msMax: number): Promise<HandOver> {
  const socket = await reach(path);
  if (socket === 'absent') return 'absent';
  if (socket === 'busy') return 'silent';
  return new Promise(resolve => {
    const end = (result: HandOver) => {
      cancel();
      socket.destroy();
      resolve(result);
    };
    const cancel = clock.schedule(msMax, () => end('silent'), { keepAlive: true });
    socket.once('close', () => end('silent'));
    readLines(
      socket,
      text => end(text === answerOf(true) ? 'accepted' : 'refused'),
      () => end('refused'),
    );
    socket.once('end', () => end('silent'));
    sendLine(socket, address);
  });
}
