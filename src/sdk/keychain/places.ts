import { randomUUID } from 'node:crypto';
import { type LastingBackend, lastingBackends } from './backends.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';

/** Which backend keeps an account's entry. */
export interface Place {
  /** Undefined: the entry is deleted, though copies of it are left. */
  readonly holder: LastingBackend | undefined;
  /** Backends that may have an older copy, which is to be deleted and never read. */
  readonly stale: readonly LastingBackend[];
}

/** A place as it was written; each writing has its own revision. */
export interface WrittenPlace extends Place {
  readonly revision: string;
}

/** What is known of places: a small file for each account, so that no writer undoes what another wrote of another account. */
export interface Places {
  /** Undefined when nothing is known. */
  read(account: string): Promise<WrittenPlace | undefined>;
  write(account: string, place: Place): Promise<void>;
  forget(account: string): Promise<void>;
}

export function openPlaces(folder: PrivateFolder): Places {
  const fileOf = (account: string) => `${digest(account)}.place`;
  return {
    async read(account) {
      const content = await folder.read(fileOf(account));
      return content && parsePlace(content.toString('utf8'));
    },
    async write(account, { holder, stale }) {
      const others = new Set(stale.filter(backend => backend !== holder));
      const place = { holder: holder ?? null, stale: [...others], revision: randomUUID() };
      await folder.replace(fileOf(account), Buffer.from(JSON.stringify(place)));
      await folder.sweep(`${fileOf(account)}.`);
    },
    async forget(account) {
      await folder.remove(fileOf(account));
      await folder.sweep(`${fileOf(account)}.`);
    },
  };
}

// A file that is no place tells nothing, as none does: the entry is then looked for.
function parsePlace(text: string): WrittenPlace | undefined {
  try {
    const { holder, stale, revision } = JSON.parse(text) as Partial<Record<keyof WrittenPlace, unknown>>;
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
