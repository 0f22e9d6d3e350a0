/**
 * How well kept a secret is, best first.
 *
 * - `system`: the key that opens it is kept by the person's system, for this person alone
 * - `encrypted-file`: encrypted on disk, with the key in a file beside it that only this user may read: it protects a
 *   copy of one of the two files, not against whoever can read both
 * - `memory`: this process; gone when it ends
 */
export const keychainTiers = ['system', 'encrypted-file', 'memory'] as const;
export type KeychainTier = (typeof keychainTiers)[number];

/**
 * What can keep a secret, the first choice first, with the tier that each one is.
 *
 * - `keytar`, `keyring` (`@napi-rs/keyring`): Windows' credential manager, macOS' keychain, Linux' secret service. The
 *   two do not read each other's entries.
 * - `safe-storage`: files encrypted with a key that Electron's `safeStorage` keeps in the system's keychain
 * - `file`: files encrypted with a key beside them
 * - `memory`: nothing outlives the process
 */
export const keychainBackends = {
  keytar: 'system',
  keyring: 'system',
  'safe-storage': 'system',
  file: 'encrypted-file',
  memory: 'memory',
} as const satisfies Readonly<Record<string, KeychainTier>>;
export type KeychainBackend = keyof typeof keychainBackends;

/**
 * Keeps secrets (refresh tokens, above all) by account, for one game. A secret is replaced whole or not at all, whatever
 * process dies meanwhile; of two written at once, the last one stays, whole.
 *
 * Every call ends within a deadline. All of them reject with a KeychainError when the keychain cannot be used:
 *
 * - `keychain_no_bus`, `keychain_no_collection`, `keychain_locked`, `keychain_denied`, `keychain_unusable`: the system's
 *   keychain lets nobody in; the message says what to do
 * - `keychain_missing`: a library is not installed, not built here, or was not handed in
 * - `keychain_unprotected`: `safeStorage` has no keychain of the system to keep its key in
 * - `keychain_unreadable`: what is kept was changed, cut short, swapped or set back from outside; set it again or delete it
 * - `keychain_folder`: the folder cannot be written, or is not this user's own
 * - `keychain_busy`: another process is writing and does not end; `lock_unusable`: processes cannot be kept apart here
 * - `keychain_timeout`: the system did not answer; it may be asking the person for a password
 *
 * With ArgumentError: `invalid_account`, `invalid_secret`, for names and secrets beyond `keychainLimits`.
 */
export interface Keychain {
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
  /** Undefined when nothing is kept for the account; never because it could not be looked for. */
  get(account: string): Promise<string | undefined>;
  /** Replaces what was kept, wherever that was. */
  set(account: string, secret: string): Promise<void>;
  /** False when nothing was kept. */
  delete(account: string): Promise<boolean>;
}

/** What keeps an entry. */
export interface KeychainHolder {
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
}

/** A keychain that knows which backend keeps each entry, also those that another backend was opened for. */
export interface PlacedKeychain extends Keychain {
  /** Undefined when nothing is kept for the account. It may be weaker than `tier` until the entry is set or moved. */
  holder(account: string): Promise<KeychainHolder | undefined>;
  /**
   * Moves an entry: copies it, reads the copy, and only then deletes the original. To be called again after a failure,
   * at whatever point that came; the entry is kept at every moment.
   *
   * @param to this keychain's own backend when left out
   * @returns false when nothing is kept for the account
   * @throws ArgumentError `invalid_backend`: its tier is not among those allowed at opening, or it is (or would be) memory
   */
  move(account: string, to?: KeychainBackend): Promise<boolean>;
}
