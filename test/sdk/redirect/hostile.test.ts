import { readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForRedirects } from '../../../src/sdk/redirect/listen.ts';
import {
  connectionMsMax,
  connectionsMax,
  windowAnswerMsMax,
  windowsMax,
} from '../../../src/sdk/redirect/redirect-server.ts';
import type { Clock } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { addressFor, eventually, forward, scheme, shortFolder, socketIn, visit } from './games.ts';

/** A game in this process that waits for `state`. */
async function game(state = 's', { folder = shortFolder(), clock }: { folder?: string; clock?: Clock } = {}) {
  const handed: string[] = [];
  const unclaimed: string[] = [];
  const client = {
    handleRedirect(address: string) {
      handed.push(address);
      return address === addressFor(state);
    },
  };
  const onUnclaimed = (address: string) => void unclaimed.push(address);
  const receiver = await listenForRedirects({ client, scheme, folder, argv: [], clock, onUnclaimed });
  onTestFinished(() => receiver.close());
  return { handed, unclaimed, receiver, folder, path: socketIn(folder) };
}

/** A connection that says nothing of its own accord. */
async function open(path: string, said = ''): Promise<Socket & { isGone(): boolean }> {
  const socket = connect({ path, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  let isGone = false;
  const gone = () => {
    isGone = true;
  };
  socket.once('end', gone).once('close', gone);
  await new Promise(resolve => socket.once('connect', resolve));
  if (said !== '') socket.write(said);
  return Object.assign(socket, { isGone: () => isGone });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve));
}

/** An address of that many bytes. */
function addressOf(bytes: number): string {
  return addressFor('x').padEnd(bytes, 'x');
}

describe('what a client sends', () => {
  it('is read up to 8,192 bytes', async () => {
    const { path, handed } = await game();
    expect(await forward(path, addressOf(8192))).toBe('refused');
    expect(handed).toEqual([addressOf(8192)]);
    expect(await forward(path, addressOf(8193))).toBe('refused');
    expect(await visit(path, 'x'.repeat(1_000_000))).toMatch(/^(refused\n)?$/);
    expect(handed).toHaveLength(1);
  });

  it.each([
    ['nothing', '\n'],
    ['another scheme', 'discord-10:/authorize/callback?code=c&state=s\n'],
    ['a word of windows', 'accepted\n'],
    ['a web address', `https://127.0.0.1/?${addressFor('s')}\n`],
    ['a control character', `${addressFor('s')}\u0000\n`],
    ['a carriage return', `${addressFor('s')}\r\n`],
    ['no UTF-8', Buffer.concat([Buffer.from(addressFor('s')), Buffer.from([0xff, 0x0a])])],
    ['half a character', Buffer.concat([Buffer.from(addressFor('s')), Buffer.from([0xc3, 0x0a])])],
  ])('is refused without asking the game when it is %s', async (_what, said) => {
    const { path, handed } = await game();
    expect(await visit(path, said)).toBe('refused\n');
    expect(handed).toEqual([]);
  });

  it('may come byte by byte', async () => {
    const { path, handed } = await game();
    const visitor = await open(path);
    for (const letter of `${addressFor('s')}\n`) {
      visitor.write(letter);
      await new Promise(resolve => setImmediate(resolve));
    }
    await until(() => visitor.isGone());
    expect(handed).toEqual([addressFor('s')]);
  });

  it('counts up to its first line', async () => {
    const { path, handed } = await game();
    expect(await visit(path, `${addressFor('a')}\n${addressFor('s')}\njoin\n`)).toBe('refused\n');
    expect(handed).toEqual([addressFor('a')]);
  });

  it('is answered although the client has ended its side', async () => {
    const { path, folder } = await game('one');
    const { receiver } = await game('two', { folder });
    expect(receiver.isFirstInstance).toBe(false);
    const visitor = connect({ path, allowHalfOpen: true }, () => visitor.end(`${addressFor('two')}\n`));
    let answer = '';
    visitor.on('data', chunk => {
      answer += chunk;
    });
    await new Promise(resolve => visitor.once('close', resolve));
    expect(answer).toBe('accepted\n');
  });
});

describe('an address that no window waited for', () => {
  it('is only reported to the first instance', async () => {
    const first = await game('first');
    const second = await game('second', { folder: first.folder });
    for (const said of [
      addressFor('late'),
      addressFor('first'),
      addressFor('second'),
      'https://example.com',
      'join ',
    ]) {
      await visit(first.path, `${said}\n`);
    }
    expect(await visit(first.path, `${addressFor('later')}\n`)).toBe('refused\n');
    await until(() => first.unclaimed.length > 1);
    expect(first.unclaimed).toEqual([addressFor('late'), addressFor('later')]);
    expect(second.unclaimed).toEqual([]);
  });
});

