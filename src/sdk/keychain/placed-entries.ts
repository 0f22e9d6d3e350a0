import { KeychainError } from '../../model/errors.ts';
import type { Logger } from '../../wire/ports.ts';
import { type BackendOpeners, type LastingBackend, lastingBackends } from './backends.ts';
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

  async function put(account: string, text: string, to: LastingBackend, before: Place | undefined): Promise<void> {
    const stale = lastingBackends.filter(backend => backend !== to && mayHold(before, backend));
    if (before?.holder === to) await (await openers[to]()).set(account, text);
    else await settle(account, text, { holder: to, stale }, before);
    await clear(account, { holder: to, stale });
  }

  /** Makes another backend the holder, which it is once its place is written. */
  async function settle(account: string, text: string, place: LivePlace, before: Place | undefined): Promise<void> {
    const { holder } = place;
    // Whoever dies from here on leaves a copy that somebody is to delete.
    if (before) await places.write(account, { holder: before.holder, stale: [...new Set([...before.stale, holder])] });
    const entries = await openers[holder]();
    await entries.set(account, text);
    if ((await entries.get(account)) !== text) {
      throw new KeychainError('keychain_unusable', `${holder} does not give back what it was given.`);
    }
    if (before?.holder) tellOfMove(before.holder, holder);
    await places.write(account, place);
  }

  async function remove(account: string): Promise<boolean> {
    const place = await places.read(account);
    const holder = place ? place.holder : own;
    const isDeleted = holder !== undefined && (await (await openers[holder]()).delete(account));
    const stale = lastingBackends.filter(backend => backend !== holder && mayHold(place, backend));
    const wasElsewhere = await clear(account, { holder: undefined, stale });
    // Where no place is known, what else was found is what `find` would have found.
    return isDeleted || (place === undefined && wasElsewhere);
  }

  function mayHold(place: Place | undefined, backend: LastingBackend): boolean {
    return place ? place.holder === backend || place.stale.includes(backend) : candidates.includes(backend);
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
    set: async (account, text) => put(account, text, own, await places.read(account)),
    delete: remove,
    async move(account, to) {
      const found = await find(account);
      const place = await places.read(account);
      if (found && place?.holder === to) await clear(account, place);
      else if (found) await put(account, found.text, to, place);
      return found !== undefined;
    },
  };
}

function isWeaker(one: LastingBackend, other: LastingBackend): boolean {
  return keychainTiers.indexOf(keychainBackends[one]) > keychainTiers.indexOf(keychainBackends[other]);
}
