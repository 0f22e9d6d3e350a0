import { KeychainError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { BackendOpeners } from './backends.ts';
import type { Entries } from './entries.ts';
import type { EntryLocation, EntryLocations } from './entry-locations.ts';
import { keychainBackends, keychainTiers, type LastingBackend } from './keychain.ts';

export interface LocatedEntriesOptions {
  /** The backend that new entries are written to. */
  readonly own: LastingBackend;
  /** Backends that cannot be used. They are only asked for entries that they are known to hold. */
  readonly failed: readonly LastingBackend[];
  /** Backends that are searched for entries whose location is unknown. */
  readonly candidates: readonly LastingBackend[];
  readonly openers: BackendOpeners;
  readonly locations: EntryLocations;
  readonly logger: Logger;
}

/** An entry that was found. */
export interface FoundEntry {
  readonly holder: LastingBackend;
  readonly text: string;
}

/** The location of an entry that is not deleted. */
interface KnownLocation extends EntryLocation {
  readonly holder: LastingBackend;
}

/**
 * Entries in several backends, each entry in one of them. The recorded location decides: what another backend holds is an
 * older copy, left by a process that died or by a backend that could not be used, and is deleted as soon as possible.
 * An entry is therefore copied first, its location written next, and the original deleted last.
 *
 * The caller of `set`, `delete` and `move` holds the folder's lock; `find` needs no lock.
 */
export interface LocatedEntries {
  /** @throws KeychainError, also when the backend that holds the entry cannot be used */
  find(account: string): Promise<FoundEntry | undefined>;
  set(account: string, text: string): Promise<void>;
  delete(account: string): Promise<boolean>;
  /** Resolves with false when the account has no entry. */
  move(account: string, to: LastingBackend): Promise<boolean>;
}

export function locatedEntries({
  own,
  failed,
  candidates,
  openers,
  locations,
  logger,
}: LocatedEntriesOptions): LocatedEntries {
  /** Backends that failed. Asking them again could mean waiting again. */
  const avoided = new Set(failed);

  /** Resolves with undefined when the backend cannot be used. */
  async function attempt<Value>(backend: LastingBackend, work: (entries: Entries) => Promise<Value>) {
    if (avoided.has(backend)) return undefined;
    try {
      return { value: await work(await openers[backend]()) };
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      // An unreadable entry can still be deleted.
      if (error.code !== 'keychain_unreadable') avoided.add(backend);
      logger.debug({ backend, code: error.code }, 'a keychain that failed is not used again');
      return undefined;
    }
  }

  async function readFrom(holder: LastingBackend, account: string): Promise<FoundEntry | undefined> {
    try {
      const text = await (await openers[holder]()).get(account);
      return text === undefined ? undefined : { holder, text };
    } catch (error) {
      if (holder === own || !(error instanceof KeychainError)) throw error;
      throw new KeychainError(error.code, `The entry is in ${holder}. ${error.message}`, { cause: error });
    }
  }

  async function search(account: string): Promise<FoundEntry | undefined> {
    const ownEntry = await readFrom(own, account);
    if (ownEntry) return ownEntry;
    for (const holder of candidates.filter(candidate => candidate !== own)) {
      const text = (await attempt(holder, entries => entries.get(account)))?.value;
      if (text !== undefined) return { holder, text };
    }
    return undefined;
  }

  async function find(account: string): Promise<FoundEntry | undefined> {
    for (;;) {
      const location = await locations.read(account);
      const found = await (location ? location.holder && readFrom(location.holder, account) : search(account));
      if (found) return found;
      // A concurrent move writes the new location before it deletes the entry here: then the location has changed.
      if ((await locations.read(account))?.revision === location?.revision) return undefined;
    }
  }

  /** The location before a change: as recorded, or else as searched for. */
  async function locationBefore(account: string): Promise<EntryLocation & { readonly isWritten: boolean }> {
    const written = await locations.read(account);
    if (written) return { ...written, isWritten: true };
    const holder = (await search(account).catch(replaceable))?.holder;
    // Backends that were searched without success hold no copy.
    const stale = candidates.filter(backend => holder !== undefined || avoided.has(backend));
    return { holder, stale, isWritten: false };
  }

  async function put(account: string, text: string, to: LastingBackend): Promise<void> {
    const before = await locationBefore(account);
    const stale = before.holder === undefined ? before.stale : [...before.stale, before.holder];
    const after = { holder: to, stale: stale.filter(backend => backend !== to) };
    if (before.isWritten && before.holder === to) await (await openers[to]()).set(account, text);
    else await copyTo(account, text, before, after);
    await clear(account, after);
  }

  /** Copies the entry to another backend, which holds it once the location is written. */
  async function copyTo(account: string, text: string, before: EntryLocation, after: KnownLocation): Promise<void> {
    const { holder } = after;
    // If the process dies from here on, the copy is recorded as stale: it is deleted later, and never read.
    await locations.write(account, { holder: before.holder, stale: [...before.stale, holder] });
    const entries = await openers[holder]();
    await entries.set(account, text);
    if ((await entries.get(account)) !== text) {
      throw new KeychainError(
        'keychain_unusable',
        `${holder} did not return the entry that was stored. Allow another tier.`,
      );
    }
    if (before.holder && before.holder !== holder) logMove(before.holder, holder);
    await locations.write(account, after);
  }

  async function remove(account: string): Promise<boolean> {
    const location = await locations.read(account);
    const holder = location ? location.holder : own;
    const isDeleted = holder !== undefined && (await (await openers[holder]()).delete(account));
    const others = location ? location.stale : candidates.filter(backend => backend !== own);
    const wasElsewhere = await clear(account, { holder: undefined, stale: others });
    // Without a recorded location, a copy in another backend is the entry.
    return isDeleted || (location === undefined && wasElsewhere);
  }

  /** Deletes older copies, and records those that could not be deleted. Resolves with true when there was one. */
  async function clear(account: string, { holder, stale }: EntryLocation): Promise<boolean> {
    const left: LastingBackend[] = [];
    let wasThere = false;
    for (const backend of stale) {
      const cleared = await attempt(backend, entries => entries.delete(account));
      if (!cleared) left.push(backend);
      wasThere ||= cleared?.value ?? false;
    }
    if (holder === undefined && left.length === 0) await locations.forget(account);
    else if (holder === undefined || left.length < stale.length)
      await locations.write(account, { holder, stale: left });
    return wasThere;
  }

  function logMove(from: LastingBackend, to: LastingBackend): void {
    const fields = { from, to };
    if (isWeaker(to, from)) logger.warn(fields, 'an entry moves to a weaker keychain');
    else logger.info(fields, 'an entry moves to another keychain');
  }

  return {
    find,
    set: (account, text) => put(account, text, own),
    delete: remove,
    async move(account, to) {
      const found = await find(account);
      if (found) await put(account, found.text, to);
      return found !== undefined;
    },
  };
}

/** An unreadable entry may be replaced. Any other failure would also affect the write. */
function replaceable(error: unknown): undefined {
  if (!(error instanceof KeychainError && error.code === 'keychain_unreadable')) throw error;
}

function isWeaker(one: LastingBackend, other: LastingBackend): boolean {
  return keychainTiers.indexOf(keychainBackends[one]) > keychainTiers.indexOf(keychainBackends[other]);
}
