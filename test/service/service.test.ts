import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixtures, type Service, type ServiceOptions, startService } from '../../src/service/index.ts';
import { silentLogger } from '../../src/wire/clock/ports.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const running: Service[] = [];
const folders: string[] = [];

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ fixtures: starfall, limits: 'off', ...options });
  running.push(service);
  return service;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'rallypoint-service-'));
  folders.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.close()));
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

async function createLobby(service: Service): Promise<string> {
  const { status, body } = await callApi(service, 'POST', '/lobbies', {});
  expect(status).toBe(201);
  return (body as { id: string }).id;
}

describe('startService', () => {
  it('gives the addresses of the ready line, all of one server', async () => {
    const { webBase, apiBase, gateway, controlBase, controlToken, consoleUrl, readyLine } = await start();
    expect(readyLine).toEqual({
      ...{ event: 'ready', api_base: apiBase, web_base: webBase, gateway },
      ...{ control_base: controlBase, control_token: controlToken, console_url: consoleUrl },
      ...{ pid: process.pid, version: readyLine.version },
    });
    expect(consoleUrl).toBe(`${webBase}/console#token=${controlToken}`);
    const authority = new URL(webBase).host;
    expect([apiBase, controlBase]).toEqual([`http://${authority}/api`, `http://${authority}/control`]);
    expect(gateway).toBe(`ws://${authority}/gateway`);
    expect(controlToken.length).toBeGreaterThanOrEqual(32);
    expect(readyLine.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('runs twice in one process and shares nothing', async () => {
    const [one, two] = await Promise.all([start(), start({ clock: 'virtual' })]);
    const id = await createLobby(one);
    expect((await callApi(two, 'GET', `/lobbies/${id}`)).status).toBe(404);
    const before = one.clock.now();
    await two.clock.advance(3_600_000);
    expect(one.clock.now()).toBeLessThan(before + 60_000);
    expect(one.controlToken).not.toBe(two.controlToken);
  });

  it('rejects a public address unless developer sign-in there is asked for by name', async () => {
    await expect(startService({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'public_host' });
    await expect(startService({ host: '0.0.0.0', signIn: 'developer' })).rejects.toMatchObject({ code: 'public_host' });
    await start({ host: '0.0.0.0', signIn: 'password' });
    const service = await start({ host: '0.0.0.0', allowPublicDeveloperSignIn: true });
    expect(service.webBase).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  it('rejects the secrets of a template where others reach it, and names each; elsewhere it starts with them', async () => {
    const fixtures = JSON.parse(
      readFileSync(new URL('../../deploy/fixtures.json', import.meta.url), 'utf8'),
    ) as Fixtures;
    const names = /bot_token in applications\[0\].*password in users\[0\].*password in users\[1\].*openssl rand/;
    const rejected = { code: 'template_secret', message: expect.stringMatching(names) };
    const open = { fixtures, signIn: 'password' } as const;
    await expect(startService({ ...open, host: '0.0.0.0' })).rejects.toMatchObject(rejected);
    await expect(startService({ ...open, publicUrl: 'https://play.example' })).rejects.toMatchObject(rejected);
    const engines = { store: 'postgres://a:change-me@127.0.0.1:1/b', bus: 'redis://127.0.0.1:1/0' };
    const secret = 'change-me-to-32-random-characters';
    const node = startService({ ...engines, secret, publicUrl: 'https://play.example' });
    await expect(node).rejects.toMatchObject({
      code: 'template_secret',
      message: expect.stringMatching(/RALLYPOINT_STORE \(store\), RALLYPOINT_SECRET \(secret\)\./),
    });
    await start(open);
    const warned: string[] = [];
    const log = { ...silentLogger, warn: (_: unknown, message: string) => void warned.push(message) };
    await start({ ...open, host: '0.0.0.0', publicUrl: 'http://localhost:8080', trustedProxies: ['10.0.0.10'], log });
    expect(warned).toEqual([expect.stringMatching(names)]);
  });

  it.each(['postgres://ada:hunter2@db/x', 'redis://cache', 'sqlite:state'])('rejects %s as a folder', async data => {
    const refusal = await startService({ data }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'invalid_store', message: expect.stringContaining('data must be a folder') });
    expect(String(refusal)).not.toContain('hunter2');
  });

  it('rejects an unknown limits profile and broken fixtures, and lets go of the folder', async () => {
    const data = folder();
    await expect(startService({ data, limits: 'loose' as 'off' })).rejects.toMatchObject({ code: 'unknown_limits' });
    const fixtures = { users: [{ id: 'x', username: '' }] };
    await expect(startService({ data, fixtures })).rejects.toMatchObject({ code: 'invalid_form_body' });
    expect((await fetch(`${(await start({ data })).webBase}/readyz`)).status).toBe(200);
  });

  it.each([
    ['invalid_argument', { port: -1 }],
    ['invalid_argument', { port: 65_536 }],
    ['invalid_argument', { port: '8910' }],
    ['invalid_argument', { port: 0.5 }],
    ['invalid_argument', { opsPort: -1 }],
    ['invalid_argument', { clock: 'x' }],
    ['invalid_argument', { clock: null }],
    ['invalid_argument', { data: 5 }],
    ['invalid_argument', null],
    ['unknown_limits', { limits: {} }],
    ['unknown_limits', { limits: 5 }],
    ['unknown_limits', { limits: null }],
  ])('rejects with %s the options %j', async (code, options) => {
    await expect(startService(options as never)).rejects.toMatchObject({ name: 'ArgumentError', code });
  });

  it('shows that a port was text', async () => {
    const port = '8910' as unknown as number;
    await expect(startService({ port })).rejects.toThrow('port must be a whole number from 0 to 65535 (got "8910").');
  });

  it('rejects a port that is taken, and lets go of the folder', async () => {
    const data = folder();
    const { webBase } = await start();
    await expect(startService({ data, port: Number(new URL(webBase).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    expect((await fetch(`${(await start({ data })).webBase}/readyz`)).status).toBe(200);
  });

  it('does not move the system clock', async () => {
    await expect((await start()).clock.advance(1)).rejects.toMatchObject({ code: 'system_clock' });
  });

  it('closes once, however often it is asked to', async () => {
    const service = await start();
    await Promise.all([service.close(), service.close()]);
    await service[Symbol.asyncDispose]();
    await service.close();
    await expect(fetch(`${service.apiBase}/v10/gateway`)).rejects.toThrow();
  });

  it('answers what is under way when it is closed, says that the connection ends, and closes without delay', async () => {
    const service = await start();
    const socket = connect(Number(new URL(service.webBase).port), '127.0.0.1');
    const [bot] = starfall.applications;
    const head = `host: 127.0.0.1\r\nauthorization: Bot ${bot.bot_token}\r\ncontent-type: application/json\r\ncontent-length: 2`;
    socket.write(`POST /api/v10/lobbies HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`);
    await once(socket, 'data'); // 100: it is being handled
    const closed = service.close();
    let text = '';
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.write('{}');
    await Promise.all([once(socket, 'close'), closed]);
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('closes what has not ended by the deadline, and rejects an invalid deadline', async () => {
    for (const drainTimeoutMs of [-1, Number.NaN, 3_600_001]) {
      await expect(startService({ drainTimeoutMs })).rejects.toMatchObject({ code: 'invalid_drain_timeout' });
    }
    const warned: string[] = [];
    const log = { ...silentLogger, warn: (_: unknown, message: string) => void warned.push(message) };
    const service = await start({ drainTimeoutMs: 200, log });
    const socket = connect(Number(new URL(service.webBase).port), '127.0.0.1').on('error', () => {});
    socket.write('GET /api/v10/gateway HTTP/1.1\r\nhost: ');
    await callApi(service, 'GET', '/gateway');
    const startMs = performance.now();
    await Promise.all([service.close(), once(socket, 'close')]);
    expect(performance.now() - startMs).toBeLessThan(3_000);
    expect(warned).toEqual(['Connections were still open at the deadline and were closed.']);
  });

  it('goes back to its fixtures on reset, with the same ids and tokens', async () => {
    const service = await start();
    const id = await createLobby(service);
    await Promise.all([service.reset(), service.reset()]);
    expect((await callApi(service, 'GET', `/lobbies/${id}`)).status).toBe(404);
    await createLobby(service);
  });
});

describe('a data folder opened again', () => {
  it('has what was acknowledged', async () => {
    const data = folder();
    const first = await start({ data });
    const id = await createLobby(first);
    await first.close();
    const second = await start({ data });
    expect((await callApi(second, 'GET', `/lobbies/${id}`)).status).toBe(200);
  });

  it('never gives an id twice, although a virtual clock had run ahead', async () => {
    const data = folder();
    const first = await start({ data, clock: 'virtual' });
    await first.clock.advance(10 * 86_400_000);
    const before = await createLobby(first);
    await first.close();
    const second = await start({ data, clock: 'virtual' });
    expect(BigInt(await createLobby(second))).toBeGreaterThan(BigInt(before));
  });
});
