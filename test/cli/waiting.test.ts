import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';

/** A program that accepts connections and never answers. */
let frozen: Server;
let sockets: Socket[];
let host: string;

beforeEach(async () => {
  sockets = [];
  frozen = createServer(socket => sockets.push(socket.on('error', () => {}).resume())).listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  host = `127.0.0.1:${(frozen.address() as AddressInfo).port}`;
});
afterEach(thaw);

/** Ends what waits. */
function thaw() {
  frozen.close();
  for (const socket of sockets) socket.destroy();
}

/** Runs a command against the frozen program, until it waits. */
async function start(args: readonly string[], isTTY: boolean) {
  const clock = new VirtualClock(0);
  let stderr = '';
  const connected = once(frozen, 'connection');
  const ended = rallypoint(args, {
    clock,
    stdout: { write: () => {} },
    stderr: { isTTY, write: text => (stderr += text) },
    environment: {
      RALLYPOINT_CONTROL_URL: `http://${host}/control`,
      RALLYPOINT_CONTROL_TOKEN: 'a-control-token',
      RALLYPOINT_BASE_URL: `http://${host}`,
      RALLYPOINT_APPLICATION_ID: '1',
      RALLYPOINT_BOT_TOKEN: 'a-bot-token',
    },
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  });
  await connected;
  return { clock, ended, stderr: () => stderr };
}

const control = ['users', 'lobbies', 'token ada', 'clock show', 'fault list', 'logs', 'logs -f', 'use /rally'];

describe('a command at a terminal', () => {
  it.each([
    ...control.map(args => [args, 'the service at http://HOST/control']),
    ['commands show', 'the service at http://HOST'],
    ['commands pull', 'the service at http://HOST'],
    ['commands show --locale de', 'the service at http://HOST'],
    ['migrate --store postgres://me:hunter2@HOST/x', 'the database'],
    ['backup /nowhere/x --store postgres://me:hunter2@HOST/x', 'the database'],
    ['doctor --store postgres://me:hunter2@HOST/x', 'the database'],
  ])('"rallypoint %s" says once, after 2 s, that it waits for %s', async (args, what) => {
    const { clock, ended, stderr } = await start(args.replace('HOST', host).split(' '), true);
    await clock.advance(1_999);
    expect(stderr()).toBe('');
    await clock.advance(1);
    const told = `Waiting for ${what.replace('HOST', host)}.\n`;
    expect(stderr()).toBe(told);
    await clock.advance(60_000);
    expect(stderr()).toBe(told);
    thaw();
    expect(await ended).toBe(1);
  });
});

describe('a command whose stderr is not a terminal', () => {
  it.each([...control, 'commands show', 'migrate --store postgres://HOST/x'])(
    '"rallypoint %s" says nothing while it waits',
    async args => {
      const { clock, ended, stderr } = await start(args.replace('HOST', host).split(' '), false);
      await clock.advance(60_000);
      expect(stderr()).toBe('');
      thaw();
      expect(await ended).toBe(1);
    },
  );
});
