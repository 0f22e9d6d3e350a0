import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { serve, serverOptions } from '../child.ts';

/**
 * A gateway that costs nothing: it says hello, answers the first frame with READY, and then writes events that were
 * encoded beforehand, as fast as they are taken.
 */
interface Script {
  readonly hello: string;
  readonly ready: string;
  readonly events: readonly string[];
}

const { hello, ready, events } = serverOptions<Script>();
const frames = Buffer.concat(events.map(frameOf));

const server = createServer((_, response) => {
  const { port } = server.address() as AddressInfo;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ url: `ws://127.0.0.1:${port}` }));
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket, { socket: raw }) => {
  socket.send(hello);
  socket.once('message', () => {
    socket.send(ready);
    (raw as Socket).write(frames);
  });
});

/** An unmasked text frame. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length < 126) return Buffer.concat([Buffer.from([0x81, body.length]), body]);
  return Buffer.concat([Buffer.from([0x81, 126, body.length >> 8, body.length & 255]), body]);
}

server.listen(0, '127.0.0.1', () => {
  const close = async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  };
  serve({ port: (server.address() as AddressInfo).port }, close);
});
