import type { AddressInfo, Socket as NodeSocket } from 'node:net';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Socket } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { loadSystemSocket } from '../../../src/wire/gateway/socket.ts';
import { reachingMsMax } from '../../../src/wire/http/reaching.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that hands its end of each connection to `onPeer`. */
async function serve(onPeer: (peer: WebSocket) => void = () => {}): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', onPeer);
  closing.push(() => {
    for (const peer of server.clients) peer.terminate();
    server.close();
  });
  await new Promise(resolve => server.once('listening', resolve));
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Opens a socket; everything that happens to it is written down until it is closed. */
async function follow(
  url: string,
  onOpen: (socket: Socket) => void = () => {},
  onReceived: (socket: Socket) => void = () => {},
): Promise<unknown[]> {
  const open = await loadSystemSocket();
  const events: unknown[] = [];
  return new Promise(resolve => {
    const socket: Socket = open(url, {
      opened: () => {
        events.push('opened');
        onOpen(socket);
      },
      received: text => {
        events.push(text);
        onReceived(socket);
      },
      closed: (code, reason) => {
        events.push({ code, reason });
        resolve(events);
      },
    });
  });
}

/** The port of a server whose process never accepts, with a full backlog: the system drops what asks for a connection. */
async function fullServer(): Promise<number> {
  const worker = new Worker(
    `const { createServer } = require('node:net');
     const { parentPort } = require('node:worker_threads');
     const server = createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true },
  );
  closing.push(() => void worker.terminate());
  const port = await new Promise<number>(resolve => worker.once('message', resolve));
  for (let i = 0; i < 8; i++) {
    const filler = connect(port, '127.0.0.1').on('error', () => {});
    closing.push(() => filler.destroy());
  }
  return port;
}

describe('the system socket', () => {
  it('sends and receives text, and says how it was closed', async () => {
    const url = await serve(peer => {
      peer.on('message', data => {
        peer.send(`${data}, too`);
        peer.close(4004, 'Authentication failed.');
      });
    });
    expect(await follow(url, socket => socket.send('hello'))).toEqual([
      'opened',
      'hello, too',
      { code: 4004, reason: 'Authentication failed.' },
    ]);
  });

  it('cuts off a peer that asks for answers and does not read them', async () => {
    const url = await serve(peer => {
      const tcp = (peer as unknown as { _socket: NodeSocket })._socket;
      tcp.pause();
      const flood = () => {
        for (let i = 0; i < 1_000 && peer.readyState === peer.OPEN; i++) {
          peer.send('?');
        }
        if (peer.readyState === peer.OPEN) setImmediate(flood);
      };
      flood();
    });
    const events = await follow(url, undefined, socket => socket.send('x'.repeat(100)));
    expect(events.at(-1)).toEqual({ code: 1006, reason: '' });
  });

  it('closes with the given code, however often it is called', async () => {
    const closed = Promise.withResolvers<number>();
    const url = await serve(peer => peer.on('close', closed.resolve));
    const events = await follow(url, socket => {
      socket.close(4000, 'done');
      socket.close(1000);
      socket.send('too late');
    });
    expect(await closed.promise).toBe(4000);
    expect(events).toEqual(['opened', { code: 4000, reason: 'done' }]);
  });

  it('says 1006 and why when no server listens', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise(resolve => server.close(resolve));
    expect(await follow(`ws://127.0.0.1:${port}`)).toEqual([
      { code: 1006, reason: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('says 1006 when the peer vanishes', async () => {
    const url = await serve(peer => peer.terminate());
    expect(await follow(url)).toEqual(['opened', { code: 1006, reason: '' }]);
  });

  it('ends a connection that sends a binary frame', async () => {
    const closed = Promise.withResolvers<number>();
    const url = await serve(peer => {
      peer.on('close', closed.resolve);
      peer.send(new Uint8Array([1, 2, 3]));
    });
    expect(await follow(url)).toEqual(['opened', { code: 1003, reason: '' }]);
    expect(await closed.promise).toBe(1003);
  });

  it('can be closed before it is open', async () => {
    const open = await loadSystemSocket();
    const url = await serve();
    const code = await new Promise(resolve => {
      const never = () => expect.unreachable();
      open(url, { opened: never, received: never, closed: resolve }).close(1000);
    });
    expect(code).toBe(1006);
  });

  it('cuts off a peer that does not answer its close', async () => {
    const url = await serve(peer => peer.pause());
    const events = await follow(url, socket => socket.close(1000));
    expect(events).toEqual(['opened', { code: 1006, reason: '' }]);
  });

  // Other systems answer a full backlog with a reset, or accept more.
  it.skipIf(process.platform !== 'linux')(
    'gives up a host that accepts no connection, and not before its time',
    async () => {
      const port = await fullServer();
      const clock = new VirtualClock(0);
      const open = await loadSystemSocket(clock);
      const never = () => expect.unreachable();
      const closed = Promise.withResolvers<unknown>();
      let isClosed = false;
      open(`ws://127.0.0.1:${port}`, {
        opened: never,
        received: never,
        closed: (code, reason) => {
          isClosed = true;
          closed.resolve({ code, reason });
        },
      });
      await clock.advance(reachingMsMax - 1);
      expect(isClosed).toBe(false);
      await clock.advance(1);
      expect(await closed.promise).toEqual({ code: 1006, reason: `no connection within ${reachingMsMax} ms` });
    },
  );

  it.each(['127.0.0.1', 'localhost'])(
    'does not limit what follows the connection to %s by the time to reach it',
    async host => {
      const accepted = Promise.withResolvers<NodeSocket>();
      const server = createServer(accepted.resolve);
      closing.push(() => server.close());
      await new Promise<void>(resolve => server.listen(0, host, resolve));
      const clock = new VirtualClock(0);
      const open = await loadSystemSocket(clock);
      const closed = Promise.withResolvers<unknown>();
      const { port } = server.address() as AddressInfo;
      open(`ws://${host}:${port}`, {
        opened() {},
        received() {},
        closed: (_code, reason) => closed.resolve(reason),
      });
      const peer = await accepted.promise;
      await new Promise(resolve => peer.once('data', resolve));
      await clock.advance(reachingMsMax);
      peer.destroy();
      expect(await closed.promise).toBe('socket hang up');
    },
  );
});
