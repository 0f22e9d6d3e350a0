import { ArgumentError, KeychainError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { type LastingBackend, lastingBackends } from './backends.ts';
import type { Guard } from './guard.ts';
import { type KeychainBackend, type KeychainTier, keychainBackends, type PlacedKeychain } from './keychain.ts';
import { checkAccount, checkSecret } from './names.ts';
import type { PlacedEntries } from './placed-entries.ts';

export interface PlacedKeychainOptions {
  readonly own: LastingBackend;
  readonly allow: readonly KeychainTier[];
  readonly moves: boolean;
  readonly entries: PlacedEntries;
  readonly guard: Guard;
  readonly logger: Logger;
}

/** The port over entries: checks what comes in, and sees that each call ends and writers take turns. */
export function placedKeychain({ own, allow, moves, entries, guard, logger }: PlacedKeychainOptions): PlacedKeychain {
  async function find(account: string) {
    checkAccount(account);
    return guard.bounded(() => entries.find(account));
  }

  /** The entry has been read; not moving it costs nobody anything. */
  async function tryToMove(account: string, from: LastingBackend): Promise<void> {
    try {
      await guard.alone(() => entries.move(account, own));
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      logger.warn({ from, to: own, code: error.code }, 'an entry could not be moved');
    }
  }

  return {
    tier: keychainBackends[own],
    backend: own,
    async get(account) {
      const found = await find(account);
      if (found && moves && isBefore(own, found.holder)) await tryToMove(account, found.holder);
      return found?.text;
    },
    async set(account, secret) {
      checkAccount(account);
      checkSecret(secret);
      await guard.alone(() => entries.set(account, secret));
    },
    async delete(account) {
      checkAccount(account);
      return guard.alone(() => entries.delete(account));
    },
    async holder(account) {
      const found = await find(account);
      return found && { backend: found.holder, tier: keychainBackends[found.holder] };
    },
    async move(account, to = own) {
      checkAccount(account);
      const target = lastingBackend(to, allow);
      return guard.alone(() => entries.move(account, target));
    },
  };
}

function lastingBackend(backend: KeychainBackend, allow: readonly KeychainTier[]): LastingBackend {
  const found = lastingBackends.find(candidate => candidate === backend);
  if (found && allow.includes(keychainBackends[found])) return found;
  throw new ArgumentError('invalid_backend', 'An entry is moved to a lasting backend of a tier allowed at opening.');
}

function isBefore(one: LastingBackend, other: LastingBackend): boolean {
  return lastingBackends.indexOf(one) < lastingBackends.indexOf(other);
}
