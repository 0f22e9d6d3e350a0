import { once } from 'node:events';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JoinedRequest } from '../../../src/service/http/joined-request.ts';
import { createHttpListener } from '../../../src/service/http/listener.ts';

let server: Server;
const requests: IncomingMessage[] = [];
beforeAll(async () => {
  server = createHttpListener(ServerResponse, request => requests.push(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** A request with a chunked body, when its head has arrived. */
async function send(...chunks: readonly Buffer[]): Promise<{ request: IncomingMessage; socket: Socket }> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const received = once(server, 'request');
  const head = Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  socket.write(Buffer.concat([head, ...chunks.map(chunk)]));
  await received;
  return { request: requests.pop() as IncomingMessage, socket };
}

const end = Buffer.alloc(0);

it('a body in 10,000 chunks of one byte is kept in few pieces while nobody reads it', async () => {
  const { request, socket } = await send(...Array<Buffer>(10_000).fill(Buffer.from('a')), end);
  await expect.poll(() => request.complete).toBe(true);
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  expect(pieces.length).toBeLessThan(100);
  expect(Buffer.concat(pieces).toString()).toBe('a'.repeat(10_000));
  socket.destroy();
});

it('a body that is read while it arrives is complete, whatever its chunks are', async () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 10_000 })), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(sizes, async sizes => {
      const chunks = sizes.map((size, number) => Buffer.alloc(size, number + 1));
      const { request, socket } = await send(...chunks);
      const read = request.toArray();
      socket.write(chunk(end));
      expect(Buffer.concat(await read)).toEqual(Buffer.concat(chunks));
      socket.destroy();
    }),
    { numRuns: 30 },
  );
});

it('a body is passed on as it arrives, and nothing of it is in the stream', async () => {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const pieces: string[] = [];
  let isPassedOn: boolean | undefined;
  server.once('request', (request: JoinedRequest) => {
    isPassedOn = request.passOn(piece => pieces.push(String(piece)));
  });
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc');
  await expect.poll(() => pieces).toEqual(['abc']);
  expect(isPassedOn).toBe(true);
  socket.write('def');
  await expect.poll(() => pieces).toEqual(['abc', 'def']);
  expect(await requests.pop()?.toArray()).toEqual([]);
  socket.destroy();
});

it('a body of which a part is in the stream is not passed on, nor one that the client has not begun to send', async () => {
  const { request, socket } = await send(Buffer.from('abc'));
  await expect.poll(() => request.readableLength).toBe(3);
  expect((request as JoinedRequest).passOn(() => {})).toBe(false);
  socket.write(chunk(end));
  expect(Buffer.concat(await request.toArray()).toString()).toBe('abc');
  socket.destroy();

  const { port } = server.address() as AddressInfo;
  const waiting = connect(port, '127.0.0.1').on('error', () => {});
  waiting.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n');
  await expect.poll(() => requests.length).toBe(1);
  const asked = requests.pop() as JoinedRequest;
  expect(asked.passOn(() => {})).toBe(false);
  waiting.destroy();
});

it('no more is received while nobody reads', async () => {
  const { request, socket } = await send(Buffer.from('a'));
  const piece = chunk(Buffer.alloc(50, 'b'));
  const pieces = Buffer.concat(Array<Buffer>(1000).fill(piece));
  const begun = socket.bytesWritten;
  for (let size = 0; size < 64 * 1024 * 1024; size += pieces.length) socket.write(pieces);
  await expect.poll(() => request.readableLength >= request.readableHighWaterMark).toBe(true);
  for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(request.readableLength).toBeLessThan(1024 * 1024);
  // It goes on when somebody reads.
  socket.write(chunk(end));
  let length = 0;
  for await (const { length: more } of request) length += more;
  expect(length).toBe(1 + ((socket.bytesWritten - begun - chunk(end).length) / piece.length) * 50);
  socket.destroy();
});
