import { once } from 'node:events';
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpListener } from '../../../src/service/http/listener.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';

const { pipelinedRunningMax, pipelinedWaitingMax } = intakeLimits;

/** Requests that have begun and are not answered, in their order. */
let open: ServerResponse[];
/** The paths of all requests that have begun. */
let begun: string[];
let answersItself: boolean;
let server: Server;
const peers: Socket[] = [];
/** Long enough for a busy machine. */
const patient = { interval: 5, timeout: 20_000 };

beforeEach(async () => {
  open = [];
  begun = [];
  answersItself = false;
  server = createHttpListener(ServerResponse, ({ url = '' }, response) => {
    begun.push(url);
    if (answersItself) response.end(url);
    else open.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const many = (count: number, name = '') => Array.from({ length: count }, (_, n) => get(`/${name}${n}`)).join('');

interface Peer {
  readonly socket: Socket;
  readonly answers: () => string[];
  readonly closed: Promise<unknown>;
}

async function peer(bytes: string): Promise<Peer> {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection') as Promise<Socket[]>;
  const socket = connect(port, '127.0.0.1');
  peers.push(socket);
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await accepted;
  socket.write(bytes);
  return {
    socket,
    closed,
    answers: () => [...text.matchAll(/\r\n\r\n(?:[0-9a-f]+\r\n)?(\/[a-z0-9_]+)/g)].map(([, path = '']) => path),
  };
}

const answerAll = () => {
  for (const response of open.splice(0)) response.end((response.req.url ?? '') as string);
};

describe('pipelined requests', () => {
  it('are handled some at a time, and all are answered in their order', async () => {
    const count = 1500;
    const { answers } = await peer(many(count));
    let most = 0;
    await expect
      .poll(() => {
        most = Math.max(most, open.length);
        answerAll();
        return answers().length;
      }, patient)
      .toBe(count);
    expect(most).toBe(1 + pipelinedRunningMax);
    expect(answers()).toEqual(Array.from({ length: count }, (_, n) => `/${n}`));
  });

  it('of one connection leave turns to the others', async () => {
    answersItself = true;
    const piping = await peer('');
    const other = await peer('');
    piping.socket.write(many(2000));
    other.socket.write(get('/other'));
    await expect.poll(() => other.answers(), patient).toEqual(['/other']);
    await expect.poll(() => piping.answers().length, patient).toBe(2000);
    expect(begun.indexOf('/other')).toBeLessThan(1000);
  });

  it('begin some at a time, of all connections, although each is answered immediately', async () => {
    answersItself = true;
    const count = 1000;
    const [first, second] = [await peer(''), await peer('')];
    const steps: number[] = [];
    let before = 0;
    let isDone = false;
    const look = () => {
      steps.push(begun.length - before);
      before = begun.length;
      if (!isDone) setImmediate(look);
    };
    look();
    for (const { socket } of [first, second]) socket.write(many(count));
    await expect.poll(() => [first.answers().length, second.answers().length], patient).toEqual([count, count]);
    isDone = true;
    // The first of each connection does not wait.
    expect(Math.max(...steps)).toBeLessThanOrEqual(pipelinedRunningMax + 2);
  });

  it('pause reading while they wait, although earlier ones have been read to their end', async () => {
    const { socket } = await peer(many(1000));
    await expect.poll(() => open.length, patient).toBe(1 + pipelinedRunningMax);
    const [{ req, socket: accepted } = {}] = open;
    const { bytesRead } = accepted as Socket;
    socket.write(many(1000));
    for await (const _ of req as IncomingMessage);
    for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
    expect(accepted?.bytesRead).toBe(bytesRead);
    await expect
      .poll(() => {
        answerAll();
        return begun.length;
      }, patient)
      .toBe(2000);
  });

  it('are no longer handled when an answer shows that their connection was closed', async () => {
    const { socket } = await peer(many(1000));
    await expect.poll(() => open.length, patient).toBe(1 + pipelinedRunningMax);
    const [{ socket: accepted } = {}] = open;
    socket.destroy();
    await expect
      .poll(() => {
        answerAll();
        return accepted?.destroyed;
      }, patient)
      .toBe(true);
    const { length } = begun;
    expect(length).toBeLessThan(500);
    const { answers } = await peer(get('/later'));
    await expect
      .poll(() => {
        answerAll();
        return answers();
      }, patient)
      .toEqual(['/later']);
    expect(begun).toHaveLength(length + 1);
  });

  it('close their connection beyond the number that may wait in total', async () => {
    const perPeer = 1000;
    const bytes = many(perPeer + 1);
    const before: Peer[] = [];
    let closed = false;
    while (!closed && before.length < (2 * pipelinedWaitingMax) / perPeer) {
      const next = await peer(bytes);
      void next.closed.then(() => {
        closed = true;
      });
      before.push(next);
      // The peer's requests have all arrived: it was closed, or some are being handled.
      const begunBefore = begun.length;
      await expect.poll(() => closed || begun.length > begunBefore, patient).toBe(true);
    }
    await expect.poll(() => closed, patient).toBe(true);
    expect(before.length).toBeGreaterThanOrEqual(pipelinedWaitingMax / perPeer);
    expect(before.slice(0, pipelinedWaitingMax / perPeer).filter(({ socket }) => socket.destroyed)).toEqual([]);
    const one = await peer(get('/one'));
    await expect.poll(() => begun.includes('/one'), patient).toBe(true);
    answerAll();
    await expect.poll(() => one.answers(), patient).toEqual(['/one']);
  });
});
