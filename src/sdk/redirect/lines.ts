import type { Socket } from 'node:net';
import { type ForwarderAnswer, forwarderAgreement } from '../native/forwarder.ts';

/**
 * The words of the socket. A visitor (the forwarder, or another copy of the game) sends an address and reads an answer;
 * then the connection ends. A window sends `join`; from then on the first instance sends addresses and reads answers.
 * Each is a line of UTF-8 that ends in a line feed. No address is a word, for those have no colon.
 */
export const joinWord = 'join';

export function answerOf(isAccepted: boolean): ForwarderAnswer {
  return isAccepted ? 'accepted' : 'refused';
}

export function sendLine(socket: Socket, text: string): void {
  socket.write(`${text}\n`);
}

/**
 * Cuts what arrives into lines.
 *
 * @param onLine undefined for a line that is not UTF-8
 * @param onExcess a line got longer than an address may be; nothing is read after it
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
