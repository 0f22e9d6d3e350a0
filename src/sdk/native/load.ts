import { checkedAddon } from './checked.ts';
import type { NativeAddon } from './contract.ts';
import { openFirst } from './places.ts';
import { checkWholeFile } from './whole-file.ts';

/** The addon, or where it was looked for and why each place failed, one line a place. */
export type NativeFound = { readonly addon: NativeAddon } | { readonly missing: readonly string[] };

/**
 * Loads the addon from the first place that has one which works. Never rejects: without it the SDK goes on by other
 * means, and says so.
 */
export function loadNative(): Promise<NativeFound> {
  return openFirst(addonFile, async path => {
    await checkWholeFile(path);
    return { addon: checkedAddon(load(path)) };
  });
}

const addonFile = 'rallypoint.node';
const functions = ['tryLock', 'handlerOf', 'registerScheme', 'unregisterScheme', 'trimMemory'] as const;

// By dlopen, because bundlers take a `require` of a built file for one of theirs.
function load(path: string): NativeAddon {
  const module: { exports: Partial<NativeAddon> } = { exports: {} };
  process.dlopen(module, path);
  const lacking = functions.filter(name => typeof module.exports[name] !== 'function');
  if (lacking.length > 0) throw new Error(`it lacks ${lacking.join(', ')}: built from other sources than this package`);
  return module.exports as NativeAddon;
}
