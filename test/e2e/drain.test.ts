import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { opcodes } from '../../src/model/gateway.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { type RunningService, readReadyLine } from '../support/service/ready-line.ts';
import { starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'rallypoint-drain-'));
const fixtures = join(folder, 'fixtures.json');
writeFileSync(fixtures, JSON.stringify(starfall));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
});

interface Running {
  readonly ready: RunningService;
  readonly port: number;
  readonly child: ChildProcess;
  /** Exit code and signal, and how long after the call it ended. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }>;
}

/** The deadline of a drain, and by when one that does not wait for it has ended, on a machine that is busy. */
const deadline = ['--drain-timeout', '60'];
const quicklyMs = 30_000;

async function serve(...options: string[]): Promise<Running> {
  const args = ['src/cli/main.ts', 'serve', '--port', '0', '--memory', '--fixtures', fixtures, '--limits', 'off'];
  const child = spawn(process.execPath, [...args, '--log-level', 'error', ...deadline, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exited = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  const ready = readReadyLine(text);
  return {
    ready,
    port: Number(new URL(ready.webBase).port),
    child,
    async end(signal) {
      const startMs = performance.now();
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code, tookMs: performance.now() - startMs };
    },
  };
}

/** A connection that says `text` and nothing more. */
async function peer(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  socket.on('error', () => {}); // it may be cut off
  if (text !== '') socket.write(text);
  return socket;
}

function ask(port: number, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, agent, host: '127.0.0.1', path: '/api/v10/gateway' }, response => {
      response.resume();
      response.on('end', () => resolve(response));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Asks on one connection after another until nobody listens any more. @returns what the last answer and the failure said */
async function askOn(port: number): Promise<{ answers: number; last: string | undefined; failure: string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let answers = 0;
  let last: string | undefined;
  for (;;) {
    try {
      last = (await ask(port, agent)).headers.connection;
      answers++;
    } catch (error) {
      agent.destroy();
      return { answers, last, failure: (error as { code: string }).code };
    }
  }
}

it('a service without a terminal that gets SIGHUP, as log rotation sends it, goes on, and SIGTERM still drains it', async () => {
  const { ready, child, end } = await serve();
  child.kill('SIGHUP');
  for (let n = 0; n < 20; n++) {
    child.kill('SIGHUP');
    expect((await fetch(`${ready.webBase}/readyz`)).status).toBe(200);
  }
  expect((await end('SIGTERM')).code).toBe(0);
});

describe('a service that gets SIGTERM', () => {
  it('ends although 32 clients continue sending requests, answers them, and announces to each that its connection closes', async () => {
    const { port, end } = await serve();
    const clients = Array.from({ length: 32 }, () => askOn(port));
    const idle = new Agent({ keepAlive: true });
    await ask(port, idle);
    const { code, tookMs } = await end('SIGTERM');
    idle.destroy();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(quicklyMs);
    for (const { answers, last, failure } of await Promise.all(clients)) {
      expect(answers).toBeGreaterThan(0);
      expect(last).toBe('close');
      // The next connection: one that the system had accepted before the service closed its listening socket is reset.
      expect(['ECONNREFUSED', 'ECONNRESET']).toContain(failure);
    }
  });

  it('answers a request whose body still arrives, and all that were pipelined', async () => {
    const { port, child, end } = await serve();
    const [bot] = starfall.applications;
    const head = [
      'POST /api/v10/lobbies HTTP/1.1',
      'host: 127.0.0.1',
      `authorization: Bot ${bot.bot_token}`,
      'content-type: application/json',
      'content-length: 2',
    ];
    const slow = await peer(port, `${head.join('\r\n')}\r\n\r\n{`);
    const get = 'GET /api/v10/gateway HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
    const piped = await peer(port, get);
    await once(piped, 'data');
    const ended = end('SIGTERM');
    piped.write(get + get + get);
    const pipedText = textOf(piped);
    await until(() => refused(port));
    slow.write('}');
    const slowText = await textOf(slow);
    expect(slowText).toMatch(/^HTTP\/1\.1 201 /);
    expect(slowText).toMatch(/\r\nconnection: close\r\n/i);
    expect((await pipedText).match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    expect(await ended).toMatchObject({ code: 0 });
    expect(child.signalCode).toBeNull();
  });

  it('asks gateway sessions to reconnect and closes their sockets', async () => {
    const { ready, end } = await serve();
    const [ada] = starfall.users;
    const token = `Bearer ${await playerToken(ready, ada.id)}`;
    const client = await GatewayClient.identified(ready.gateway, { token });
    const { code, tookMs } = await end('SIGTERM');
    expect((await client.closed).code).toBe(1001);
    expect(client.frames.at(-1)?.op).toBe(opcodes.RECONNECT);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(quicklyMs);
  });

  it('does not wait for connections that never sent anything, nor for rejected upgrades', async () => {
    const { port, end } = await serve();
    for (let n = 0; n < 5; n++) await peer(port);
    const upgrade = ['GET /nowhere HTTP/1.1', 'host: 127.0.0.1', 'connection: upgrade', 'upgrade: websocket'];
    const refusedOne = await peer(port, `${upgrade.join('\r\n')}\r\n\r\n`);
    await once(refusedOne, 'data');
    const { code, tookMs } = await end('SIGTERM');
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(quicklyMs);
  });

  it('waits for a peer that says half a request only until the deadline', async () => {
    const { port, end } = await serve('--drain-timeout', '2');
    await peer(port, 'GET /api/v10/gateway HTTP/1.1\r\nhost: ');
    await peer(port, 'POST /api/oauth2/token HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nx');
    const { code, tookMs } = await end('SIGTERM');
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThan(1_500);
    expect(tookMs).toBeLessThan(quicklyMs);
  });

  it('ends immediately at a second signal', async () => {
    const { port, child, end } = await serve();
    await peer(port, 'GET /api/v10/gateway HTTP/1.1\r\nhost: ');
    child.kill('SIGTERM');
    await until(() => refused(port));
    // Later than a signal that arrived twice.
    const startMs = performance.now();
    await until(async () => performance.now() - startMs > 200);
    const { code, tookMs } = await end('SIGTERM');
    expect(code).not.toBe(0);
    expect(tookMs).toBeLessThan(quicklyMs);
  });
});

function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  return new Promise(resolve => socket.on('close', () => resolve(text)));
}

async function refused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  return new Promise(resolve => {
    socket.on('error', () => resolve(true));
    socket.on('connect', () => resolve(false));
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setImmediate(resolve));
}
