import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { NativeAddon } from '../../src/sdk/native/contract.ts';
import { findForwarder } from '../../src/sdk/native/find-forwarder.ts';
import { loadNative } from '../../src/sdk/native/load.ts';

export const root = join(import.meta.dirname, '..', '..');

/** Why native tests cannot run here; undefined when they can. With a compiler there is no excuse. */
export const missing = missingCompiler();

/** For a test's title. */
export const reason = missing === undefined ? '' : ` (skipped: ${missing})`;

function missingCompiler(): string | undefined {
  if (process.platform !== 'linux') return 'built and tried on Linux alone';
  return isInstalled('c++') ? undefined : 'c++ is not installed';
}

/** Whether the system has the program. */
export function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

export async function builtAddon(): Promise<NativeAddon> {
  const found = await loadNative();
  if ('missing' in found) throw new Error(`Run npm run build first:\n${found.missing.join('\n')}`);
  return found.addon;
}

export async function builtForwarder(): Promise<string> {
  const found = await findForwarder();
  if ('missing' in found) throw new Error(`Run npm run build first:\n${found.missing.join('\n')}`);
  return found.path;
}
