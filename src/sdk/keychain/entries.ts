import { randomUUID } from 'node:crypto';
import { KeychainError } from '../../model/errors.ts';

/** Keeps one text for each account; each is replaced in one step. What every backend is made of. */
export interface Entries {
  /** Undefined when nothing is kept. @throws KeychainError */
  get(account: string): Promise<string | undefined>;
  /** @throws KeychainError */
  set(account: string, text: string): Promise<void>;
  /** False when nothing was kept. @throws KeychainError */
  delete(account: string): Promise<boolean>;
}

/**
 * Writes, reads and deletes a trial entry: what is missing, locked or refuses is found now, not when a token is to be
 * kept.
 *
 * @throws KeychainError
 */
export async function proveEntries(entries: Entries): Promise<void> {
  const trial = `trial-${randomUUID()}`;
  await entries.set(trial, trial);
  const kept = await entries.get(trial);
  await entries.delete(trial);
  if (kept !== trial) throw new KeychainError('keychain_unusable', 'The keychain does not keep what it is given.');
}
