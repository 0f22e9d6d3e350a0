import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../src/service/index.ts';
import { starfall } from '../support/service/starfall.ts';

const [bot] = starfall.applications;
const soonMs = 2_000;

let service: Service;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.close();
});

async function start(options: ServiceOptions = {}): Promise<void> {
  service = await startService({ fixtures: starfall, limits: 'off', ...options });
}

/** A keep-alive connection, and all that came by it until it was closed. */
async function open(): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  const socket = connect(Number(new URL(service.webBase).port), '127.0.0.1');
  sockets.push(socket);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(socket, 'close').then(() => Buffer.concat(chunks).toString('latin1'));
  await once(socket, 'connect');
  return { socket, ended };
}

function head(method: string, path: string, authorization: string, body = ''): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', `authorization: ${authorization}`];
  if (body !== '') lines.push('content-type: application/json', `content-length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Closes the service, and says how long that took. */
async function close(): Promise<number> {
  const startMs = performance.now();
  await service.close();
  return performance.now() - startMs;
}

/** Resolves when so many requests that an armed fault delays are being handled. */
async function delayed(count: number): Promise<void> {
  while ((service.faults.armed[0]?.left ?? 0) > 100 - count) await new Promise(resolve => setImmediate(resolve));
}

describe('an embedded service that is closed while requests are handled', () => {
  it('answers handlers that take their time with connection: close, and is closed as soon as they are done', async () => {
    await start();
    service.faults.add({ kind: 'latency', ms: 400, count: 100 });
    const connections = await Promise.all(Array.from({ length: 8 }, open));
    for (const { socket } of connections) socket.write(head('GET', '/api/v10/gateway/bot', `Bot ${bot.bot_token}`));
    await delayed(connections.length);
    const tookMs = await close();
    for (const text of await Promise.all(connections.map(({ ended }) => ended))) {
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
    }
    expect(tookMs).toBeLessThan(soonMs);
  });

  it('answers handlers that wait on its virtual clock, which stands still, and is closed soon', async () => {
    await start({ clock: 'virtual' });
    service.faults.add({ kind: 'latency', ms: 60_000, count: 100 });
    const { socket, ended } = await open();
    socket.write(head('GET', '/api/v10/gateway/bot', `Bot ${bot.bot_token}`));
    await delayed(1);
    const tookMs = await close();
    expect(await ended).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
    expect(tookMs).toBeLessThan(soonMs);
  });

  it('takes the rest of a body that control waits for, and says that the connection ends', async () => {
    await start();
    const body = JSON.stringify({ users: [{ username: 'late' }] });
    const text = head('POST', '/control/fixtures', `Bearer ${service.controlToken}`, body);
    const { socket, ended } = await open();
    socket.write(text + body.slice(0, 5));
    await fetch(`${service.controlBase}/clock`, { headers: { authorization: `Bearer ${service.controlToken}` } });
    const closed = close();
    socket.write(body.slice(5));
    expect(await closed).toBeLessThan(soonMs);
    expect(await ended).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n[\s\S]*"late"/i);
  });

  it('sends a large answer that had begun to its end, also to who reads slowly, and then ends the connection', async () => {
    const users = Array.from({ length: 20_000 }, (_, n) => ({ id: String(500_000 + n), username: `player${n}` }));
    await start({ fixtures: { ...starfall, users: [...starfall.users, ...users] } });
    const [{ socket, ended }, idle] = await Promise.all([open(), open()]);
    idle.socket.write(head('GET', '/api/v10/gateway/bot', `Bot ${bot.bot_token}`));
    await once(idle.socket, 'data');
    socket.write(head('GET', '/control/snapshot', `Bearer ${service.controlToken}`));
    await once(socket, 'data');
    socket.pause();
    const closed = close();
    await idle.ended;
    socket.resume();
    const [tookMs, text] = await Promise.all([closed, ended]);
    const body = unchunked(text.slice(text.indexOf('\r\n\r\n') + 4));
    expect(JSON.parse(body).content.users).toHaveLength(users.length + starfall.users.length);
    expect(tookMs).toBeLessThan(soonMs);
  });

  it('answers a second request that follows on the same connection, as the last one', async () => {
    await start();
    service.faults.add({ kind: 'latency', ms: 200, count: 100 });
    const { socket, ended } = await open();
    const request = head('GET', '/api/v10/gateway/bot', `Bot ${bot.bot_token}`);
    socket.write(request);
    await delayed(1);
    const closed = close();
    socket.write(request);
    const [tookMs, text] = await Promise.all([closed, ended]);
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(text.match(/^connection: close\r$/gim)).toHaveLength(1);
    expect(tookMs).toBeLessThan(soonMs);
  });
});

/** The content of a whole body in chunks. @see RFC 9112, section 7.1 */
function unchunked(body: string): string {
  let content = '';
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, end), 16);
    if (size === 0) return content;
    content += body.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
    if (at >= body.length) throw new Error('The last chunk is missing.');
  }
}
