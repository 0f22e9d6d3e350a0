import { join } from 'node:path';
import { loadNative } from '../../src/sdk/native/addon.ts';
import type { NativeAddon } from '../../src/sdk/native/contract.ts';
import { findForwarder } from '../../src/sdk/native/find-forwarder.ts';
import { needs } from '../support/runs/parts.ts';

export const root = join(import.meta.dirname, '..', '..');

/** Native tests run where there is a compiler: then what they test has been built. */
export const compiled = await needs('linux', 'compiler');

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
