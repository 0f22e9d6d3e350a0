import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { limits } from '../../../src/model/limits/limits.ts';
import type { ServiceOptions } from '../../../src/service/options.ts';
import { type Service, startService } from '../../../src/service/service.ts';

const bot_token = 'MQ.secret.token';
const fixtures = { applications: [{ id: '1', bot_token, embedded: true }], users: [{ id: '9' }] };

async function open(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures, limits: 'off', clock: 'virtual', ...options });
  onTestFinished(() => service.close());
  return service;
}

async function request(url: string, method: string, authorization: string, body?: unknown) {
  const json = body !== undefined && { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { authorization, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

function control(service: Service, name: string, body?: unknown) {
  const [method = '', path] = name.split(' ');
  return request(`${service.controlBase}${path}`, method, `Bearer ${service.controlToken}`, body);
}

function api(service: Service, name: string, body?: unknown) {
  const [method = '', path] = name.split(' ');
  return request(`${service.apiBase}/v10${path}`, method, `Bot ${bot_token}`, body);
}

/** A bot's gateway session, ready. */
async function identify(service: Service): Promise<WebSocket> {
  const socket = new WebSocket(`${service.gateway}/?v=10&encoding=json`);
  onTestFinished(() => socket.terminate());
  await once(socket, 'message');
  socket.send(JSON.stringify({ op: 2, d: { token: bot_token, intents: 0, properties: {} } }));
  await once(socket, 'message');
  return socket;
}

describe('the control API of a whole service', () => {
  it('goes back to the start: lobbies and sessions end, fixtures and their Launch command stay', async () => {
    const service = await open();
    const { body: lobby } = await api(service, 'POST /lobbies', {});
    const socket = await identify(service);
    const closed = once(socket, 'close');
    expect((await control(service, 'POST /reset')).status).toBe(204);
    await closed;
    expect((await api(service, `GET /lobbies/${lobby.id}`)).status).toBe(404);
    expect((await api(service, 'GET /applications/1/commands')).body).toMatchObject([{ name: 'Launch', type: 4 }]);
    await identify(service);
  });

  it('resets the same by the embedded service as by the call', async () => {
    const service = await open();
    const { body: lobby } = await api(service, 'POST /lobbies', {});
    await service.reset();
    expect((await api(service, `GET /lobbies/${lobby.id}`)).status).toBe(404);
  });

  it('carries a snapshot to another service, where what waits still ends in its time', async () => {
    const one = await open();
    await one.clock.advance(1000);
    const { body: lobby } = await api(one, 'POST /lobbies', {
      idle_timeout_seconds: limits.lobbyIdleTimeoutSecondsMin,
    });
    const { body: snapshot } = await control(one, 'GET /snapshot');

    const other = await open({ fixtures: {} });
    expect((await control(other, 'PUT /snapshot', snapshot)).status).toBe(204);
    expect(await api(other, `GET /lobbies/${lobby.id}`)).toEqual({ status: 200, body: lobby });
    const leftMs = limits.lobbyIdleTimeoutSecondsMin * 1000;
    await control(other, 'POST /clock', { advance_ms: leftMs - 1 });
    expect((await api(other, `GET /lobbies/${lobby.id}`)).status).toBe(200);
    await control(other, 'POST /clock', { advance_ms: 1 });
    expect((await api(other, `GET /lobbies/${lobby.id}`)).status).toBe(404);
  });

  it('closes the sessions of a service that takes a snapshot in', async () => {
    const service = await open();
    const socket = await identify(service);
    const closed = once(socket, 'close');
    await control(service, 'PUT /snapshot', (await control(service, 'GET /snapshot')).body);
    expect(await closed).toHaveLength(2);
    expect(socket.readyState).toBe(socket.CLOSED);
  });

  it('logs requests by route, and no secret', async () => {
    const service = await open();
    await api(service, 'GET /applications/1/commands');
    await identify(service);
    const { body } = await control(service, 'GET /log');
    expect(body.entries[0]).toMatchObject({ kind: 'request', route: 'listGlobalCommands', status: 200 });
    const text = JSON.stringify(body);
    for (const secret of [bot_token, service.controlToken]) expect(text).not.toContain(secret);
  });

  it('works while posts, resets and snapshots are concurrent', async () => {
    const service = await open();
    const { body: snapshot } = await control(service, 'GET /snapshot');
    const calls = Array.from({ length: 8 }, (_, at) => [
      control(service, 'POST /fixtures', { users: [{ id: String(100 + at) }] }),
      control(service, 'POST /reset'),
      control(service, 'PUT /snapshot', snapshot),
      control(service, 'POST /clock', { advance_ms: 10 }),
    ]).flat();
    for (const { status } of await Promise.all(calls)) expect(status).toBeLessThan(300);
    await control(service, 'POST /reset');
    expect((await api(service, 'GET /applications/1/commands')).body).toHaveLength(1);
  });
});
