import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { serve, serverOptions } from '../child.ts';

/** socket.io with one room of many: every request makes it emit an event to all in it. */
const { type, event, answer } = serverOptions<{ type: string; event: object; answer: string }>();

const sockets = createServer();
// The clients of the bench count frames and answer none, pings included.
const io = new Server(sockets, { transports: ['websocket'], pingInterval: 600_000, pingTimeout: 600_000 });
io.on('connection', socket => void socket.join('bench'));
sockets.listen(0, '127.0.0.1');

const requests = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    io.to('bench').emit(type, event);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});

requests.listen(0, '127.0.0.1', () => {
  const close = async () => {
    requests.close();
    await io.close();
  };
  const port = (requests.address() as AddressInfo).port;
  serve({ port, socketsPort: (sockets.address() as AddressInfo).port }, close);
});
