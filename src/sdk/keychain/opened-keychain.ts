import { ArgumentError, KeychainError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import {
  type KeychainBackend,
  type KeychainTier,
  keychainBackends,
  type LastingBackend,
  lastingBackends,
  type OpenedKeychain,
} from './keychain.ts';
import type { KeychainCalls } from './keychain-calls.ts';
import type { LocatedEntries } from './located-entries.ts';
import { checkAccount, checkSecret } from './names.ts';

export interface LastingKeychainOptions {
  readonly own: LastingBackend;
  readonly allow: readonly KeychainTier[];
  readonly moveOnRead: boolean;
  readonly entries: LocatedEntries;
  readonly calls: KeychainCalls;
  readonly logger: Logger;
}

/** A keychain whose entries outlive the process: checks arguments, and runs each call within the deadline and the lock. */
export function lastingKeychain(options: LastingKeychainOptions): OpenedKeychain {
  const { own, allow, moveOnRead, entries, calls, logger } = options;

  async function find(account: string) {
    checkAccount(account);
    return calls.run(() => entries.find(account));
  }

  /** The entry has been read, so a failure to move it is only logged. */
  async function tryToMove(account: string, from: LastingBackend): Promise<void> {
    try {
      await calls.runExclusively(() => entries.move(account, own));
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
      if (found && moveOnRead && isBefore(own, found.holder)) await tryToMove(account, found.holder);
      return found?.text;
    },
    async set(account, secret) {
      checkAccount(account);
      checkSecret(secret);
      await calls.runExclusively(() => entries.set(account, secret));
    },
    async delete(account) {
      checkAccount(account);
      return calls.runExclusively(() => entries.delete(account));
    },
    async locate(account) {
      const found = await find(account);
      return found && { backend: found.holder, tier: keychainBackends[found.holder] };
    },
    async move(account, to = own) {
      checkAccount(account);
      const target = lastingBackend(to, allow);
      return calls.runExclusively(() => entries.move(account, target));
    },
  };
}

function lastingBackend(backend: KeychainBackend, allow: readonly KeychainTier[]): LastingBackend {
  const found = lastingBackends.find(candidate => candidate === backend);
  if (found && allow.includes(keychainBackends[found])) return found;
  throw new ArgumentError(
    'invalid_backend',
    `to must be a backend other than memory, of a tier that openKeychain() was allowed (got ${JSON.stringify(backend)}).`,
  );
}

function isBefore(one: LastingBackend, other: LastingBackend): boolean {
  return lastingBackends.indexOf(one) < lastingBackends.indexOf(other);
}

const memory = { tier: 'memory', backend: 'memory' } as const;

/** A keychain in this process's memory. It starts empty. */
export function memoryKeychain(): OpenedKeychain {
  const secrets = new Map<string, string>();
  return {
    ...memory,
    async get(account) {
      checkAccount(account);
      return secrets.get(account);
    },
    async set(account, secret) {
      checkAccount(account);
      checkSecret(secret);
      secrets.set(account, secret);
    },
    async delete(account) {
      checkAccount(account);
      return secrets.delete(account);
    },
    async locate(account) {
      checkAccount(account);
      return secrets.has(account) ? memory : undefined;
    },
    async move(account, to = memory.backend) {
      checkAccount(account);
      if (to !== memory.backend) {
        throw new ArgumentError(
          'invalid_backend',
          "This keychain is in memory, and its entries cannot be moved. Open one with the tier 'system' or 'encrypted-file' and set the secret there.",
        );
      }
      return secrets.has(account);
    },
  };
}
