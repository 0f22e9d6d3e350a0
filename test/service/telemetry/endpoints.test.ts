import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { freePort } from '../../support/runs/free-port.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';
import { head, sendRaw } from '../http/raw.ts';

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(service => service.close())));

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  running.push(service);
  return service;
}

async function get(url: string, method = 'GET') {
  const answer = await fetch(url, { method });
  const type = answer.headers.get('content-type');
  return { status: answer.status, type, cache: answer.headers.get('cache-control'), body: await answer.text() };
}

const json = { type: 'application/json', cache: 'no-store' };

describe('the endpoints for operators', () => {
  it('say without a credential that a service works and takes traffic', async () => {
    const { webBase } = await start();
    expect(await get(`${webBase}/healthz`)).toEqual({ status: 200, ...json, body: '{"status":"ok"}' });
    expect(await get(`${webBase}/readyz?verbose`)).toEqual({ status: 200, ...json, body: '{"status":"ready"}' });
    const metrics = await get(`${webBase}/metrics`);
    expect(metrics).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', cache: 'no-store' });
    expect(metrics.body).toMatch(/^rallypoint_ready 1$/m);
  });

  it('answer HEAD as GET without the body, and every other method with 405', async () => {
    const service = await start();
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, headers, body } = await sendRaw(service, head('HEAD', path));
      expect({ status, body }).toEqual({ status: 200, body: '' });
      expect(Number(headers['content-length'])).toBeGreaterThan(10);
      const refused = await sendRaw(service, head('POST', path, 'Content-Length: 0'));
      expect({ status: refused.status, allow: refused.headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
    }
    expect((await get(`${service.webBase}/healthz/`)).status).toBe(404);
  });

  it('answer probes whatever host they name, and metrics only by a name of the service', async () => {
    const service = await start();
    const ask = async (path: string) =>
      (await sendRaw(service, `GET ${path} HTTP/1.1\r\nHost: 10.1.2.3:8910\r\nConnection: close\r\n\r\n`)).status;
    expect([await ask('/healthz'), await ask('/readyz'), await ask('/metrics')]).toEqual([200, 200, 421]);
    const named = await start({ allowedHosts: ['10.1.2.3'] });
    expect((await sendRaw(named, head('GET', '/metrics').replace('127.0.0.1', '10.1.2.3:8910'))).status).toBe(200);
  });

  it('are only at the port of their own where they have one', async () => {
    const { webBase, opsBase = '', metrics } = await start({ opsPort: 0 });
    expect(opsBase).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(opsBase).not.toBe(webBase);
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await get(opsBase + path)).status).toBe(200);
      expect((await get(webBase + path)).status).toBe(404);
    }
    expect(await get(`${opsBase}/api/v10/gateway`)).toMatchObject({ status: 404 });
    expect(await metrics()).toContain('rallypoint_build_info');
  });

  it('reject a port that is taken, and leave nothing behind', async () => {
    const { webBase } = await start();
    const taken = Number(new URL(webBase).port);
    await expect(startService({ opsPort: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('say while a service starts that it works and takes no traffic yet', async () => {
    const opsPort = await freePort();
    // Hashing passwords is what a start can take long for.
    const users = Array.from({ length: 4 }, (_, at) => ({
      username: `player${at}`,
      password: 'correct horse battery',
    }));
    const starting = start({ fixtures: { users }, signIn: 'password', opsPort });
    const isUp = () => get(`http://127.0.0.1:${opsPort}/healthz`).catch(() => undefined);
    let health = await isUp();
    while (!health) health = await isUp();
    const ready = await get(`http://127.0.0.1:${opsPort}/readyz`);
    expect(health).toMatchObject({ status: 200 });
    expect({ status: ready.status, body: JSON.parse(ready.body) }).toEqual({
      status: 503,
      body: { status: 'unavailable', reasons: ['starting'] },
    });
    await starting;
    expect((await get(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
  });

  it('say while a service drains that it works and takes no traffic any more', async () => {
    const service = await start({ opsPort: 0 });
    const slow = await halfRequest(service);
    const closing = service.close();
    const health = await get(`${service.opsBase}/healthz`);
    const ready = await get(`${service.opsBase}/readyz`);
    const metrics = await get(`${service.opsBase}/metrics`);
    slow.socket.write('}');
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 201 /);
    await closing;
    expect(health.status).toBe(200);
    expect({ status: ready.status, body: JSON.parse(ready.body) }).toEqual({
      status: 503,
      body: { status: 'unavailable', reasons: ['draining'] },
    });
    expect(metrics.body).toMatch(/^rallypoint_ready 0$/m);
    await expect(get(`${service.opsBase}/healthz`)).rejects.toThrow();
  });

  it('say so too on a connection of the service itself that was open before', async () => {
    const service = await start();
    const { port } = new URL(service.webBase);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    const closing = service.close();
    socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\nGET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const rest = await text(socket);
    await closing;
    expect(rest.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
    expect(rest).toContain('"reasons":["draining"]');
  });

  it('render metrics once for all who ask meanwhile, and never something older than the question', async () => {
    const service = await start();
    await Promise.all(Array.from({ length: 50 }, () => service.metrics()));
    for (let n = 1; n <= 5; n++) {
      await callApi(service, 'POST', '/lobbies', {});
      const [one, other] = await Promise.all([service.metrics(), service.metrics()]);
      expect(one).toContain(`route="/api/v10/lobbies",status="201"} ${n}\n`);
      expect(other).toBe(one);
    }
  });
});

/** A request of which one byte is missing. */
async function halfRequest({ webBase }: Service) {
  const socket = connect(Number(new URL(webBase).port), '127.0.0.1');
  await once(socket, 'connect');
  const [{ bot_token }] = starfall.applications;
  const head = ['POST /api/v10/lobbies HTTP/1.1', 'host: 127.0.0.1', `authorization: Bot ${bot_token}`];
  socket.write(`${[...head, 'content-type: application/json', 'content-length: 2'].join('\r\n')}\r\n\r\n{`);
  // Until it has been read, nobody would wait for the rest of it.
  await fetch(`${webBase}/api/v10/gateway`);
  return { socket, answer: text(socket) };
}
