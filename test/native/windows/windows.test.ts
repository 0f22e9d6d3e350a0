import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { digest } from '../../../src/sdk/keychain/names.ts';
import { forwarderAgreement, forwarderAnswers, forwarderExitCodes } from '../../../src/sdk/native/forwarder.ts';
import type { Finding } from '../../../src/sdk/redirect/doctor/finding.ts';
import { startService } from '../../../src/service/index.ts';
import { buildProgram, deaths } from '../../support/keychain/credential-crowd.ts';
import { starfall } from '../../support/service/starfall.ts';
import { root } from '../built.ts';
import type { Game, HandedOver, HandOver } from './inside/forwarder.ts';
import { built, Windows, windowsNeeds, windowsPath, wineEnded } from './windows.ts';

const scheme = 'discord-1';
const address = `${scheme}:/authorize/callback?code=a%20b&state='"$HOME\`id\`;|&*~#\\größer ✨`;
const { addressBytesMax, answerMsMax } = forwarderAgreement;
const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

// A test during which Wine's server crashed is always retried; other failures are retried only if the whole run retries.
const retry = process.env.RALLYPOINT_TEST_RETRIES ? undefined : { count: 2, condition: new RegExp(wineEnded) };

describe.skipIf(windowsNeeds.missing)(`on Windows, by Wine${windowsNeeds.note}`, { ...(retry && { retry }) }, () => {
  let windows: Windows;
  let folders = 0;

  beforeAll(async () => {
    windows = await Windows.start();
  }, 120_000);
  // What stands still would let every further test wait.
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await windows.restart();
  }, 120_000);
  afterAll(() => windows.close());

  /** A new folder, as Windows names it. */
  const folder = () => {
    const path = join(windows.folder, `f ö${folders++}`);
    mkdirSync(path);
    return windowsPath(path);
  };

  describe('the forwarder', () => {
    const handOver = (asked: HandOver) => windows.call<HandedOver>('forwarder', 'handOver', asked);
    const hand = (game: Game | undefined, ...addresses: readonly string[]) =>
      handOver({ ...(game && { game }), addresses });
    const saying = (answer: string): Game => ({ writes: [`${answer}\n`] });
    // The time depends on the machine, but is less than the wait for an answer everywhere.
    const silence: Game = { writes: [], stays: true };

    it('says its version when it is started from a terminal', async () => {
      const { stdout } = await windows.run('wine', join(built, 'rallypoint-forwarder.exe'), '--version');
      expect(stdout).toBe(`rallypoint-forwarder ${version}\n`);
    });

    it.each(forwarderAnswers)('exits with the code of %s when the game answers it', async answer => {
      const { outcomes, received } = await hand(saying(answer), address);
      expect({ outcomes, received }).toEqual({ outcomes: [answer], received: [`${address}\n`] });
    });

    it('delivers every character that a line can have', async () => {
      const ascii = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)).join('');
      const text = `${scheme}:${ascii}é€𐍈\u00a0`;
      expect((await hand(saying('accepted'), text)).received).toEqual([`${text}\n`]);
    });

    it('reads an answer that arrives in pieces, and nothing after it', async () => {
      expect((await hand({ writes: ['acce', 'pted\nrefused\n'] }, address)).outcomes).toEqual(['accepted']);
    });

    it('starts no second game, and writes no address to the terminal', async () => {
      const game = saying('refused');
      const { outcomes, stdout, stderr } = await handOver({
        game,
        program: 'C:\\windows\\hh.exe',
        addresses: [address],
      });
      expect(outcomes).toEqual(['refused']);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^rallypoint-forwarder: [^\n]*\n$/);
      expect(stderr).not.toContain('authorize');
    });

    it('accepts an address up to the bound in bytes', async () => {
      const start = `${scheme}:/`;
      const texts = [addressBytesMax - 1, addressBytesMax, addressBytesMax + 1].map(
        bytes => start + 'x'.repeat(bytes - start.length),
      );
      const { outcomes, received } = await hand(saying('accepted'), ...texts, start + '✨'.repeat(addressBytesMax / 3));
      expect(outcomes).toEqual(['accepted', 'accepted', 'usage', 'usage']);
      expect(received).toHaveLength(2);
    });

    // More than a pipe has instances. With 8, Wine's server ended in one of ten attempts.
    it('is one line each when 6 deliver concurrently', async () => {
      const texts = Array.from({ length: 6 }, (_, index) => `${scheme}:/${index}-${'x'.repeat(8000)}`);
      const { outcomes, received } = await hand(saying('accepted'), ...texts);
      expect(outcomes).toEqual(texts.map(() => 'accepted'));
      expect(received.toSorted()).toEqual(texts.map(text => `${text}\n`).toSorted());
    });

    it('sends and starts nothing for an invalid address', async () => {
      const texts = [
        '',
        'no scheme',
        ':',
        'x:/',
        'C:\\Windows',
        '1ab:/x',
        '--help',
        'größer:/x',
        'ab:\n',
        'ab:/\t',
        'ab:/\u0085',
      ];
      const asked = { game: saying('accepted'), program: 'C:\\windows\\hh.exe', addresses: texts };
      const { outcomes, received } = await handOver(asked);
      expect(outcomes).toEqual(texts.map(() => 'usage'));
      expect(received).toEqual([]);
    });

    it.each([
      [[]],
      [['\\\\.\\pipe\\x', address]],
      [['C:\\socket', 'C:\\windows\\hh.exe', address]],
      [['\\\\elsewhere\\pipe\\x', 'C:\\windows\\hh.exe', address]],
      [['\\\\.\\pipe\\', 'C:\\windows\\hh.exe', address]],
    ])('sends nothing to what is no pipe of this machine, and wants a program and an address: %j', async args => {
      expect((await windows.call<{ outcome: string }>('forwarder', 'run', args)).outcome).toBe('usage');
    });

    it('starts the game with its arguments and the address behind them when no game listens', async () => {
      const args = ['a b', '', '"', '\\', 'a\\"b\\\\', '%PATH%', '^&|<>', '*', 'größer ✨', '--flag'];
      const { outcome, started } = await windows.call<HandedOver & { outcome: string; started: { args: string[] } }>(
        'forwarder',
        'start',
        args,
        address,
      );
      expect(outcome).toBe('started');
      expect(started.args).toEqual([...args, address]);
    });

    it('ends with its own code when there is no game to start', async () => {
      const { outcomes, stderr } = await hand(undefined, address);
      expect(outcomes).toEqual(['not_started']);
      expect(stderr).not.toContain('authorize');
    });

    it('ends at once when the game closes, or says something else than an answer', async () => {
      const others = [[], ['banana\n'], [`${'accepted'.repeat(1000)}\n`], ['accepted'], ['Accepted\n']];
      const games = others.map(writes => ({ writes }));
      const [silent, ...ended] = await Promise.all([silence, ...games].map(game => hand(game, address)));
      for (const [index, { outcomes, ms }] of ended.entries()) {
        expect(outcomes, JSON.stringify(others[index])).toEqual(['no_answer']);
        expect(ms, JSON.stringify(others[index])).toBeLessThan(silent?.ms ?? 0);
      }
    });

    it('waits as long as agreed for a game that listens and is silent, and ends', async () => {
      const { outcomes, ms, received } = await hand(silence, address);
      expect(outcomes).toEqual(['no_answer']);
      expect(ms).toBeGreaterThan(answerMsMax - 50);
      expect(received).toEqual([`${address}\n`]);
    });

    it('does not wait for a game that hangs and accepts no connection', async () => {
      const { outcome, ms } = await windows.call<HandedOver & { outcome: string }>(
        'forwarder',
        'handOverToHung',
        address,
      );
      expect(outcome).toBe('no_answer');
      expect(ms).toBeLessThan((await hand(silence, address)).ms);
    });

    it('prints its exit codes', async () => {
      const { stdout } = await windows.call<{ stdout: string }>('forwarder', 'run', ['--help']);
      for (const [name, code] of Object.entries(forwarderExitCodes)) {
        expect(stdout).toContain(`${code} ${name.replaceAll('_', ' ')}`);
      }
    });
  });

  describe('the lock of the addon, in a program that is not called node.exe', () => {
    it('is taken once, in a process too, and is free after its release', async () => {
      expect(await windows.call('lock', 'takeInTurn', `${folder()}\\lock`)).toEqual({
        ...{ first: true, second: false, other: true },
        ...{ afterRelease: true, whileHeld: false },
      });
    });

    it('is denied while another process holds it, and free as soon as that is killed', async () => {
      expect(await windows.call('lock', 'killHolder', `${folder()}\\lock`)).toEqual([false, true]);
    });

    it('is held by one process at a time: 4 of them add to one number', async () => {
      expect(await windows.call('lock', 'count', `${folder()}\\lock`, 4, 25)).toBe('100');
    }, 60_000);

    it('throws the system’s error code, and prevents a locked file from being deleted', async () => {
      const { deleted, ...codes } = await windows.call<Record<string, string>>('lock', 'refusals', folder());
      expect(codes).toEqual({ nowhere: 'ENOENT', folder: 'EACCES', relative: 'invalid_path' });
      expect(['EBUSY', 'EPERM', 'EACCES']).toContain(deleted);
    });
  });

  describe('a scheme in the registry', () => {
    const key = `HKCU\\Software\\Classes\\${scheme}`;
    const query = async (...args: string[]) =>
      (await windows.run('wine', 'reg', 'query', ...args)).stdout.replaceAll('\r', '');
    const handler = () => windows.call<{ id: string; command: string } | null>('schemes', 'handlerOf', scheme);
    const register = async (more: object = {}) => {
      const path = await windows.call<string>('schemes', 'program');
      const game = { path, args: ['a b', 'c"d\\'] };
      return windows.call<object>('schemes', 'registerScheme', { scheme, name: 'Starfall', game, ...more });
    };
    const unregister = () => windows.call('schemes', 'unregisterScheme', { scheme });

    it('is registered for this user, with the forwarder; both again change nothing', async () => {
      expect(await handler()).toBeNull();
      expect(await register()).toMatchObject({ through: 'forwarder', by: 'addon', id: `Rallypoint.${scheme}` });
      const written = await query(key, '/s');
      expect(written).toContain('(Default)    REG_SZ    URL:Starfall');
      expect(written).toContain('URL Protocol    REG_SZ    \n');
      const pipe = `\\\\.\\pipe\\rallypoint-`;
      expect(written).toMatch(
        /rallypoint-forwarder\.exe" "\\\\\.\\pipe\\rallypoint-\w+-discord-1" ".*Starfall\.exe" "a b" "c\\"d\\\\" "%1"/,
      );
      expect(await handler()).toMatchObject({ id: `Rallypoint.${scheme}`, command: expect.stringContaining(pipe) });
      await register();
      expect(await query(key, '/s')).toBe(written);
    });

    it('is removed, and removing it again does nothing', async () => {
      await register();
      await unregister();
      await unregister();
      expect(await handler()).toBeNull();
      await expect(query(key)).rejects.toThrow();
    });

    it('is not touched when another program registered it', async () => {
      const command = `"${windowsPath(join(built, 'rallypoint-forwarder.exe'))}" "%1"`;
      await windows.run('wine', 'reg', 'add', key, '/v', 'URL Protocol', '/d', '', '/f');
      await windows.run('wine', 'reg', 'add', `${key}\\shell\\open\\command`, '/ve', '/d', command, '/f');
      expect(await handler()).toEqual({ id: scheme, command });
      await unregister();
      expect(await handler()).toEqual({ id: scheme, command });
      await windows.run('wine', 'reg', 'delete', key, '/f');
    });

    it('is the one of the machine where the user has none, and the person’s own choice before both', async () => {
      const machine = `HKLM\\Software\\Classes\\${scheme}`;
      const program = `"${windowsPath(join(built, 'rallypoint-forwarder.exe'))}"`;
      const choices = 'HKCU\\Software\\Microsoft\\Windows\\Shell\\Associations\\UrlAssociations';
      const open = 'shell\\open\\command';
      await windows.run('wine', 'reg', 'add', machine, '/v', 'URL Protocol', '/d', '', '/f');
      await windows.run('wine', 'reg', 'add', `${machine}\\${open}`, '/ve', '/d', `${program} machine`, '/f');
      expect(await handler()).toEqual({ id: scheme, command: `${program} machine` });
      await register();
      expect(await handler()).toMatchObject({ id: `Rallypoint.${scheme}` });
      await windows.run(
        'wine',
        'reg',
        'add',
        `HKCU\\Software\\Classes\\Other.1\\${open}`,
        '/ve',
        '/d',
        `${program} chosen`,
        '/f',
      );
      await windows.run(
        'wine',
        'reg',
        'add',
        `${choices}\\${scheme}\\UserChoice`,
        '/v',
        'ProgId',
        '/d',
        'Other.1',
        '/f',
      );
      expect(await handler()).toEqual({ id: 'Other.1', command: `${program} chosen` });
      await windows.run('wine', 'reg', 'delete', `${choices}\\${scheme}`, '/f');
      await windows.run('wine', 'reg', 'delete', machine, '/f');
      await unregister();
    });

    it('has no handler when the registered program is missing', async () => {
      await windows.run('wine', 'reg', 'add', key, '/v', 'URL Protocol', '/d', '', '/f');
      await windows.run(
        'wine',
        'reg',
        'add',
        `${key}\\shell\\open\\command`,
        '/ve',
        '/d',
        '"C:\\gone\\game.exe" "%1"',
        '/f',
      );
      expect(await handler()).toBeNull();
      await windows.run('wine', 'reg', 'delete', key, '/f');
    });
  });

  describe('redirects', () => {
    const addressFor = (state: string) => `${scheme}:/authorize/callback?code=a%20b&state=${state}`;
    const open = (state: string, ...argv: string[]) => windows.call<object>('redirect', 'open', state, argv);
    const pipe = () =>
      windows.call<{ command: string[] }>('schemes', 'registerScheme', {
        scheme,
        name: 'Starfall',
        game: { path: windowsPath(join(built, 'rallypoint-forwarder.exe')) },
      });

    it('come through the pipe to whichever window waits for them', async () => {
      const { command } = await pipe();
      expect(await open('one')).toEqual({
        ...{ isFirstInstance: true, startAddress: null, redirectUri: `${scheme}:/authorize/callback` },
      });
      expect(await open('two')).toMatchObject({ isFirstInstance: false });
      const forward = async (state: string) =>
        (await windows.call<{ outcome: string }>('forwarder', 'run', [...command.slice(1), addressFor(state)])).outcome;
      expect([await forward('one'), await forward('two'), await forward('three')]).toEqual([
        'accepted',
        'accepted',
        'refused',
      ]);
      expect(await windows.call('redirect', 'handedTo', 'two')).toEqual([addressFor('two')]);
      // The one it was started with goes to the window that waits for it, by the same pipe.
      expect(await open('later', addressFor('two'))).toMatchObject({ startAddress: null });
      expect(await windows.call('redirect', 'handedTo', 'two')).toHaveLength(2);
      await windows.call('redirect', 'closeAll');
    });

    it('come to the game when the system opens an address, as it was given', async () => {
      await pipe();
      await open('launched');
      // Windows shows the classes of the user and of the machine as one; this Wine starts those of the machine alone.
      const [own, machine] = ['HKCU', 'HKLM'].map(hive => `${hive}\\Software\\Classes\\${scheme}`) as [string, string];
      await windows.run('wine', 'reg', 'copy', own, machine, '/s', '/f');
      const launched = `${addressFor('launched')}&x='y;|*~(1)%s`;
      await windows.run('wine', 'start', '/wait', launched);
      expect(await windows.call('redirect', 'handedTo', 'launched')).toEqual([launched]);
      await windows.run('wine', 'reg', 'delete', machine, '/f');
      await windows.call('redirect', 'closeAll');
    });

    it('come to the window that joined a process which was killed', async () => {
      expect(await windows.call('redirect', 'outliveFirst', 'heir')).toEqual([false, true]);
      await windows.call('redirect', 'closeAll');
    }, 60_000);

    it('are found in order by rallypoint doctor, which names what is missing', async () => {
      const doctor = async () => {
        const ended = await windows.call<{ code: number; findings: Finding[] }>('schemes', 'runDoctor', scheme);
        const { code, findings } = ended;
        expect(code).toBe(1);
        return Object.fromEntries(findings.map(({ code, ok }) => [code, ok]));
      };
      await windows.call('schemes', 'unregisterScheme', { scheme });
      expect(await doctor()).toMatchObject({
        rights: true,
        addon: true,
        forwarder: true,
        registration: false,
        listener: true,
      });
      await pipe();
      await open('examined');
      expect(await doctor()).toEqual({
        ...{ rights: true, addon: true, forwarder: true, registration: true, handler_command: true },
        ...{ folder: true, listener: true, loopback: true },
        // No keychain library is installed there.
        keychain: false,
      });
      await windows.call('redirect', 'closeAll');
    });
  });

  describe('the file tier of the keychain', () => {
    it('keeps secrets in a folder that is named, whatever their accounts are called', async () => {
      expect(await windows.call('keychain', 'roundTrip', folder())).toEqual({
        ...{ backend: 'file', tier: 'encrypted-file' },
        kept: Array(7).fill(true),
        deleted: Array(7).fill([true, false]).flat(),
      });
    });

    it('keeps them in the user’s local data where no folder is named', async () => {
      expect(await windows.call('keychain', 'roundTrip')).toMatchObject({ kept: Array(7).fill(true) });
      expect(await windows.call('keychain', 'defaultFolders')).toContain(`keychain-${digest('Stärfall: 1*?')}`);
    });
  });

  it('twenty processes refresh a credential once per round, and the player stays signed in', async () => {
    const [application] = starfall.applications;
    const [ada] = starfall.users;
    const service = await startService({ fixtures: starfall, limits: 'off' });
    const program = windowsPath(await buildProgram(windows.folder));
    const { apiBase, webBase, controlBase, controlToken } = service;
    const rounds = deaths.length;
    const told = await windows.call('credentials', 'outlive', {
      ...{
        service: { apiBase, webBase, controlBase, controlToken },
        applicationId: application.id,
        userId: ada.id,
      },
      ...{ program, folder: folder(), lock: 'native', processes: 20, rounds },
    });
    await service.close();
    expect(told).toEqual(
      Array.from({ length: rounds }, (_, round) => ({
        ...{ isNew: true, others: [], id: ada.id, generation: round + 2, status: 'signed-in', lock: 'native' },
      })),
    );
  }, 300_000);
});
