import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Finding, type FindingCode, findingCodes } from '@rallypoint/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeRedirects } from '../../../samples/electron-lobby/host/redirects.ts';
import { decideWay } from '../../../samples/electron-lobby/main/redirects.ts';
import { owner } from '../../../samples/electron-lobby/starfall.ts';
import { decide } from '../../support/browser/player.ts';
import { needs } from '../../support/runs/parts.ts';
import { openInNode, openSampleWorld, type SampleInNode, type SampleWorld } from '../../support/sample/sample-app.ts';

const options = { scheme: 'discord-1', redirect: 'auto' } as const;
const forwarded = { isRegistered: true, through: 'forwarder' } as const;
const copied = { isRegistered: true, through: 'game' } as const;
const amiss = (code: FindingCode): Finding[] =>
  findingCodes.map(one => ({ code: one, ok: one !== code, message: `${one} was looked at.`, remedy: 'Mend it.' }));

describe('the way back from the browser', () => {
  it('is the scheme while nothing speaks against it', () => {
    expect(decideWay(options, forwarded, [])).toEqual({ way: 'custom-scheme', scheme: 'discord-1' });
  });

  it.each(['rights', 'registration', 'handler_command', 'opener', 'folder', 'listener'] as const)(
    'is loopback, saying why, where %s is amiss',
    code => {
      const view = decideWay(options, forwarded, amiss(code));
      expect(view).toMatchObject({ way: 'loopback', reason: `${code} was looked at.` });
    },
  );

  it.each(['addon', 'forwarder', 'loopback', 'keychain'] as const)('is the scheme though %s is amiss', code => {
    expect(decideWay(options, forwarded, amiss(code)).way).toBe('custom-scheme');
  });

  it('asks less of the system where redirects start a second copy', () => {
    expect(decideWay(options, copied, amiss('registration')).way).toBe('custom-scheme');
    expect(decideWay(options, copied, amiss('opener')).way).toBe('loopback');
  });

  it('is loopback where the scheme could not be registered', () => {
    const view = decideWay(options, { isRegistered: false, through: 'game', reason: 'There is no forwarder.' }, []);
    expect(view).toMatchObject({ way: 'loopback', reason: 'There is no forwarder.' });
  });

  it('is the scheme when it was chosen, whatever the doctor says', () => {
    const chosen = { scheme: 'discord-1', redirect: 'custom-scheme' } as const;
    expect(decideWay(chosen, { isRegistered: false, through: 'game' }, amiss('opener')).way).toBe('custom-scheme');
  });
});

const run = promisify(execFile);
const redirected = await needs('linux', 'desktop-tools', 'forwarder');

describe.skipIf(redirected.missing)(`the way back by this system${redirected.note}`, () => {
  let folder: string;
  let world: SampleWorld;
  let sample: SampleInNode | undefined;

  beforeEach(async () => {
    // A person's own registrations are left alone. Sockets' paths are short.
    folder = mkdtempSync(join(tmpdir(), 'sf-'));
    const folders = { HOME: 'h', XDG_DATA_HOME: 'd', XDG_CONFIG_HOME: 'c', XDG_RUNTIME_DIR: 'r' };
    for (const [name, path] of Object.entries(folders)) {
      mkdirSync(join(folder, path), { mode: 0o700 });
      vi.stubEnv(name, join(folder, path));
    }
    world = await openSampleWorld();
  });

  afterEach(async () => {
    await sample?.close();
    await world.close();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(redirect: 'auto' | 'custom-scheme'): Promise<SampleInNode['window']> {
    sample = await openInNode(world, { options: { redirect }, seams: { openRedirects: nodeRedirects } });
    return sample.window;
  }

  it('is the scheme: opener, forwarder, socket, tokens', async () => {
    vi.stubEnv('XDG_CURRENT_DESKTOP', 'GNOME');
    const window = await open('auto');
    const { redirect } = await window.sees(state => state.redirect.way !== 'checking');
    expect(redirect.way).toBe('custom-scheme');
    const signIn = window.call('signIn', false);
    await expect.poll(() => sample?.pages.length).toBe(1);
    const address = await decide(world.service, sample?.pages[0] ?? '', owner.id);
    expect(address).toMatch(/^discord-\d+:\/authorize\/callback\?/);
    await run('xdg-open', [address]);
    expect(await signIn).toEqual({ ok: true });
    // A second time it belongs to nobody, and does no harm.
    await run('xdg-open', [address]).catch(() => {});
    await window.sees(({ connection }) => connection.status === 'ready');
  });

  it('is loopback where the opener takes no scheme with digits, which the program prints and no player reads', async () => {
    vi.stubEnv('XDG_CURRENT_DESKTOP', '');
    vi.stubEnv('PATH', process.env.PATH ?? '');
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const window = await open('auto');
    const { redirect } = await window.sees(state => state.redirect.way !== 'checking');
    if (redirect.way === 'custom-scheme') return; // This system's opener does.
    expect(printed.mock.calls.join()).toMatch(/xdg-open/);
    await await window.sees(state => state.log.some(({ text }) => text.includes('address of this computer')));
    expect(JSON.stringify(window.state)).not.toContain('xdg-open');
  });
});
