import { KeychainError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { BackendOpeners, LastingBackend } from './backends.ts';
import type { Entries } from './entries.ts';
import { keychainBackends, keychainTiers } from './keychain.ts';
import type { Place, Places } from './places.ts';

export interface PlacedEntriesOptions {
  /** What new entries are written to. */
  readonly own: LastingBackend;
  /** Backends that are known not to be usable; they are asked only for what they are known to keep. */
  readonly failed: readonly LastingBackend[];
  /** Where entries of which no place is known are looked for. */
  readonly candidates: readonly LastingBackend[];
  readonly openers: BackendOpeners;
  readonly places: Places;
  readonly logger: Logger;
}

/** An entry that was found. */
export interface Held {
  readonly holder: LastingBackend;
  readonly text: string;
}

/** The place of an entry that is not deleted. */
interface LivePlace extends Place {
  readonly holder: LastingBackend;
}

/**
 * Entries over several backends, each entry in one of them. The record of its place decides: what is elsewhere is an
 * older copy, left by a process that died or by a backend that could not be used, and is deleted when that can be done.
 * So an entry is copied first, its place written next, the original deleted last.
 *
 * Whoever calls `set`, `delete` or `move` holds the folder's lock; `find` needs none.
 */
export interface PlacedEntries {
  /** @throws KeychainError, of the holder too when that cannot be used */
  find(account: string): Promise<Held | undefined>;
  set(account: string, text: string): Promise<void>;
  delete(account: string): Promise<boolean>;
  /** False when nothing is kept. */
  move(account: string, to: LastingBackend): Promise<boolean>;
}

export function placedEntries({
  own,
  failed,
  candidates,
  openers,
  places,
  logger,
}: PlacedEntriesOptions): PlacedEntries {
  /** Backends that failed where they were not needed; asking again could mean waiting again. */
  const shunned = new Set(failed);

  /** Undefined when the backend cannot be used, which matters to nobody now. */
  async function attempt<Value>(backend: LastingBackend, work: (entries: Entries) => Promise<Value>) {
    if (shunned.has(backend)) return undefined;
    try {
      return { value: await work(await openers[backend]()) };
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      // What cannot be read can still be deleted.
      if (error.code !== 'keychain_unreadable') shunned.add(backend);
      logger.debug({ backend, code: error.code }, 'this keychain was left out');
      return undefined;
    }
  }

  async function held(holder: LastingBackend, account: string): Promise<Held | undefined> {
    try {
      const text = await (await openers[holder]()).get(account);
      return text === undefined ? undefined : { holder, text };
    } catch (error) {
      if (holder === own || !(error instanceof KeychainError)) throw error;
      throw new KeychainError(error.code, `The entry is kept by ${holder}. ${error.message}`, { cause: error });
    }
  }

  async function lookFor(account: string): Promise<Held | undefined> {
    const mine = await held(own, account);
    if (mine) return mine;
    for (const holder of candidates.filter(candidate => candidate !== own)) {
      const text = (await attempt(holder, entries => entries.get(account)))?.value;
      if (text !== undefined) return { holder, text };
    }
    return undefined;
  }

  async function find(account: string): Promise<Held | undefined> {
    for (;;) {
      const place = await places.read(account);
      const found = await (place ? place.holder && held(place.holder, account) : lookFor(account));
      if (found) return found;
      // Whoever moves the entry deletes it where we looked, having written where it is.
      if ((await places.read(account))?.revision === place?.revision) return undefined;
    }
  }

  /** What is known of the place before a change, or else what is found out. */
  async function placeBefore(account: string): Promise<Place & { readonly isWritten: boolean }> {
    const written = await places.read(account);
    if (written) return { ...written, isWritten: true };
    const holder = (await lookFor(account).catch(replaceable))?.holder;
    // Whoever was asked and has nothing is of no concern.
    const stale = candidates.filter(backend => holder !== undefined || shunned.has(backend));
    return { holder, stale, isWritten: false };
  }

  async function put(account: string, text: string, to: LastingBackend): Promise<void> {
    const before = await placeBefore(account);
    const stale = before.holder === undefined ? before.stale : [...before.stale, before.holder];
    const after = { holder: to, stale: stale.filter(backend => backend !== to) };
    if (before.isWritten && before.holder === to) await (await openers[to]()).set(account, text);
    else await settle(account, text, before, after);
    await clear(account, after);
  }

  /** Makes another backend the holder, which it is once its place is written. */
  async function settle(account: string, text: string, before: Place, after: LivePlace): Promise<void> {
    const { holder } = after;
    // Whoever dies from here on leaves a copy that somebody is to delete, and nobody to read.
    await places.write(account, { holder: before.holder, stale: [...before.stale, holder] });
    const entries = await openers[holder]();
    await entries.set(account, text);
    if ((await entries.get(account)) !== text) {
      throw new KeychainError('keychain_unusable', `${holder} does not return what was stored.`);
    }
    if (before.holder && before.holder !== holder) tellOfMove(before.holder, holder);
    await places.write(account, after);
  }

  async function remove(account: string): Promise<boolean> {
    const place = await places.read(account);
    const holder = place ? place.holder : own;
    const isDeleted = holder !== undefined && (await (await openers[holder]()).delete(account));
    const others = place ? place.stale : candidates.filter(backend => backend !== own);
    const wasElsewhere = await clear(account, { holder: undefined, stale: others });
    // Where no place is known, what else was found is what `find` would have found.
    return isDeleted || (place === undefined && wasElsewhere);
  }

  /** Deletes older copies; the place then names those that could not be. True when there was one. */
  async function clear(account: string, { holder, stale }: Place): Promise<boolean> {
    const left: LastingBackend[] = [];
    let wasThere = false;
    for (const backend of stale) {
      const cleared = await attempt(backend, entries => entries.delete(account));
      if (!cleared) left.push(backend);
      wasThere ||= cleared?.value ?? false;
    }
    if (holder === undefined && left.length === 0) await places.forget(account);
    else if (holder === undefined || left.length < stale.length) await places.write(account, { holder, stale: left });
    return wasThere;
  }

  function tellOfMove(from: LastingBackend, to: LastingBackend): void {
    const fields = { from, to };
    if (isWeaker(to, from)) logger.warn(fields, 'an entry goes to a weaker keychain');
    else logger.info(fields, 'an entry goes to another keychain');
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

/** What cannot be read may be replaced; all else that is wrong is wrong for writing too. */
function replaceable(error: unknown): undefined {
  if (!(error instanceof KeychainError && error.code === 'keychain_unreadable')) throw error;
}

function isWeaker(one: LastingBackend, other: LastingBackend): boolean {
  return keychainTiers.indexOf(keychainBackends[one]) > keychainTiers.indexOf(keychainBackends[other]);
}
