import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { type RegistrarParts, systemParts } from '../../../src/sdk/redirect/registration/registrar.ts';
import { shortFolder } from './games.ts';

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