describe('bounds', () => {
  it(`let a silent visitor stay below ${connectionMsMax} ms, and no longer`, async () => {
    const clock = new VirtualClock(0);
    const { path } = await game('s', { clock });
    const [silent, halfway] = [await open(path), await open(path, 'discord-1:/')];
    expect(await forward(path, addressFor('s'))).toBe('accepted');
    await clock.advance(connectionMsMax - 1);
    expect(await forward(path, addressFor('s'))).toBe('accepted');
    expect([silent.isGone(), halfway.isGone()]).toEqual([false, false]);
    await clock.advance(1);
    await until(() => silent.isGone() && halfway.isGone());
  });

  it(`let ${connectionsMax} connections in concurrently, and drop one more`, async () => {
    const { path } = await game('s', { clock: new VirtualClock(0) });
    const visitors: Socket[] = [];
    for (let i = 0; i < connectionsMax - 1; i++) visitors.push(await open(path));
    expect(await forward(path, addressFor('s'))).toBe('accepted');
    visitors.push(await open(path));
    expect(await forward(path, addressFor('s')).catch(() => '')).toBe('');
    visitors.pop()?.destroy();
    let answer = '';
    while (answer === '') answer = await forward(path, addressFor('s')).catch(() => '');
    expect(answer).toBe('accepted');
  });

  it(`let ${windowsMax} windows join, and one more not`, async () => {
    const { path } = await game('s', { clock: new VirtualClock(0) });
    const windows = [];
    for (let i = 0; i < windowsMax; i++) windows.push(await open(path, 'join\n'));
    const oneMore = await open(path, 'join\n');
    await until(() => oneMore.isGone());
    expect(windows.some(window => window.isGone())).toBe(false);
    expect(await forward(path, addressFor('s'))).toBe('accepted');
  });

  it('let a window go that does not answer in time, and one that answers unasked', async () => {
    const clock = new VirtualClock(0);
    const { path } = await game('s', { clock });
    const [silent, chatty] = [await open(path, 'join\n'), await open(path, 'join\naccepted\n')];
    await until(() => chatty.isGone());
    const answer = forward(path, addressFor('elsewhere'));
    await new Promise(resolve => silent.once('data', resolve));
    await clock.advance(windowAnswerMsMax - 1);
    expect(silent.isGone()).toBe(false);
    await clock.advance(1);
    expect(await answer).toBe('refused');
    await until(() => silent.isGone());
  });

  it('do not affect a window that answers while another one hangs', async () => {
    const { path, folder } = await game('one', { clock: new VirtualClock(0) });
    const hanging = await open(path, 'join\n');
    await game('two', { folder });
    expect(await forward(path, addressFor('two'))).toBe('accepted');
    expect(hanging.isGone()).toBe(false);
  });
});

describe('a socket that another program deleted', () => {
  it('is there again within a minute', async () => {
    const clock = new VirtualClock(0);
    const { path } = await game('s', { clock });
    rmSync(path);
    await expect(forward(path, addressFor('s'))).rejects.toThrow('ENOENT');
    await clock.advance(60_000);
    expect(await forward(path, addressFor('s'))).toBe('accepted');
  });

  it('is joined when another game has taken the place, which closing leaves alone', async () => {
    const clock = new VirtualClock(0);
    const { path, folder, receiver } = await game('one', { clock });
    rmSync(path);
    expect((await game('two', { folder })).receiver.isFirstInstance).toBe(true);
    await clock.advance(60_000);
    await eventually(async () => (await forward(path, addressFor('one'))) === 'accepted' || undefined);
    receiver.close();
    expect(await forward(path, addressFor('two'))).toBe('accepted');
  });

  it('is left to the game that took the place, when the first one closes', async () => {
    const { path, folder, receiver } = await game('one');
    rmSync(path);
    await game('two', { folder });
    receiver.close();
    expect(await forward(path, addressFor('two'))).toBe('accepted');
  });
});

describe('10,000 hostile connections', () => {
  const garbage = [
    '',
    '\n',
    'join\n',
    'join\nrefused\naccepted\n',
    'x'.repeat(20_000),
    `${addressFor('forged')}\n`,
    `${addressFor('forged')}`,
    Buffer.from([0, 0xff, 0xfe, 0x0a, 0x0a]),
  ];

  it('leave nothing behind, and the game continues waiting', async () => {
    const { path, receiver } = await game();
    const attack = (said: string | Uint8Array) =>
      new Promise<void>(resolve => {
        const socket = connect({ path }, () => (said === '' ? socket.destroy() : socket.end(said)));
        socket
          .on('error', () => {})
          .on('close', () => resolve())
          .resume();
      });
    const openFiles = () => readdirSync('/proc/self/fd').length;
    await forward(path, addressFor('forged'));
    const before = openFiles();
    for (let done = 0; done < 10_000; done += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => attack(garbage[(done + i) % garbage.length] ?? '')));
    }
    expect(await forward(path, addressFor('s'))).toBe('accepted');
    await until(() => openFiles() <= before);
    await receiver[Symbol.asyncDispose]();
    expect(process.getActiveResourcesInfo().filter(name => name === 'PipeServerWrap')).toEqual([]);
  });
});
