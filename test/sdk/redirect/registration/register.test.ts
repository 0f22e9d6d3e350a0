import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registerScheme, unregisterScheme } from '../../../../src/sdk/redirect/registration/register.ts';
import type { RegisterOptions } from '../../../../src/sdk/redirect/registration/registrar.ts';
import { register, systemParts, unregister } from '../../../../src/sdk/redirect/registration/registrar.ts';
import { needs, type Part } from '../../../support/runs/parts.ts';
import { openAddress, partsWithout, privateDesktop } from '../desktop.ts';
import { addressFor, eventually, scheme, shortFolder, startGame } from '../games.ts';

afterEach(() => vi.unstubAllEnvs());

/** A "game" that only writes down the last argument it was started with. */
function recorder(folder: string) {
  const file = join(folder, 'started with');
  const game = { path: '/bin/sh', args: ['-c', 'printf %s "$1" > "$0.new" && mv "$0.new" "$0"', file] };
  return {
    game,
    address: () => eventually(async () => readFileSync(file, 'utf8')),
    wasStarted: () => existsSync(file),
  };
}

const linux = await needs('linux');
const desktop: readonly Part[] = ['linux', 'desktop-tools'];
const onDesktop = await needs(...desktop);
const means = [
  ['the addon and the forwarder', [], await needs(...desktop, 'addon', 'forwarder')],
  ['xdg-mime and the forwarder', ['addon'], await needs(...desktop, 'forwarder')],
  ['the addon alone', ['forwarder'], await needs(...desktop, 'addon')],
  ['xdg-mime alone', ['addon', 'forwarder'], onDesktop],
] as const;

describe.each(means)('a scheme registered by %s', (what, lacking, { missing, note: reason }) => {
  const test = it.skipIf(missing);
  const rest = { name: 'Starfall', scheme } as const;

  test(`starts the game with the address, byte for byte, when it does not run (${what})${reason}`, async () => {
    const home = privateDesktop();
    const { game, address } = recorder(home);
    const registered = await register({ ...rest, game, folder: join(home, 's') }, partsWithout(...lacking));
    expect(registered).toMatchObject({
      scheme,
      redirectUri: 'discord-1:/authorize/callback',
      id: 'rallypoint-discord-1.desktop',
      through: what.includes('forwarder') ? 'forwarder' : 'game',
      by: what.includes('addon') ? 'addon' : 'xdg-mime',
    });
    const opened = `${addressFor('a%20b%2Fc')}&x='"$HOME\`%&y=ä`;
    await openAddress(opened);
    expect(await address()).toBe(opened);
  });

  test(`hands the address to the game that runs (${what})${reason}`, async () => {
    const home = privateDesktop();
    const folder = join(home, 's');
    const program = join(import.meta.dirname, '../game.ts');
    const game = { path: process.execPath, args: [program, folder, '--one-window'] };
    await register({ ...rest, game, folder }, partsWithout(...lacking));
    const running = startGame(folder);
    await running.next('listening');
    await running.tell('wait s1');
    await openAddress(addressFor('s1'));
    expect(await running.next('accepted')).toMatchObject({ event: 'accepted' });
  });

  test(`is registered once, however often, and can be taken back (${what})${reason}`, async () => {
    const home = privateDesktop();
    const { game, wasStarted } = recorder(home);
    const parts = partsWithout(...lacking);
    for (let i = 0; i < 3; i++) await register({ ...rest, game }, parts);
    expect(readdirSync(join(home, 'data', 'applications')).filter(name => name.endsWith('.desktop'))).toEqual([
      'rallypoint-discord-1.desktop',
    ]);
    const list = readFileSync(join(home, 'config', 'mimeapps.list'), 'utf8');
    expect(list.match(/rallypoint-discord-1\.desktop/g)).toHaveLength(1);
    await unregister({ scheme }, parts);
    await unregister({ scheme }, parts);
    expect(readFileSync(join(home, 'config', 'mimeapps.list'), 'utf8')).not.toContain('discord-1');
    await openAddress(addressFor('s')).catch(() => {});
    expect(wasStarted()).toBe(false);
  });

  test(`does not touch other registrations, nor an entry of that name for another scheme (${what})${reason}`, async () => {
    const home = privateDesktop();
    mkdirSync(join(home, 'config'));
    const list = join(home, 'config', 'mimeapps.list');
    const others = '[Default Applications]\ntext/html=firefox.desktop\nx-scheme-handler/discord-10=other.desktop\n';
    writeFileSync(list, others);
    await register({ ...rest, game: recorder(home).game }, partsWithout(...lacking));
    await unregister({ scheme }, partsWithout(...lacking));
    for (const line of others.split('\n')) expect(readFileSync(list, 'utf8')).toContain(line);
  });
});

