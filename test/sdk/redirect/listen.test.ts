import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listenForRedirects } from '../../../src/sdk/redirect/listen.ts';
import { needs } from '../../support/runs/parts.ts';
import { addressFor, eventually, forward, kill, shortFolder, socketIn, startGame } from './games.ts';

const root = await needs('root');

describe('one game', () => {
  it('accepts the address that it waits for', async () => {
    const folder = shortFolder();
    const game = startGame(folder);
    expect(await game.next('listening')).toMatchObject({ isFirst: true, startAddress: null });
    await game.tell('wait s1');
    expect(await forward(socketIn(folder), addressFor('forged'))).toBe('refused');
    expect(await forward(socketIn(folder), addressFor('s1'))).toBe('accepted');
    expect(await forward(socketIn(folder), addressFor('s1'))).toBe('refused');
    await game.next('accepted');
  });

  it('listens on a socket that only this user can access', async () => {
    const folder = join(shortFolder(), 'deep', 'er');
    const game = startGame(folder);
    await game.next('listening');
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    expect(lstatSync(socketIn(folder)).mode & 0o777).toBe(0o600);
    await game.tell('close');
    expect(existsSync(socketIn(folder))).toBe(false);
  });

  it('keeps the address of its start until an authorization waits for it', async () => {
    const address = addressFor('s1');
    const game = startGame(shortFolder(), ['--flag', address, 'https://elsewhere.example']);
    expect(await game.next('listening')).toMatchObject({ isFirst: true, startAddress: address });
  });
});

