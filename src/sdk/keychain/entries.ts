import { KeychainError } from '../../model/errors/errors.ts';

/** One text for each account, replaced atomically. Every backend implements this. */
export interface Entries {
  /** Resolves with undefined when there is no entry. @throws KeychainError */
  get(account: string): Promise<string | undefined>;
  /** @throws KeychainError */
  set(account: string, text: string): Promise<void>;
  /** Resolves with false when there was no entry. @throws KeychainError */
  delete(account: string): Promise<boolean>;
}

/**
 * An entry that is always there. It is not deleted after the test, so that any process can find out at any time whether
 * entries can be read. No account has this name, because control characters are rejected.
 */
const probe = { account: '\0witness', text: 'Rallypoint reads this to see whether entries can be read.' };

/**
 * Writes and reads the probe, so that a missing or locked keychain is found now and not when a token is to be stored.
 *
 * @throws KeychainError
 */
export async function testEntries(entries: Entries): Promise<void> {
  await entries.set(probe.account, probe.text);
  if (await isReadable(entries)) return;
  throw new KeychainError(
    'keychain_unusable',
    'The keychain did not return the text that was stored. Allow another tier.',
  );
}

/**
 * Makes sure that an entry which was not found does not exist: keytar finds nothing in a locked keyring, and reports no
 * error.
 *
 * @throws KeychainError
 */
export async function confirmAbsence(entries: Entries): Promise<void> {
  if (!(await isReadable(entries))) await testEntries(entries);
}

async function isReadable(entries: Entries): Promise<boolean> {
  return (await entries.get(probe.account)) === probe.text;
}

/** @param what completes "The stored entry …" */
export function unreadable(what: string): KeychainError {
  return new KeychainError(
    'keychain_unreadable',
    `The stored entry ${what}. Sign in again to replace it, or delete it.`,
  );
}