describe('registerScheme', () => {
  const game = { path: process.execPath };
  const options = { applicationId: '1', name: 'Starfall', game };

  it.skipIf(onDesktop.missing)(`has the default scheme of an application${onDesktop.note}`, async () => {
    privateDesktop();
    expect(await registerScheme(options)).toMatchObject({ scheme: 'discord-1' });
    await unregisterScheme({ applicationId: 1n });
  });

  it.each<[string, Partial<RegisterOptions>]>([
    ['missing_scheme', { applicationId: undefined }],
    ['invalid_scheme', { scheme: 'https' }],
    ['invalid_scheme', { scheme: '1game' }],
    ['invalid_scheme', { scheme: '../game' }],
    ['invalid_scheme', { scheme: 'my game' }],
    ['invalid_snowflake', { applicationId: '-1' }],
    ['invalid_folder', { folder: 'sockets' }],
    ['invalid_name', { name: '' }],
    ['invalid_name', { name: 'a\nExec=/bin/evil' }],
    ['invalid_name', { name: 'x'.repeat(101) }],
    ['invalid_game', { game: { path: 'game' } }],
    ['invalid_game', { game: { path: '/nonexistent/game' } }],
    ['invalid_game', { game: { path: process.execPath, args: ['a\nb'] } }],
    ['invalid_game', { game: undefined as unknown as RegisterOptions['game'] }],
  ])('refuses with %s: %j', async (code, wrong) => {
    await expect(registerScheme({ ...options, ...wrong })).rejects.toMatchObject({ name: 'ArgumentError', code });
  });

  it('refuses calls without options', async () => {
    const refused = { name: 'ArgumentError', code: 'invalid_argument' };
    for (const call of [registerScheme, unregisterScheme]) {
      await expect(call(undefined as never)).rejects.toMatchObject(refused);
    }
  });

  it.each(['win32', 'darwin'] as const)('says what to do on %s without the addon', async platform => {
    const parts = partsWithout('addon');
    const elsewhere = { ...parts, machine: { ...parts.machine, platform } };
    await expect(register({ ...options, bundleId: 'org.example.game' }, elsewhere)).rejects.toMatchObject({
      name: 'RedirectError',
      code: 'registration_unavailable',
      message: expect.stringContaining('not looked for'),
    });
  });

  it('requires bundleId on macOS', async () => {
    const parts = systemParts();
    const on = (platform: NodeJS.Platform, by: unknown[]) => ({
      machine: { ...parts.machine, platform, userName: 'Ada Lovelace' },
      findForwarder: async () => ({ path: 'C:\\rp\\rallypoint-forwarder.exe' }),
      loadNative: async () => ({
        addon: {
          tryLock: () => undefined,
          handlerOf: () => undefined,
          registerScheme: (registration: unknown) => void by.push(registration),
          unregisterScheme: (...call: unknown[]) => void by.push(call),
        },
      }),
    });
    await expect(register(options, on('darwin', []))).rejects.toMatchObject({ code: 'missing_bundle_id' });
    const calls: unknown[] = [];
    await register({ ...options, game: { ...game, args: ['.'] } }, on('win32', calls));
    await unregister(options, on('win32', calls));
    const pipe = '\\\\.\\pipe\\rallypoint-Ada_Lovelace-discord-1';
    const command = ['C:\\rp\\rallypoint-forwarder.exe', pipe, process.execPath, '.'];
    expect(calls).toEqual([
      { scheme: 'discord-1', id: 'Rallypoint.discord-1', name: 'Starfall', command },
      ['discord-1', 'Rallypoint.discord-1'],
    ]);
  });

  it.skipIf(linux.missing)(`rejects when xdg-mime is not installed${linux.note}`, async () => {
    privateDesktop();
    vi.stubEnv('PATH', shortFolder());
    await expect(register(options, partsWithout('addon', 'forwarder'))).rejects.toMatchObject({
      code: 'registration_failed',
      message: expect.stringContaining('install xdg-utils'),
    });
  });
});
