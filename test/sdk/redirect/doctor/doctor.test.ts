import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { doctor } from '../../../../src/sdk/redirect/doctor/doctor.ts';
import { type Finding, type FindingCode, findingCodes } from '../../../../src/sdk/redirect/doctor/finding.ts';
import { registerScheme } from '../../../../src/sdk/redirect/registration/register.ts';
import { systemClock } from '../../../../src/wire/clock/ports.ts';
import { needs } from '../../../support/runs/parts.ts';
import { privateDesktop } from '../desktop.ts';
import { kill, scheme, shortFolder, socketIn, startGame } from '../games.ts';

afterEach(() => vi.unstubAllEnvs());

const game = { path: process.execPath };
const linux = await needs('linux');
const root = await needs('root');
const desktop = await needs('linux', 'desktop-tools');
const withForwarder = await needs('linux', 'desktop-tools', 'forwarder');
const [{ missing: noAddon }, { missing: noForwarder }] = [await needs('addon'), await needs('forwarder')];
const onDesktop = it.skipIf(desktop.missing);
const reason = desktop.note;

async function find(code: FindingCode, options: Parameters<typeof doctor>[0] = { scheme }): Promise<Finding> {
  const finding = (await doctor(options)).find(one => one.code === code);
  return finding ?? expect.unreachable(`There is no finding ${code}.`);
}

describe('doctor', () => {
  onDesktop(`gives a finding a thing, in order, and a remedy for each that is not ok${reason}`, async () => {
    const home = privateDesktop();
    await registerScheme({ scheme, name: 'Starfall', game, folder: join(home, 's') });
    const findings = await doctor({ scheme, folder: join(home, 's') });
    expect(findings.map(({ code }) => code)).toEqual(findingCodes);
    for (const { ok, message, remedy } of findings) {
      expect(message).toMatch(/\S.*[.)%u]$/);
      expect(remedy === undefined).toBe(ok);
    }
    const wrong = findings.filter(({ ok }) => !ok).map(({ code }) => code);
    expect(wrong.filter(code => code !== 'keychain' && !(code === 'forwarder' && noForwarder))).toEqual([]);
  });

  it('checks what concerns every scheme when no scheme is passed', async () => {
    const codes = (await doctor()).map(({ code }) => code);
    expect(codes).toEqual(['rights', 'addon', 'forwarder', 'folder', 'loopback', 'keychain']);
  });

  it.each([
    [{ scheme: 'https' }, 'invalid_scheme'],
    [{ applicationId: 'x' }, 'invalid_snowflake'],
  ])('refuses %j: %s', async (options, code) => {
    await expect(doctor(options)).rejects.toMatchObject({ name: 'ArgumentError', code });
  });
});

describe('the options', () => {
  it.each([
    ['invalid_folder', { folder: 'relative' }],
    ['invalid_argument', null],
  ])('are rejected with %s: %j', async (code, options) => {
    await expect(doctor(options as never)).rejects.toMatchObject({ name: 'ArgumentError', code });
  });
});

describe('the registration', () => {
  onDesktop(`is missed when nobody opens the scheme${reason}`, async () => {
    privateDesktop();
    const findings = await doctor({ applicationId: '1' });
    expect(findings.find(({ code }) => code === 'registration')).toMatchObject({
      ok: false,
      message: expect.stringContaining('discord-1'),
      remedy: expect.stringContaining('registerScheme'),
    });
    expect(findings.some(({ code }) => code === 'handler_command')).toBe(false);
  });

  onDesktop(`is named when another program stands in front of it, unless that is the game's own${reason}`, async () => {
    const home = privateDesktop();
    await registerScheme({ scheme, name: 'Starfall', game });
    const list = join(home, 'config', 'mimeapps.list');
    const other = '[Desktop Entry]\nType=Application\nName=Other\nExec=/usr/bin/env other %u\n';
    writeFileSync(join(home, 'data', 'applications', 'other.desktop'), other);
    writeFileSync(list, readFileSync(list, 'utf8').replaceAll('rallypoint-discord-1.desktop', 'other.desktop'));
    const finding = await find('registration');
    expect(finding).toMatchObject({ ok: false, message: expect.stringContaining('other.desktop opens discord-1') });
    expect(finding.message).toContain('/usr/bin/env other');
    expect(await find('registration', { scheme, handler: 'other.desktop' })).toMatchObject({ ok: true });
  });

  it.skipIf(withForwarder.missing)(
    `is wrong when it names another socket than the game listens at${withForwarder.note}`,
    async () => {
      const home = privateDesktop();
      const folder = join(home, 's');
      await registerScheme({ scheme, name: 'Starfall', game, folder });
      expect(await find('registration', { scheme, folder })).toMatchObject({ ok: true });
      expect(await find('registration', { scheme, folder: join(home, 't') })).toMatchObject({
        ok: false,
        message: expect.stringContaining(socketIn(folder)),
      });
    },
  );

  onDesktop(`is useless when its program is gone, or cannot be started${reason}`, async () => {
    const home = privateDesktop();
    const program = join(home, 'my game');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    await registerScheme({ scheme, name: 'Starfall', game: { path: program } });
    expect(await find('handler_command')).toMatchObject({ ok: true, message: expect.stringContaining(program) });
    chmodSync(program, 0o644);
    expect(await find('handler_command')).toMatchObject({ ok: false, message: expect.stringContaining(program) });
    rmSync(program);
    expect(await find('handler_command')).toMatchObject({ ok: false, remedy: expect.stringMatching(/again/) });
  });
});

