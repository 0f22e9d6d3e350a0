import { once } from 'node:events';
import { type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpListener, type Patience } from '../../../src/service/http/listener.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { intakeLimits } from '../../../src/service/support/service-limits.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { stopFor } from '../../support/clock/stop-for.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { botHeaders, starfall } from '../../support/service/starfall.ts';
import { playerToken } from '../../support/service/tokens.ts';
import { head } from './raw.ts';

const opened: Socket[] = [];
const services: Service[] = [];
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const service of services.splice(0)) await service.close();
});

async function start(options: Parameters<typeof startService>[0] = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  services.push(service);
  return service;
}

/** A peer that never closes from its side. */
function peer(port: number, options: Partial<TcpNetConnectOpts> = {}): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...options });
  opened.push(socket);
  socket.on('error', () => {});
  return socket;
}

const portOf = ({ webBase }: Service) => Number(new URL(webBase).port);

async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('a peer that never closes', () => {
  it('is answered and closed when it sent no HTTP request; the service can close immediately', async () => {
    const service = await start();
    const socket = peer(portOf(service));
    socket.write('hello\r\n\r\n');
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 400 /);
    socket.write('and goes on');
    await service.close();
  });

  it('is cut off when it asked for a WebSocket where there is none', async () => {
    const service = await start();
    const socket = peer(portOf(service));
    socket.write('GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 404 /);
    await service.close();
  });
});

describe('a server', () => {
  const long = 60_000;
  const patience: Patience = { headMs: long, requestMs: long, checkMs: 10, stillMs: long, keepAliveMs: long };

  async function listen(waits: Partial<Patience>): Promise<{ server: Server; port: number }> {
    const server = createHttpListener(
      ServerResponse,
      (request, response) => {
        request.resume();
        request.on('end', () => response.end('x'.repeat(request.url === '/large' ? 50_000_000 : 1)));
      },
      { ...patience, ...waits },
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  }

  it.each([
    ['says nothing', { headMs: 30, requestMs: 60 }, '', 408],
    ['does not finish its head', { headMs: 30, requestMs: 60 }, 'GET / HTTP/1.1\r\nHost', 408],
    ['does not finish its body', { requestMs: 30, headMs: 30 }, head('POST', '/', 'Content-Length: 9'), 408],
  ] as const)('answers a peer that %s with 408, and keeps nothing of it', async (_, waits, bytes, status) => {
    const { server, port } = await listen(waits);
    const sockets = Array.from({ length: 20 }, () => peer(port));
    for (const socket of sockets) if (bytes !== '') socket.write(bytes);
    for (const text of await Promise.all(sockets.map(read))) expect(text).toContain(`HTTP/1.1 ${status} `);
    server.close();
    await once(server, 'close');
  });

  it('reads what arrived while the process was stopped before it judges who is late', async () => {
    const { port } = await listen({ headMs: 40, requestMs: 80, stillMs: 100, keepAliveMs: 20 });
    const whole = head('GET', '/');
    const [silent, halfHead, halfBody, idle, dead] = await Promise.all(
      [
        '',
        whole.slice(0, 20),
        `${head('POST', '/', 'Content-Length: 2')}a`,
        'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
        whole.slice(0, 20),
      ].map(async bytes => {
        const socket = peer(port);
        await once(socket, 'connect');
        if (bytes !== '') socket.write(bytes);
        return socket;
      }),
    );
    if (!silent || !halfHead || !halfBody || !idle || !dead) throw new Error('unreachable');
    await once(idle, 'data');
    silent.write(whole);
    halfHead.write(whole.slice(20));
    halfBody.write('b');
    idle.write(whole);
    dead.write('X-Slow: 1');
    stopFor(1500);
    const answers = await Promise.all([silent, halfHead, halfBody, idle, dead].map(read));
    expect(answers.map(answer => answer.slice(9, 12))).toEqual(['200', '200', '200', '200', '408']);
  });

  it('answers a body 408 whose head arrived while the process was stopped, and whose rest never comes', async () => {
    const { server, port } = await listen({ headMs: 20, requestMs: 40 });
    const accepted = once(server, 'connection');
    const socket = peer(port);
    await accepted;
    socket.write(`${head('POST', '/', 'Content-Length: 9')}a`);
    stopFor(200);
    expect(await read(socket)).toContain('HTTP/1.1 408 ');
  });

  it('cuts off a peer that does not read its answer', async () => {
    const { server, port } = await listen({ stillMs: 50 });
    const socket = peer(port);
    socket.pause();
    socket.write(head('GET', '/large'));
    server.close();
    await once(server, 'close');
    expect(socket.bytesRead).toBeLessThan(50_000_000);
  });
});

describe('connections without a valid credential', () => {
  /** Whether it is still there once another request of its own would have been answered. */
  async function isServed(socket: Socket): Promise<boolean> {
    socket.write('GET /api/v10/gateway HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    return Promise.race([
      once(socket, 'data').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(() => false),
    ]);
  }

  async function served(sockets: readonly Socket[]): Promise<number> {
    return (await Promise.all(sockets.map(isServed))).filter(Boolean).length;
  }

  it('are so many from one address, and no other address feels it', async () => {
    const service = await start({ connectionsPerAddress: 5 });
    expect(await served(Array.from({ length: 9 }, () => peer(portOf(service))))).toBe(5);
    expect(await served([peer(portOf(service), { localAddress: '127.0.0.2' })])).toBe(1);
  });

  it('are bounded in total, which is logged once', async () => {
    const warned: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: unknown) => warned.push(fields) };
    const service = await start({ connections: 6, connectionsPerAddress: 4, log });
    const from = (localAddress: string) => Array.from({ length: 4 }, () => peer(portOf(service), { localAddress }));
    expect([await served(from('127.0.0.2')), await served(from('127.0.0.3'))]).toEqual([4, 2]);
    expect(warned).toEqual([{ address: '127.0.0.3', rejected: 1 }]);
  });

  it('no longer count when they are closed', async () => {
    const service = await start({ connectionsPerAddress: 2 });
    const first = [peer(portOf(service)), peer(portOf(service))];
    expect(await served(first)).toBe(2);
    expect(await served([peer(portOf(service))])).toBe(0);
    for (const socket of first) socket.destroy();
    while ((await served([peer(portOf(service))])) === 0);
  });

  it('count no longer once a credential or a session was accepted', async () => {
    const service = await start({ connectionsPerAddress: 2 });
    const { bot_token } = starfall.applications[0];
    for (let client = 0; client < 4; client++) {
      const socket = peer(portOf(service));
      socket.write(
        `GET /api/v10/users/@me HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${botHeaders.authorization}\r\n\r\n`,
      );
      expect(String(await once(socket, 'data'))).toContain('200 OK');
    }
    const clients: GatewayClient[] = [];
    for (let client = 0; client < 4; client++) {
      clients.push(await GatewayClient.identified(service.gateway, { token: bot_token }));
    }
    expect(await served([peer(portOf(service)), peer(portOf(service)), peer(portOf(service))])).toBe(2);
    for (const client of clients) await client.end();
  });

  it('are not counted by address behind a trusted proxy', async () => {
    const service = await start({ connectionsPerAddress: 2, trustedProxies: ['127.0.0.1'] });
    expect(await served(Array.from({ length: 9 }, () => peer(portOf(service))))).toBe(9);
  });
});