describe('the place', () => {
  it('replaces the socket of a process that died', async () => {
    const folder = shortFolder();
    const first = startGame(folder);
    await first.next('listening');
    await kill(first);
    expect(existsSync(socketIn(folder))).toBe(true);
    const second = startGame(folder);
    expect(await second.next('listening')).toMatchObject({ isFirst: true });
    await second.tell('wait s');
    expect(await forward(socketIn(folder), addressFor('s'))).toBe('accepted');
  });

  it('does not touch the socket of another program that listens', async () => {
    const folder = shortFolder();
    const server = createServer();
    await new Promise<void>(resolve => server.listen(socketIn(folder), resolve));
    const before = lstatSync(socketIn(folder)).ino;
    expect(await startGame(folder).next('listening')).toMatchObject({ isFirst: false });
    expect(lstatSync(socketIn(folder)).ino).toBe(before);
    server.close();
  });

  it.each([
    ['open to others', (path: string) => chmodSync(path, 0o750)],
    ['a symbolic link', (path: string) => linkInstead(path)],
    ['a file', (path: string) => fileInstead(path)],
  ])('is refused by name when the folder is %s', async (_what, make) => {
    const folder = join(shortFolder(), 'sockets');
    mkdirSync(folder, { mode: 0o700 });
    make(folder);
    expect(await startGame(folder).next('failed')).toMatchObject({ code: 'folder_not_private' });
    expect(existsSync(socketIn(folder))).toBe(false);
  });

  it.each(['', '.lock'])('says so when something else is in the way (%s)', async ending => {
    const folder = shortFolder();
    mkdirSync(`${socketIn(folder)}${ending}`);
    // Where there is no addon, the lock is another file.
    if (ending !== '') mkdirSync(`${socketIn(folder)}${ending}.sqlite`);
    expect(await startGame(folder).next('failed')).toMatchObject({
      code: 'cannot_listen',
      message: expect.stringContaining(socketIn(folder)),
    });
  });

  it('is rejected when it is no absolute path, and nothing is created', async () => {
    const client = { handleRedirect: () => false };
    for (const folder of ['relative', '', './x']) {
      await expect(listenForRedirects({ client, scheme: 'game', folder })).rejects.toMatchObject({
        name: 'ArgumentError',
        code: 'invalid_folder',
      });
    }
    expect(existsSync('relative')).toBe(false);
    for (const options of [undefined, null, { scheme: 'game' }] as never[]) {
      await expect(listenForRedirects(options)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('is rejected when its path is too long for a socket', async () => {
    const base = shortFolder();
    const room = 99 - Buffer.byteLength(socketIn(base)) - 1;
    expect(await startGame(join(base, 'x'.repeat(room + 1))).next('failed')).toMatchObject({
      code: 'socket_path_too_long',
    });
    expect(await startGame(join(base, 'x'.repeat(room))).next('listening')).toMatchObject({ isFirst: true });
  });
});

describe('other users, and other rights of the same person', () => {
  const nobody = 65_534;
  const asRoot = it.skipIf(root.missing);
  const reason = root.note;

  asRoot(`the folder of somebody else is refused by name${reason}`, async () => {
    const folder = shortFolder();
    chownSync(folder, nobody, nobody);
    expect(await startGame(folder).next('failed')).toMatchObject({
      code: 'folder_not_private',
      message: expect.stringContaining(`belongs to user ${nobody}`),
    });
  });

  asRoot(`a copy of the game that runs elevated cannot be reached, and that is said by name${reason}`, async () => {
    const folder = shortFolder();
    const elevated = createServer();
    await new Promise<void>(resolve => elevated.listen(socketIn(folder), resolve));
    chmodSync(socketIn(folder), 0o600);
    chownSync(folder, nobody, nobody);
    const game = startGame(folder, [], { uid: nobody });
    expect(await game.next('failed')).toMatchObject({ code: 'listener_not_ours' });
    expect(lstatSync(socketIn(folder)).uid).toBe(0);
    elevated.close();
  });

  asRoot(`a game that runs elevated itself is told that no redirect can reach it${reason}`, async () => {
    const sudo = startGame(shortFolder(), [], { environment: { SUDO_UID: '1000' } });
    expect(await sudo.next('failed')).toMatchObject({
      code: 'elevated',
      message: expect.stringMatching(/SUDO_UID.*loopback/),
    });
    const session = shortFolder();
    chownSync(session, nobody, nobody);
    const su = startGame(shortFolder(), [], { environment: { XDG_RUNTIME_DIR: session } });
    expect(await su.next('failed')).toMatchObject({ code: 'elevated' });
  });
});

describe('two copies of the game', () => {
  it('one becomes the first when two start at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const folder = shortFolder();
      const games = Array.from({ length: 4 }, () => startGame(folder));
      const ranks = await Promise.all(games.map(game => game.next('listening')));
      expect(ranks.filter(({ isFirst }) => isFirst)).toHaveLength(1);
    }
  });

  it('the second passes the address of its start to the first', async () => {
    const folder = shortFolder();
    const first = startGame(folder);
    await first.next('listening');
    await first.tell('wait s1');
    const second = startGame(folder, [addressFor('s1')]);
    expect(await second.next('listening')).toMatchObject({ isFirst: false, startAddress: null });
    await first.next('accepted');
  });

  it('the window that waits receives the address', async () => {
    const folder = shortFolder();
    const [first, second, third] = [startGame(folder), startGame(folder), startGame(folder)];
    await Promise.all([first, second, third].map(game => game.next('listening')));
    await third.tell('wait s3');
    await eventually(async () => (await forward(socketIn(folder), addressFor('s3'))) === 'accepted' || undefined);
    await third.next('accepted');
    expect(await forward(socketIn(folder), addressFor('s3'))).toBe('refused');
  });

  it('one window after the other takes over', async () => {
    const folder = shortFolder();
    const games = Array.from({ length: 6 }, () => startGame(folder));
    await Promise.all(games.map(game => game.next('listening')));
    const last = games.at(-1);
    await last?.tell('wait s');
    for (const game of games.slice(0, -1)) {
      expect(await eventually(() => forward(socketIn(folder), addressFor('forged')))).toBe('refused');
      await kill(game);
    }
    expect(
      await eventually(async () => {
        const answer = await forward(socketIn(folder), addressFor('s'));
        return answer === 'accepted' ? answer : undefined;
      }),
    ).toBe('accepted');
  });

  it.each(['close', 'kill'])('a window that waits takes the place of the first when that ends (%s)', async how => {
    const folder = shortFolder();
    const first = startGame(folder);
    await first.next('listening');
    const second = startGame(folder);
    await second.next('listening');
    await second.tell('wait s2');
    if (how === 'kill') await kill(first);
    else await first.tell('close');
    expect(
      await eventually(async () => {
        const answer = await forward(socketIn(folder), addressFor('s2'));
        return answer === 'accepted' ? answer : undefined;
      }),
    ).toBe('accepted');
    await second.next('accepted');
  });
});

function linkInstead(folder: string): void {
  renameSync(folder, `${folder}-2`);
  symlinkSync(`${folder}-2`, folder);
}

function fileInstead(path: string): void {
  rmdirSync(path);
  writeFileSync(path, '');
}
