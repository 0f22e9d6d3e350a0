import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { findingCodes } from '../../src/sdk/redirect/doctor/finding.ts';
import { needs } from '../support/runs/parts.ts';

const root = resolve(import.meta.dirname, '../..');
const main = join(root, 'src/cli/main.ts');
const keyring = join(root, 'test/sdk/keychain/real-keyring.sh');

beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'rp-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_DATA_HOME', join(home, 'data'));
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_RUNTIME_DIR', undefined);
  vi.stubEnv('SUDO_UID', undefined);
});
afterEach(() => vi.unstubAllEnvs());

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const terminal: Terminal = {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment: {},
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  };
  const code = await rallypoint(['doctor', ...args], terminal);
  return { code, stdout, stderr };
}

const whole = await needs('linux', 'desktop-tools', 'keychain-daemon', 'forwarder');

describe('rallypoint doctor', () => {
  it.skipIf(whole.missing)(`exits with 0 where a game can sign its player in${whole.note}`, async () => {
    const options = { applicationId: '1', name: 'Starfall', game: { path: process.execPath } };
    const register = `import { registerScheme } from ${JSON.stringify(join(root, 'src/sdk/redirect/registration/register.ts'))};
      await registerScheme(${JSON.stringify(options)});`;
    const script = '"$0" --input-type=module --eval "$1" && "$0" "$2" doctor --application 1';
    const env = { ...process.env, XDG_CURRENT_DESKTOP: 'GNOME' };
    const args = ['sh', '-c', script, process.execPath, register, main];
    const { stdout, stderr } = await promisify(execFile)(keyring, args, { env });
    expect(stdout).toMatch(/\nNo problem found in 10 checks\.\n$/);
    expect(stdout.match(/✓/g)).toHaveLength(findingCodes.length);
    expect(stderr).not.toContain('rallypoint:');
  });

  it('exits with 1 when something is amiss, and says what helps', async () => {
    const { code, stdout, stderr } = await run('--scheme', 'my-game');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/✗ {2}registration +\S.*my-game.*\n +→ \S/);
    expect(stdout).toMatch(/\n[0-9]+ of [0-9]+ checks found a problem\.\n$/);
  });

  it('says that it checked no scheme where none was named', async () => {
    const { stdout } = await run();
    expect(stdout).not.toContain('registration');
    expect(stdout).toMatch(/\nNo scheme was checked\. Pass one with --scheme or --application\.\n$/);
  });

  it('does not say in one line what another one denies, on a machine without a desktop', async () => {
    for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS']) vi.stubEnv(name, undefined);
    const { stdout } = await run();
    expect(stdout).not.toMatch(/✓.*(desktop|missing)/);
  });

  it('prints one document with --json', async () => {
    const { code, stdout } = await run('--application', '1', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual({
      code: 'registration',
      ok: false,
      message: expect.any(String),
      remedy: expect.any(String),
    });
  });

  it('shows its help', async () => {
    const asked = await Promise.all([run('--help'), run('-h')]);
    for (const { code, stdout, stderr } of asked) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(
        'Usage: rallypoint doctor [--scheme SCHEME | --application ID | --data DIR | --store URL]',
      );
    }
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'help', 'doctor']);
    expect(stdout).toBe(asked[0]?.stdout);
  });

  it.each([
    [['--scheme', 'https'], /scheme must be a letter/],
    [['--scheme', 'x', '--application', '1'], /both select the scheme/],
    [['--application', 'one'], /--application must be an id/],
    [['--handler', 'game.desktop'], /Pass --scheme/],
    [['--data', '.', '--scheme', 'x'], /Pass one of them/],
    [['--sheme', 'x'], /Did you mean "--scheme"/],
    [['my-game'], /takes only options/],
    [['--scheme'], /needs a value/],
    [['--json=yes'], /takes no value/],
  ])('refuses %j as wrong use', async (args, told) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^rallypoint: .*\n$/);
    expect(stderr).toMatch(told);
  });
});
