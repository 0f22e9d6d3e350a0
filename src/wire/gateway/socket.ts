import type { ClientRequest } from 'node:http';
import { type Clock, type Socket, type SocketEvents, type SocketFactory, systemClock } from '../clock/ports.ts';

// A lobby of 1,000 members with full metadata has 1.2 MiB in a READY, and 13 MiB if all of the metadata is written as escapes. Besides,
// a message with more than `frameValuesMax` values is not parsed.
const messageBytesMax = 32 * 1024 * 1024;
// A peer that exceeds either is treated as gone.
const openingMsMax = 15_000;
const closingMsMax = 1_000;

const options = {
  perMessageDeflate: false,
  maxPayload: messageBytesMax,
  handshakeTimeout: openingMsMax,
  closeTimeout: closingMsMax,
};

// A client sends a few frames a minute. So many unsent bytes are answers to a peer that asks and does not read.
const unsentBytesMax = 1024 * 1024;

const unsupportedData = 1003;

/**
 * The system's WebSockets: those of `ws`, which is loaded at the first call.
 *
 * A peer that accepts no connection, does not open, or does not answer a close, is cut off after some seconds. A binary
 * frame ends the connection, because the interface has none. Compression is off: frames here are small, and a deflate
 * context would cost each socket more memory than it saves.
 */
export async function loadSystemSocket(clock: Clock = systemClock): Promise<SocketFactory> {
  const [{ WebSocket }, { limitReaching }] = await Promise.all([import('ws'), import('../http/reaching.ts')]);
  const finishRequest = (request: ClientRequest) => {
    request.once('socket', socket => limitReaching(request, socket, clock));
    request.end();
  };
  return (url, events) => follow(new WebSocket(url, { ...options, finishRequest }), events);
}

/** Whether a socket did not open because something answered the request with another status, for this reason of its close. */
export function isRefusal(reason: string): boolean {
  return reason.startsWith('Unexpected server response');
}

type SystemSocket = import('ws').WebSocket;

function follow(socket: SystemSocket, events: SocketEvents): Socket {
  let failure = '';
  socket.on('open', () => events.opened());
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(unsupportedData);
    else events.received(data.toString()); // String() takes twice as long
  });
  // A close follows every error; the message names addresses and system codes only.
  socket.on('error', error => {
    failure = error.message;
  });
  socket.on('close', (code, reason) => events.closed(code, failure || String(reason)));
  return {
    // A failed send shows as a close.
    send: text => (socket.bufferedAmount > unsentBytesMax ? socket.terminate() : socket.send(text, () => {})),
    close: (code, reason) => socket.close(code, reason),
  };
}