describe('the opener', () => {
  onDesktop(`needs a desktop that it knows for a scheme with digits, or quotes${reason}`, async () => {
    privateDesktop('');
    for (const name of ['DESKTOP_SESSION', 'KDE_FULL_SESSION', 'GNOME_DESKTOP_SESSION_ID', 'MATE_DESKTOP_SESSION_ID']) {
      vi.stubEnv(name, undefined);
    }
    const finding = await find('opener');
    // From 1.2 on it takes them.
    expect(finding.ok).toBe(!finding.message.startsWith('xdg-open 1.1'));
    expect(await find('opener', { scheme: 'my-game' })).toMatchObject({ ok: true });
    for (const desktop of ['GNOME', 'ubuntu:GNOME', 'KDE', 'X-Cinnamon']) {
      vi.stubEnv('XDG_CURRENT_DESKTOP', desktop);
      expect(await find('opener')).toMatchObject({ ok: true });
    }
  });

  it.skipIf(linux.missing)(`is missed${linux.note}`, async () => {
    privateDesktop();
    vi.stubEnv('PATH', shortFolder());
    expect(await find('opener', { scheme: 'my-game' })).toMatchObject({ ok: false });
  });
});

describe('the location of the socket', () => {
  it('is reported as missing, private, or accessible to others', async () => {
    const folder = join(shortFolder(), 's');
    expect(await find('folder', { folder })).toMatchObject({
      ok: true,
      message: expect.stringContaining('does not exist'),
    });
    mkdirSync(folder, { mode: 0o700 });
    expect(await find('folder', { folder })).toMatchObject({ ok: true });
    chmodSync(folder, 0o755);
    expect(await find('folder', { folder })).toMatchObject({ ok: false, message: expect.stringContaining('0700') });
    rmSync(folder, { recursive: true });
    symlinkSync('/', folder);
    expect(await find('folder', { folder })).toMatchObject({ ok: false, message: expect.stringContaining('link') });
    const long = join(folder, 'x'.repeat(200));
    expect(await find('folder', { folder: long })).toMatchObject({
      ok: false,
      message: expect.stringContaining('long'),
    });
  });

  it('reports a game that listens', async () => {
    const folder = shortFolder();
    const options = { scheme, folder };
    expect(await find('listener', options)).toMatchObject({ ok: true, message: expect.stringContaining('No game') });
    const running = startGame(folder);
    await running.next('listening');
    expect(await find('listener', options)).toMatchObject({ ok: true, message: expect.stringContaining('answers') });
    await kill(running);
    expect(await find('listener', options)).toMatchObject({ ok: true, message: expect.stringContaining('No game') });
  });

  it('reports a game that hangs', async () => {
    const folder = shortFolder();
    const silent = createServer(() => {});
    await new Promise<void>(resolve => silent.listen(socketIn(folder), resolve));
    onTestFinished(() => void silent.close());
    // Two seconds pass immediately.
    const clock = { ...systemClock, schedule: (_ms: number, task: () => void) => systemClock.schedule(0, task) };
    expect(await find('listener', { scheme, folder, clock })).toMatchObject({ ok: false });
  });
});

describe('the rights', () => {
  it.skipIf(root.missing).each([
    ['SUDO_UID', '1000'],
    ['PKEXEC_UID', '1000'],
    ['DOAS_USER', 'ada'],
  ])(`are not those of the person when root was asked for by %s${root.note}`, async (name, value) => {
    privateDesktop();
    vi.stubEnv(name, value);
    expect(await find('rights')).toMatchObject({ ok: false, message: expect.stringContaining(name) });
  });

  it('are normally those of the user', async () => {
    privateDesktop();
    expect(await find('rights')).toMatchObject({ ok: true });
  });
});

describe('the native parts', () => {
  it('are found, or the places are named where they were looked for', async () => {
    vi.stubEnv('RALLYPOINT_NATIVE', shortFolder());
    for (const [code, missing] of [
      ['addon', noAddon],
      ['forwarder', noForwarder],
    ] as const) {
      const { message } = await find(code);
      if (missing) expect(message).toContain(process.env.RALLYPOINT_NATIVE);
      else expect(message).toMatch(/loaded|rallypoint-forwarder/);
    }
  });
});
