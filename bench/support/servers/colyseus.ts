import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { matchMaker, Room, Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { serve, serverOptions } from '../child.ts';

/** Colyseus with one room of many: every request makes the room broadcast an event to all in it. */
const { players, type, event, answer } = serverOptions<{
  players: number;
  type: string;
  event: object;
  answer: string;
}>();

class BenchRoom extends Room {
  override maxClients = Number.POSITIVE_INFINITY;
  override seatReservationTimeout = 600;
}

const sockets = createServer();
const game = new Server({
  // The clients of the bench count frames and answer none, pings included.
  transport: new WebSocketTransport({ server: sockets, pingInterval: 0 }),
  greet: false,
  gracefullyShutdown: false,
});
game.define('bench', BenchRoom);
await game.listen(0, '127.0.0.1');

const seats: matchMaker.ISeatReservation[] = [];
for (let n = 0; n < players; n++) seats.push(await matchMaker.joinOrCreate('bench', {}));
const [first] = seats;
const room = first && matchMaker.getLocalRoomById(first.roomId);

const requests = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    room?.broadcast(type, event);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});

requests.listen(0, '127.0.0.1', () => {
  const close = async () => {
    requests.close();
    sockets.closeAllConnections();
    sockets.close();
  };
  const port = (requests.address() as AddressInfo).port;
  const paths = seats.map(({ processId, roomId, sessionId }) => `/${processId}/${roomId}?sessionId=${sessionId}`);
  serve({ port, socketsPort: (sockets.address() as AddressInfo).port, paths }, close);
});
