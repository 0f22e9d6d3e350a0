import type { Socket } from 'node:net';
import { RedirectError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { type ForwarderAnswer, forwarderAgreement } from '../native/forwarder.ts';

/**
 * The protocol of the socket. A client (the forwarder, or a second copy of the game) sends an address, reads the answer and
 * disconnects. Another window of the game sends `join`; from then on the first instance sends it addresses and reads its
 * answers. Every message is a line of UTF-8. No address equals a message, because messages have no colon.
 */
export const joinMessage = 'join';

export function answerOf(isAccepted: boolean): ForwarderAnswer {
  return isAccepted ? 'accepted' : 'refused';
}

export function sendLine(socket: Socket, text: string): void {
  socket.write(`${text}\n`);
}

/**
 * Splits what a socket receives into lines.
 *
 * @param onLine receives undefined for a line that is not UTF-8
 * @param onExcess called when a line is longer than an address may be; nothing is read after it
 */
export function readLines(socket: Socket, onLine: (text: string | undefined) => void, onExcess: () => void): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const onData = (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      if (pendingBytes + end > lineBytesMax) return exceed();
      const line = Buffer.concat([...pending, rest.subarray(0, end)]);
      pending = [];
      pendingBytes = 0;
      rest = rest.subarray(end + 1);
      onLine(decode(decoder, line));
      if (socket.destroyed) return;
    }
    pending.push(rest);
    pendingBytes += rest.length;
    if (pendingBytes > lineBytesMax) exceed();
  };
  const exceed = () => {
    pending = [];
    socket.off('data', onData);
    onExcess();
  };
  socket.on('data', onData);
}

const lineFeed = 0x0a;
const lineBytesMax = forwarderAgreement.addressBytesMax;

function decode(decoder: TextDecoder, line: Buffer): string | undefined {
  try {
    return decoder.decode(line);
  } catch {
    return undefined;
  }
}

/** There is no socket, or no process listens on it any more. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);
const forbidden: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/**
 * Connects to the process that listens at the path.
 *
 * @returns `absent`: no process listens; `busy`: the process accepts no more connections at present
 * @throws RedirectError `listener_not_ours`: another user listens, or a copy of the game that runs elevated
 */
export async function connectSocket(path: string): Promise<Socket | 'absent' | 'busy'> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      // A later error also closes the connection, which is what callers watch.
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      if (absent.has(cause.code)) return resolve('absent');
      if (!forbidden.has(cause.code)) return resolve('busy');
      const message = `${path} belongs to another user, or to a copy of the game that runs elevated. Quit that copy.`;
      reject(new RedirectError('listener_not_ours', message, { cause }));
    });
  });
}

/** The answer to an address; `absent`: no process listens; `silent`: it did not answer in time. */
export type DeliveryResult = 'accepted' | 'refused' | 'absent' | 'silent';

/** Sends an address to the process that listens, as the forwarder does. @throws as {@link connectSocket} */
export async function deliver(path: string, address: string, clock: Clock, msMax: number): Promise<DeliveryResult> {
  const socket = await connectSocket(path);
  if (socket === 'absent') return 'absent';
  if (socket === 'busy') return 'silent';
  return new Promise(resolve => {
    const end = (result: DeliveryResult) => {
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
