import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen, listenWithMany } from '../../../src/service/http/listening.ts';
import { type Service, startService } from '../../../src/service/index.ts';
import { runtimeLimits } from '../../../src/service/support/service-limits.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { starfall } from '../../support/service/starfall.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const host = '127.0.0.1';
const log = silentLogger;
/** On Linux alone can a port have several. */
const sockets = process.platform === 'linux' ? runtimeLimits.listenSockets : 1;

async function open(port = 0): Promise<Listening> {
  const listening = await listenWithMany(createServer(), { host, port, log });
  ending.push(() => {
    for (const server of [listening.server, ...listening.others]) server.close();
    listening.server.closeAllConnections();
  });
  return listening;
}

const portOf = ({ server }: Listening) => (server.address() as AddressInfo).port;

async function startDurable(): Promise<Service> {
  const data = mkdtempSync(join(tmpdir(), 'rallypoint-listening-'));
  ending.push(() => rmSync(data, { recursive: true, force: true }));
  const service = await startService({ fixtures: starfall, limits: 'off', data });
  ending.push(() => service.close());
  return service;
}

describe('a server with several listening sockets', () => {
  it('passes the connections of all to its handler', async () => {
    const listening = await open();
    let accepted = 0;
    const all = new Promise<void>(resolve => {
      listening.server.on('connection', () => ++accepted === 64 && resolve());
    });
    const peers = Array.from({ length: 64 }, () => connect({ host, port: portOf(listening) }));
    ending.push(() => peers.map(peer => peer.destroy()));
    await all;
    expect(listening.others).toHaveLength(sockets - 1);
    const counts = await Promise.all([listening.server, ...listening.others].map(countConnections));
    expect(counts.reduce((sum, count) => sum + count)).toBe(64);
    expect(Math.max(...counts)).toBeLessThan(sockets === 1 ? 65 : 64);
  });

  it('takes no port that another one has, whether that has one socket or several', async () => {
    const several = await open();
    await expect(open(portOf(several))).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const one = await listen(createServer(), { host, port: 0, log });
    ending.push(() => one.server.close());
    await expect(open(portOf(one))).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await expect(listen(createServer(), { host, port: portOf(several), log })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('listens again on the port of one that has closed', async () => {
    const first = await open();
    const port = portOf(first);
    const closed = [first.server, ...first.others].map(server => once(server.close(), 'close'));
    await Promise.all(closed);
    expect(portOf(await open(port))).toBe(port);
  });

  it('goes on when the system cannot accept a connection', async () => {
    const warnings: unknown[] = [];
    const listening = await listen(createServer(), {
      ...{ host, port: 0 },
      log: { ...silentLogger, warn: (fields: unknown) => warnings.push(fields) },
    });
    ending.push(() => listening.server.close());
    const error = Object.assign(new Error('accept ENETDOWN'), { code: 'ENETDOWN' });
    listening.server.emit('error', error);
    expect(warnings).toEqual([{ error }]);
  });
});

describe('a service with a data folder', () => {
  it.runIf(process.platform === 'linux')('listens with several sockets; one without has one', async () => {
    const durable = await startDurable();
    const inMemory = await startService({ fixtures: starfall });
    ending.push(() => inMemory.close());
    expect(countListening(durable)).toBe(sockets);
    expect(countListening(inMemory)).toBe(1);
  });

  it('drains the connections of every socket when it stops, and accepts no more', async () => {
    const service = await startDurable();
    const port = Number(new URL(service.webBase).port);
    const peers = Array.from({ length: 40 }, () => connect({ host, port }));
    ending.push(() => peers.map(peer => peer.destroy()));
    const request = `GET /api/v10/gateway HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`;
    for (const peer of peers) peer.write(request);
    await Promise.all(peers.map(peer => once(peer, 'data')));
    // Requests under way: their last byte follows after the stop has begun.
    for (const peer of peers) peer.write(request.slice(0, -1));
    const answers = peers.map(read);
    const closed = service.close();
    for (const peer of peers) peer.write(request.slice(-1));
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    }
    await closed;
    const late = connect({ host, port });
    await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

function countConnections(server: Listening['server'] | Listening['others'][number]): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** The listening sockets of a service's port, as the system lists them: column 1 the address, column 3 the state, both in hex. */
function countListening(service: Service): number {
  const port = Number(new URL(service.webBase).port).toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(row => row.trim().split(/\s+/));
  return rows.filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === '0A').length;
}

async function read(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
