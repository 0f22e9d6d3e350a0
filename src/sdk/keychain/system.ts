import { randomUUID } from 'node:crypto';
import { KeychainError } from '../../model/errors.ts';
import type { Keychain } from './keychain.ts';

/** The part of keytar that is called; its own types are those of an optional package. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/**
 * Opens the system's keychain by keytar, after writing, reading and deleting a trial entry: a daemon that is missing,
 * locked or refuses is found now, not when a token is to be kept.
 *
 * @param service what entries are filed under; the game's own name
 * @throws KeychainError `keychain_missing`: keytar is not installed, or not built for this machine;
 *   `keychain_unusable`: the system has no keychain that lets us in
 */
export async function openSystemKeychain(service: string, load: () => Promise<Keytar> = loadKeytar): Promise<Keychain> {
  const keytar = await load();
  const keychain: Keychain = {
    tier: 'system',
    get: async account => (await usable(keytar.getPassword(service, account))) ?? undefined,
    set: (account, secret) => usable(keytar.setPassword(service, account, secret)),
    delete: account => usable(keytar.deletePassword(service, account)),
  };
  await tryOut(keychain);
  return keychain;
}

async function loadKeytar(): Promise<Keytar> {
  try {
    const keytar = (await import('keytar')) as Keytar & { default?: Keytar };
    return keytar.default ?? keytar;
  } catch (cause) {
    throw new KeychainError('keychain_missing', 'keytar cannot be loaded: not installed, or not built here.', {
      cause,
    });
  }
}

async function tryOut(keychain: Keychain): Promise<void> {
  const account = `trial-${randomUUID()}`;
  await keychain.set(account, account);
  const kept = await keychain.get(account);
  await keychain.delete(account);
  if (kept !== account) throw new KeychainError('keychain_unusable', 'The keychain does not keep what it is given.');
}

// keytar's failures are texts of the system without codes; any of them means the same to a game.
async function usable<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    const said = error instanceof Error ? error.message : 'no reason given';
    throw new KeychainError('keychain_unusable', `The system's keychain cannot be used: ${said}`);
  }
}