describe('connections on which a credential was accepted', () => {
  const [ada, grace] = starfall.users;
  const most = intakeLimits.connectionsPerUserMax;

  /** A connection on which a call of the credential's owner was answered. */
  async function open(service: Service, authorization: string): Promise<Socket> {
    const socket = peer(portOf(service), { allowHalfOpen: false });
    await call(socket, authorization);
    return socket;
  }

  async function call(socket: Socket, authorization: string): Promise<void> {
    const path = authorization.startsWith('Bot') ? '/api/v10/users/@me' : '/api/v10/oauth2/@me';
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toContain('200 OK');
  }

  async function openMany(count: number, service: Service, authorization: string): Promise<Socket[]> {
    const sockets: Socket[] = [];
    while (sockets.length < count) sockets.push(await open(service, authorization));
    return sockets;
  }

  const areOpen = (sockets: readonly Socket[]) => sockets.every(socket => !socket.destroyed);

  it(`are at most ${most} of one user: the longest idle one is closed, and nobody else notices`, async () => {
    const service = await start({ connectionsPerAddress: 20 });
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    const bot = await openMany(3, service, botHeaders.authorization);
    const others = await openMany(3, service, `Bearer ${await playerToken(service, grace.id)}`);
    const [first, second, ...rest] = await openMany(most, service, token);
    if (!first || !second) throw new Error('No connection was opened.');
    expect(areOpen([first, second, ...rest])).toBe(true);
    await call(first, token);
    // Another token of the same user.
    const another = await open(service, `Bearer ${await playerToken(service, ada.id)}`);
    if (!second.closed) await once(second, 'close');
    expect(areOpen([first, another, ...rest, ...bot, ...others])).toBe(true);
  });

  it('count again for a user when another user’s call follows on them, and not at all behind a trusted proxy', async () => {
    const service = await start({ trustedProxies: ['127.0.0.2'] });
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    const sockets = await openMany(most, service, token);
    const [first] = sockets;
    if (!first) throw new Error('No connection was opened.');
    await call(first, `Bearer ${await playerToken(service, grace.id)}`);
    sockets.push(await open(service, token));
    const proxied = peer(portOf(service), { localAddress: '127.0.0.2', allowHalfOpen: false });
    await call(proxied, token);
    await call(proxied, token);
    expect(areOpen([...sockets, proxied])).toBe(true);
  });

  it('are closed one by one when their number grows over time', async () => {
    const service = await start();
    const token = `Bearer ${await playerToken(service, ada.id)}`;
    const sockets = await openMany(most + 20, service, token);
    await Promise.all(sockets.slice(0, 20).map(async socket => socket.closed || once(socket, 'close')));
    expect(areOpen(sockets.slice(20))).toBe(true);
  });
});
