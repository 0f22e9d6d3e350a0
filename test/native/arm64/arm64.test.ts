import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { runtimes } from '../../../scripts/install-runtimes.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { builtAddon, isInstalled, missing, root } from '../built.ts';
import { desktopIn, withEnv, writeProgram } from '../desktop.ts';
import { forwarderSuite } from '../forwarder-suite.ts';

const run = promisify(execFile);
const { executable } = runtimes['linux-arm64'];
const built = join(root, 'dist', 'native', 'linux-arm64');
const emulator = 'qemu-aarch64-static';
/** Where Debian's packages for other processors put their C library. */
const libraries = '/usr/aarch64-linux-gnu';
const obstacle = findObstacle();
const reason = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

function findObstacle(): string | undefined {
  if (missing !== undefined) return missing;
  if (!isInstalled(emulator)) return `${emulator} is not installed`;
  if (!existsSync(join(libraries, 'lib', 'libc.so.6')))
    return 'its C library is not installed (Debian: libc6-arm64-cross)';
  if (!existsSync(join(built, 'rallypoint.node'))) return 'nothing is built for it: npm run build:native -- --all';
  return existsSync(executable) ? undefined : 'its Node is not here: npm run runtimes';
}

describe.skipIf(obstacle !== undefined)(`on Linux arm64, by qemu${reason}`, async () => {
  const folder = await temporaryFolder();
  afterAll(() => folder.remove());

  // Whoever starts it need not know that another processor is needed.
  const forwarder = join(folder.path, 'rallypoint-forwarder');
  writeProgram(forwarder, [`exec ${emulator} '${join(built, 'rallypoint-forwarder')}' "$@"`]);

  // A child shares no memory with its parent there, by which posix_spawn hears of what went wrong.
  describe('the forwarder', () => forwarderSuite(forwarder, 'qemu does not say that a program could not be started'));

  describe('the addon', () => {
    const node = (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
      const all = { ...process.env, ...env, RALLYPOINT_NATIVE: built };
      return run(emulator, ['-L', libraries, executable, ...args], { env: all });
    };

    it('is loaded, and does all it is for: locks, schemes, wrong arguments, garbage', async () => {
      const own = await temporaryFolder();
      const script = join(import.meta.dirname, '..', 'strain-addon.ts');
      const { stdout, stderr } = await node(desktopIn(own.path).env, '--expose-gc', script, own.path);
      expect({ stdout, stderr }).toEqual({ stdout: 'ok\n', stderr: '' });
      await own.remove();
    }, 120_000);

    it('registers a scheme as the addon of this machine reads it', async () => {
      const own = await temporaryFolder();
      const desktop = desktopIn(own.path);
      await node(desktop.env, join(import.meta.dirname, '..', 'register-scheme.ts'), 'game-1');
      const addon = await builtAddon();
      expect(await withEnv(desktop.env, () => addon.handlerOf('game-1')?.id)).toBe('game-1.desktop');
      expect(readFileSync(join(own.path, 'xdg_config_home', 'mimeapps.list'), 'utf8')).toContain('game-1.desktop');
      await own.remove();
    }, 60_000);

    it('holds a lock against processes of this machine, until it is killed', async () => {
      const addon = await builtAddon();
      const path = join(folder.path, 'lock');
      const script = join(import.meta.dirname, '..', 'hold-lock.ts');
      const holder = spawn(emulator, ['-L', libraries, executable, script, path], {
        env: { ...process.env, RALLYPOINT_NATIVE: built },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      expect(String((await once(holder.stdout, 'data'))[0])).toBe('held\n');
      expect(addon.tryLock(path)).toBeUndefined();
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      const lock = addon.tryLock(path);
      expect(lock).toBeDefined();
      lock?.release();
    }, 60_000);
  });
});
