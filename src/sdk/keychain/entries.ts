import { KeychainError } from '../../model/errors/errors.ts';

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
 * An entry that is always there. Our choice: it is not deleted after a trial, so that whoever reads it, in any process and
 * at any time, learns whether entries can be read. No account is called so: control characters are refused.
 */
const witness = { account: '\0witness', text: 'Rallypoint reads this to see whether entries can be read.' };

/**
 * Writes and reads the witness: what is missing, locked or refuses is found now, not when a token is to be kept.
 *
 * @throws KeychainError
 */
export async function proveEntries(entries: Entries): Promise<void> {
  await entries.set(witness.account, witness.text);
  if (await isReadable(entries)) return;
  throw new KeychainError('keychain_unusable', 'The keychain does not return what was stored.');
}

/**
 * Makes sure that an entry which was not found is not there: keytar finds nothing in a keyring that is locked, and says
 * no more than that.
 *
 * @throws KeychainError
 */
export async function proveAbsence(entries: Entries): Promise<void> {
  if (!(await isReadable(entries))) await proveEntries(entries);
}

async function isReadable(entries: Entries): Promise<boolean> {
  return (await entries.get(witness.account)) === witness.text;
}
