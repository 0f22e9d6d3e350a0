import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { builtAddon } from '../built.ts';
import { desktopIn, withEnv, writeProgram } from '../desktop.ts';
import { forwarderSuite } from '../forwarder-suite.ts';
import { arm64Needs, built, emulator, executable, libraries } from './arm64.ts';

const run = promisify(execFile);

const folder = await temporaryFolder();
afterAll(() => folder.remove());

describe.skipIf(arm64Needs.missing)(`on Linux arm64, by qemu${arm64Needs.note}`, () => {
  // Whoever starts it need not know that another processor is needed.
  const forwarder = join(folder.path, 'rallypoint-forwarder');
  beforeAll(() => writeProgram(forwarder, [`exec ${emulator} '${join(built, 'rallypoint-forwarder')}' "$@"`]));

  // There a child shares no memory with its parent, through which posix_spawn learns of a failure.
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
