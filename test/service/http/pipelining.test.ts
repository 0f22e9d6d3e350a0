import { once } from 'node:events';
import { type Server, ServerResponse } from 'node:http';
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
    const count = 5000;
    const { answers } = await peer(many(count));
    let most = 0;
    await expect
      .poll(
        () => {
          most = Math.max(most, open.length);
          answerAll();
          return answers().length;
        },
        { interval: 1, timeout: 30_000 },
      )
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
    await expect.poll(() => other.answers()).toEqual(['/other']);
    await expect.poll(() => piping.answers().length).toBe(2000);
    expect(begun.indexOf('/other')).toBeLessThan(1000);
  });

  it('are not handled after their connection was closed', async () => {
    const { socket } = await peer(many(1000));
    await expect.poll(() => open.length).toBe(1 + pipelinedRunningMax);
    const [{ socket: accepted } = {}] = open;
    socket.destroy();
    await expect.poll(() => accepted?.destroyed).toBe(true);
    answerAll();
    const { answers } = await peer(get('/later'));
    await expect.poll(() => open.length).toBe(1);
    answerAll();
    await expect.poll(() => answers()).toEqual(['/later']);
    expect(begun).toHaveLength(2 + pipelinedRunningMax);
  });

  it('close their connection beyond the number that may wait in total', async () => {
    const perPeer = 1000;
    const first: Peer[] = [];
    for (let n = 0; n < pipelinedWaitingMax / perPeer; n++) {
      first.push(await peer(many(perPeer + 1 + pipelinedRunningMax, `${n}_`)));
    }
    await expect.poll(() => open.length).toBe(first.length * (1 + pipelinedRunningMax));
    const late = await peer(many(2 + pipelinedRunningMax));
    await late.closed;
    expect(first.filter(({ socket }) => socket.destroyed)).toEqual([]);
    const one = await peer(get('/one'));
    await expect.poll(() => begun.includes('/one')).toBe(true);
    answerAll();
    await expect.poll(() => one.answers()).toEqual(['/one']);
  });
});
