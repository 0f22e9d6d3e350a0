import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { closeCodes } from '../../../model/gateway.ts';
import { intakeLimits, serviceLimits } from '../../support/service-limits.ts';
import { closeReasons } from './close-reasons.ts';

// RFC 6455's "message too big", and "policy violation" for one in too many pieces, which `ws` sends by itself.
const tooBig: ReadonlySet<number | undefined> = new Set([1009, 1008]);

// A peer that does not answer a close frame is disconnected after this long.
const closeTimeoutMs = 1_000;

/** Receives the events of a socket. */
export interface SocketListener {
  onMessage(data: RawData, isBinary: boolean): void;
  /** A ping, which was answered, or a pong. */
  onControlFrame(): void;
  /** Nothing more arrives; the code is the peer's, or 1006. */
  onClose(code: number): void;
}

/** A socket that closes oversized messages with the gateway's own code, and has one listener object instead of many. */
export class GatewaySocket extends WebSocket {
  listener: SocketListener | undefined;

  override close(code?: number, reason?: string | Buffer): void {
    if (!tooBig.has(code)) super.close(code, reason);
    else super.close(closeCodes.DECODE_ERROR.code, closeReasons.DECODE_ERROR);
  }
}

// One function for all sockets: a closure for each would be half of what a connection costs.
function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as GatewaySocket).listener?.onMessage(data, isBinary);
}

function onControlFrame(this: WebSocket): void {
  (this as GatewaySocket).listener?.onControlFrame();
}

function onClose(this: WebSocket, code: number): void {
  (this as GatewaySocket).listener?.onClose(code);
}

function onError(): void {
  // The close event that follows says all that is needed.
}

/** Turns upgrade requests into sockets: messages up to `serviceLimits.gatewayPayloadBytesMax`, in at most `intakeLimits.messagePiecesMax` pieces, no compression. */
export interface SocketServer {
  open(request: IncomingMessage, stream: Duplex, head: Buffer, opened: (socket: GatewaySocket) => void): void;
  /** Resolves once every socket is gone; each must have been closed before. */
  drained(): Promise<void>;
}

export function createSocketServer(): SocketServer {
  const options = {
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: serviceLimits.gatewayPayloadBytesMax,
    maxFragments: intakeLimits.messagePiecesMax,
    maxBufferedChunks: intakeLimits.messagePiecesMax,
    closeTimeout: closeTimeoutMs,
    WebSocket: GatewaySocket,
  };
  const server = new WebSocketServer(options);
  return {
    open: (request, stream, head, opened) =>
      server.handleUpgrade(request, stream, head, socket => {
        socket.on('message', onMessage).on('close', onClose).on('error', onError);
        socket.on('ping', onControlFrame).on('pong', onControlFrame);
        opened(socket as GatewaySocket);
      }),
    async drained() {
      const open = [...server.clients].filter(socket => socket.readyState !== WebSocket.CLOSED);
      await Promise.all(open.map(socket => new Promise(resolve => socket.once('close', resolve))));
    },
  };
}
