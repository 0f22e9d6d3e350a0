import { randomUUID } from 'node:crypto';
import { type LastingBackend, lastingBackends } from './keychain.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Which backend holds an account's entry. */
export interface EntryLocation {
  /** Undefined: the entry is deleted, but copies of it are left. */
  readonly holder: LastingBackend | undefined;
  /** Backends that may hold an older copy, which has to be deleted and is never read. */
  readonly stale: readonly LastingBackend[];
}

/** A location as it was written. Every write has a new revision. */
export interface WrittenLocation extends EntryLocation {
  readonly revision: string;
}

/** The locations of all entries. Each account has its own file, so that writes for different accounts do not conflict. */
export interface EntryLocations {
  /** Resolves with undefined when the location is unknown. */
  read(account: string): Promise<WrittenLocation | undefined>;
  write(account: string, location: EntryLocation): Promise<void>;
  forget(account: string): Promise<void>;
}

export function openEntryLocations(folder: PrivateFolder): EntryLocations {
  const fileOf = (account: string) => `${digest(account)}.place`;
  return {
    async read(account) {
      const content = await folder.read(fileOf(account));
      return content && parseLocation(content.toString('utf8'));
    },
    async write(account, { holder, stale }) {
      const others = new Set(stale.filter(backend => backend !== holder));
      const location = { holder: holder ?? null, stale: [...others], revision: randomUUID() };
      await folder.replace(fileOf(account), Buffer.from(JSON.stringify(location)));
      await folder.sweep(`${fileOf(account)}.`);
    },
    async forget(account) {
      await folder.remove(fileOf(account));
      await folder.sweep(`${fileOf(account)}.`);
    },
  };
}

// A damaged file counts as missing: all backends are then searched for the entry.
function parseLocation(text: string): WrittenLocation | undefined {
  try {
    const { holder, stale, revision } = JSON.parse(text) as Partial<Record<keyof WrittenLocation, unknown>>;
    if (!Array.isArray(stale) || typeof revision !== 'string') return undefined;
    if (holder !== null && !isLasting(holder)) return undefined;
    return { holder: holder ?? undefined, stale: stale.filter(isLasting), revision };
  } catch {
    return undefined;
  }
}

function isLasting(value: unknown): value is LastingBackend {
  return lastingBackends.some(backend => backend === value);
}
