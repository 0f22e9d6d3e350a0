import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Entropy, randomToken, silentLogger, systemEntropy, systemFetch } from '../../../src/wire/clock/ports.ts';

describe('the system entropy', () => {
  it.each([0, 1, 16, 4096])('gives exactly %d bytes', count => {
    expect(systemEntropy.bytes(count)).toHaveLength(count);
  });

  it('never gives the same 16 bytes twice', () => {
    const seen = new Set(Array.from({ length: 1000 }, () => Buffer.from(systemEntropy.bytes(16)).toString('hex')));
    expect(seen.size).toBe(1000);
  });

  it('gives bytes that the caller may change', () => {
    const bytes = systemEntropy.bytes(4);
    bytes.fill(7);
    expect([...bytes]).toEqual([7, 7, 7, 7]);
  });
});

describe('a random token', () => {
  it('is the bytes as base64url without padding', () => {
    const entropy: Entropy = { bytes: count => new Uint8Array(count).fill(0xff) };
    expect(randomToken(entropy, 1)).toBe('_w');
    expect(randomToken(entropy, 3)).toBe('____');
    expect(randomToken(systemEntropy, 32)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('the silent logger', () => {
  it('takes every level and says nothing', () => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      expect(silentLogger[level]({ key: 'value' }, 'message')).toBeUndefined();
    }
  });
});

describe('the system fetch', () => {
  let server: Server;
  let base: string;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/redirect') response.writeHead(302, { location: '/echo' }).end();
      else response.writeHead(201, { 'x-answer': 'yes' }).end(await describeRequest(request));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const signal = new AbortController().signal;

  it('sends method, headers and body as given, and gives status, headers and body back', async () => {
    const headers = { authorization: 'Bot t', 'content-type': 'application/json' };
    const response = await systemFetch(`${base}/echo`, { method: 'PATCH', headers, body: '{"a":"ä"}', signal });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-answer')).toBe('yes');
    expect(await response.json()).toEqual({ method: 'PATCH', authorization: 'Bot t', body: '{"a":"ä"}' });
  });

  it('shows a redirect instead of following it when asked to', async () => {
    const response = await systemFetch(`${base}/redirect`, { method: 'GET', headers: {}, signal, redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/echo');
  });

  it('rejects with the reason of its signal, also while waiting for the answer', async () => {
    const abort = new AbortController();
    const answer = systemFetch(`${base}/silent`, { method: 'GET', headers: {}, signal: abort.signal });
    const reason = new Error('given up');
    abort.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it('rejects when no server listens', async () => {
    const unused = createServer();
    await new Promise<void>(resolve => unused.listen(0, '127.0.0.1', resolve));
    const { port } = unused.address() as AddressInfo;
    await new Promise(resolve => unused.close(resolve));
    await expect(systemFetch(`http://127.0.0.1:${port}/`, { method: 'GET', headers: {}, signal })).rejects.toThrow();
  });
});

async function describeRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method, headers } = request;
  return JSON.stringify({ method, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
}
