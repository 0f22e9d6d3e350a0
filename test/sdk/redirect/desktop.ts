import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { findForwarder } from '../../../src/sdk/native/find-forwarder.ts';
import { loadNative } from '../../../src/sdk/native/load.ts';
import { type RegistrarParts, systemParts } from '../../../src/sdk/redirect/registrar.ts';
import { shortFolder } from './games.ts';

/** Why redirects cannot be sent through a real desktop here; undefined when they can. */
export const noDesktop = obstacle();

function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'the recipe is for Linux';
  const missing = ['xdg-open', 'xdg-mime', 'gio'].find(program => spawnSync('which', [program]).status !== 0);
  return missing && `${missing} is not installed`;
}

const [native, forwarder] = await Promise.all([loadNative(), findForwarder()]);
export const noAddon = 'addon' in native ? undefined : 'the addon is not built';
export const noForwarder = 'path' in forwarder ? undefined : 'the forwarder is not built';

/** For titles of tests that are skipped. */
export function skipped(...reasons: readonly (string | undefined)[]): string {
  const reason = reasons.find(one => one !== undefined);
  return reason === undefined ? '' : ` (skipped: ${reason})`;
}

/** A desktop of the test's own, for the length of the test: what is registered stays in its folder, which is given. */
export function privateDesktop(name = 'GNOME'): string {
  const home = shortFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_DATA_HOME', join(home, 'data'));
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_RUNTIME_DIR', undefined);
  vi.stubEnv('SUDO_UID', undefined);
  vi.stubEnv('XDG_CURRENT_DESKTOP', name);
  return home;
}

/** What a browser does with an address of a scheme that is not its own. */
export async function openAddress(address: string): Promise<void> {
  await promisify(execFile)('xdg-open', [address], { env: process.env });
}

/** What registering stands on, without some native parts. */
export function partsWithout(...lacking: readonly ('addon' | 'forwarder')[]): RegistrarParts {
  const missing = ['not looked for'];
  return {
    ...systemParts(),
    ...(lacking.includes('addon') && { loadNative: async () => ({ missing }) }),
    ...(lacking.includes('forwarder') && { findForwarder: async () => ({ missing }) }),
  };
}
