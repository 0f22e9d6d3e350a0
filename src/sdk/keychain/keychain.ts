import type { Clock, Logger } from '../../wire/clock/ports.ts';

/**
 * How well a secret is protected, best first.
 *
 * - `system`: encrypted with a key that the system keeps for this user
 * - `encrypted-file`: encrypted on disk, with the key in a second file; both are readable for this user only. It protects
 *   against a copy of one of the two files, not against a program that can read both
 * - `memory`: in this process only; lost when it ends
 */
export const keychainTiers = ['system', 'encrypted-file', 'memory'] as const;
export type KeychainTier = (typeof keychainTiers)[number];

/**
 * The backends that can store secrets, in order of preference, with the tier of each.
 *
 * - `keytar`, `keyring` (`@napi-rs/keyring`): Windows' credential manager, macOS' keychain, Linux' secret service. Neither
 *   library reads the other's entries.
 * - `safe-storage`: files encrypted with a key that Electron's `safeStorage` keeps in the system's keychain
 * - `file`: files encrypted with a key in a second file
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

/** A backend whose entries outlive the process. */
export type LastingBackend = Exclude<KeychainBackend, 'memory'>;

/** In order of preference. */
export const lastingBackends = (Object.keys(keychainBackends) as KeychainBackend[]).filter(
  (backend): backend is LastingBackend => backend !== 'memory',
);

export interface KeychainOptions {
  /** The name that entries are filed under: the game's own. */
  readonly service: string;
  /** The tiers that the game accepts. New secrets go to the best of them that works, and never to another tier. */
  readonly allow: readonly KeychainTier[];
  /**
   * Absolute path, the same at every start. Stores secrets that are too large for the system's keychain (encrypted), and
   * which backend holds each entry. Default: `rallypoint` in the user's data folder. Unused with `memory` alone.
   */
  readonly folder?: string | undefined;
  /** Electron's `safeStorage`, in the main process, once the app is ready. Without it that backend is not used. */
  readonly safeStorage?: SafeStorage | undefined;
  /**
   * Whether reading an entry moves it here from a backend that comes later in {@link keychainBackends}. If the move fails,
   * that is logged and the entry is read where it is. Default: false.
   */
  readonly moveOnRead?: boolean | undefined;
  /** How long a call may take; while opening, the test of each backend. Default: {@link keychainDeadlineMsDefault}. */
  readonly deadlineMs?: number | undefined;
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Receives why a better backend could not be used, and moves of entries between backends. Default: nothing is logged. */
  readonly logger?: Logger | undefined;
}

/** The part of Electron's `safeStorage` that is called. Pass it once the app is ready. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Uint8Array;
  decryptString(encrypted: Uint8Array): string;
  /** Linux only. */
  getSelectedStorageBackend?(): string;
  /** These three are preferred where Electron has them: the calls above block the process while the system asks for a password. */
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(text: string): Promise<Uint8Array>;
  decryptStringAsync?(encrypted: Uint8Array): Promise<{ readonly result: string }>;
}

/** Unspecified: how long a call may take. D-Bus gives up on a service that does not start after 25 s, with a better message. */
export const keychainDeadlineMsDefault = 30_000;

/**
 * Stores secrets (above all refresh tokens) by account, for one game. A write is atomic, also when the process dies during
 * it; of two concurrent writes the later one wins.
 *
 * Every call ends within a deadline, and rejects with a KeychainError when the keychain cannot be used:
 *
 * - `keychain_no_bus`, `keychain_no_collection`, `keychain_locked`, `keychain_denied`, `keychain_unusable`: the system's
 *   keychain cannot be accessed; the message says what to do
 * - `keychain_missing`: a library is not installed or not built for this machine, or `safeStorage` was not passed
 * - `keychain_unprotected`: `safeStorage` found no keychain of the system to keep its key in
 * - `keychain_unreadable`: the stored data was changed, truncated or replaced from outside; set the entry again or delete it
 * - `keychain_folder`: the folder cannot be written, or belongs to another user
 * - `keychain_busy`: another process is writing and does not finish; `lock_unusable`: the lock between processes fails
 * - `keychain_timeout`: the system did not answer; it may be asking the user for a password
 *
 * With ArgumentError: `invalid_account`, `invalid_secret`, for names and secrets beyond {@link keychainLimits}.
 */
export interface Keychain {
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
  /** Resolves with undefined when the account has no entry, and never because the keychain could not be read. */
  get(account: string): Promise<string | undefined>;
  /** Replaces the account's entry, whichever backend holds it. */
  set(account: string, secret: string): Promise<void>;
  /** Resolves with false when the account has no entry. */
  delete(account: string): Promise<boolean>;
}

/** Which backend holds an entry. */
export interface KeychainLocation {
  readonly tier: KeychainTier;
  readonly backend: KeychainBackend;
}

/** What {@link openKeychain} returns: it also finds and moves entries that other backends hold. It needs no closing. */
export interface OpenedKeychain extends Keychain {
  /** Resolves with undefined when the account has no entry. The tier can be weaker than this keychain's until the entry is set or moved. */
  locate(account: string): Promise<KeychainLocation | undefined>;
  /**
   * Moves an entry: copies it, reads the copy back, then deletes the original. After a failure at any point the entry is
   * still stored, and the call can be repeated.
   *
   * @param to default: this keychain's own backend
   * @returns false when the account has no entry
   * @throws ArgumentError `invalid_backend`: the tier of `to` was not allowed at opening, or either backend is memory
   */
  move(account: string, to?: KeychainBackend): Promise<boolean>;
}
