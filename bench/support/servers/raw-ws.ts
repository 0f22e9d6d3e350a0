import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { serve, serverOptions } from '../child.ts';

/** The limit: a loop over `ws` sockets. Every request makes it send one and the same buffer to each of them. */
const { event, answer } = serverOptions<{ event: string; answer: string }>();
const buffer = Buffer.from(event);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    for (const socket of sockets.clients) socket.send(buffer, { binary: false });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', socket => socket.on('message', () => {}));

server.listen(0, '127.0.0.1', () => {
  const close = async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  };
  serve({ port: (server.address() as AddressInfo).port }, close);
});
