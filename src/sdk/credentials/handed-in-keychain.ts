import { KeychainError, RallypointError } from '../../model/errors/errors.ts';
import type { Keychain } from '../keychain/keychain.ts';

/** A keychain that may be the game's own: what it throws that is no error of ours becomes a KeychainError `keychain_unusable`. */
export function handedInKeychain(keychain: Keychain): Keychain {
  async function ask<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof RallypointError) throw cause;
      throw new KeychainError('keychain_unusable', 'The keychain that was passed in failed.', { cause });
    }
  }
  return {
    tier: keychain.tier,
    backend: keychain.backend,
    get: account => ask(() => keychain.get(account)),
    set: (account, secret) => ask(() => keychain.set(account, secret)),
    delete: account => ask(() => keychain.delete(account)),
  };
}
