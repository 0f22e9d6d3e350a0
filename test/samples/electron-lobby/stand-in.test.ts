import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { WindowServer } from '../../../samples/electron-lobby/host/window-server.ts';
import { preloadPath, socketPath } from '../../../samples/electron-lobby/host/wire.ts';
import { enter, SampleWindow } from '../../support/sample/sample-window.ts';

/** The stand-in's window is a server on this machine: whoever else reaches its port gets nothing. */
let folder: string;
let server: WindowServer;
let address: string;
let origin: string;
let closed: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'starfall-window-'));
  writeFileSync(join(folder, 'page.js'), 'const page = 1;');
  writeFileSync(join(folder, 'preload.cjs'), 'const preload = require("electron");');
  closed = 0;
  server = new WindowServer({
    fetchFile: async path =>
      new Response(`<head><script src="main.js"></script></head>${path}`, {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "connect-src 'none'" },
      }),
    scripts: { page: join(folder, 'page.js'), preload: join(folder, 'preload.cjs') },
    openPort(channel, port) {
      port.on('message', ({ data }) => port.postMessage({ channel, data }));
    },
    onOpened() {},
    onClosed: () => void closed++,
  });
  address = await server.listen();
  ({ origin } = new URL(address));
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function get(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(origin + path, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** How the server answers an upgrade. */
async function knock(headers: Record<string, string>, path: string = socketPath): Promise<'open' | number> {
  const socket = new WebSocket(origin.replace('http', 'ws') + path, { headers });
  const outcome = await Promise.race([
    once(socket, 'open').then(() => 'open' as const),
    once(socket, 'unexpected-response').then(([, response]) => response.statusCode as number),
    once(socket, 'error').then(() => 0),
  ]);
  if (outcome === 'open') socket.close();
  return outcome;
}

describe('the window of the stand-in', () => {
  it('lets in whoever brings the key of its address, once', async () => {
    expect((await get('/index.html')).status).toBe(403);
    const first = await get(new URL(address).pathname + new URL(address).search);
    expect(first.status).toBe(303);
    expect(first.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
    expect((await get(`/${new URL(address).search}`)).status).toBe(403);
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await get('/index.html', { cookie })).status).toBe(200);
  });

  it.each(['', '?key=', '?key=guess', '?other=1'])('lets nobody in by "/%s"', async query => {
    expect((await get(`/${query}`)).status).toBe(403);
  });

  it('answers under its own Host alone: a name that was made to resolve here is another', async () => {
    const cookie = await enter(address);
    const { port } = new URL(address);
    const status = await new Promise(resolve => {
      const asked = request({
        port,
        host: '127.0.0.1',
        path: '/index.html',
        headers: { cookie, host: `evil.example:${port}` },
      });
      asked.on('response', response => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
    expect((await fetch(`${origin}/index.html`, { method: 'POST', headers: { cookie } })).status).toBe(403);
  });

  it('loosens the content policy for its own socket and nothing else, and puts the preload script first', async () => {
    const cookie = await enter(address);
    const page = await get('/index.html', { cookie });
    expect(page.headers.get('content-security-policy')).toBe(`connect-src ${origin.replace('http', 'ws')}`);
    expect(page.text.indexOf(preloadPath)).toBeLessThan(page.text.indexOf('main.js'));
    const script = await get(preloadPath, { cookie });
    expect(script.text).toContain('const preload');
    expect((await get(preloadPath)).status).toBe(403);
  });

  it('opens its socket to its own page alone', async () => {
    const cookie = await enter(address);
    expect(await knock({ origin, cookie })).toBe('open');
    expect(await knock({ origin })).toBe(403);
    expect(await knock({ cookie })).toBe(403);
    expect(await knock({ origin: 'https://example.com', cookie })).toBe(403);
    expect(await knock({ origin: `${origin}0`, cookie })).toBe(403);
    expect(await knock({ origin, cookie: `${cookie}x` })).toBe(403);
    expect(await knock({ origin, cookie }, '/elsewhere')).toBe(403);
  });

  it('hands on what a page posts to its ports, each to its own', async () => {
    const window = await SampleWindow.open(address);
    for (const port of [1, 2]) window.post({ port, channel: `channel ${port}` });
    window.post({ port: 2, data: { a: 1 } });
    const posted = { port: 2, data: { channel: 'channel 2', data: { a: 1 } } };
    await expect.poll(() => window.heard.map(text => JSON.parse(text))).toEqual([posted]);
    window.close();
  });

  it.each(['{', '5', 'null', '{"port":"1","channel":"any"}', '{"channel":"any"}', 'x'.repeat(65_537)])(
    'drops a page that sends what belongs to no port (%#)',
    async text => {
      const cookie = await enter(address);
      const socket = new WebSocket(origin.replace('http', 'ws') + socketPath, { headers: { origin, cookie } });
      await once(socket, 'open');
      socket.send(text);
      const [code] = await once(socket, 'close');
      expect([1008, 1009]).toContain(code);
    },
  );

  it('takes a reloaded page for the same window, and a page that is gone for a closed one', async () => {
    const cookie = await enter(address);
    const url = origin.replace('http', 'ws') + socketPath;
    const first = new WebSocket(url, { headers: { origin, cookie } });
    await once(first, 'open');
    first.close();
    const second = new WebSocket(url, { headers: { origin, cookie } });
    await once(second, 'open');
    expect(closed).toBe(0);
    second.close();
    await expect.poll(() => closed, { timeout: 5_000 }).toBe(1);
  });
});
