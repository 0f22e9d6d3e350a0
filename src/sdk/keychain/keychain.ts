/**
 * How well kept a secret is, best first.
 *
 * - `system`: the keychain of the person's account, encrypted by the system
 * - `memory`: this process; gone when it ends
 */
export const keychainTiers = ['system', 'memory'] as const;
export type KeychainTier = (typeof keychainTiers)[number];

/** Keeps secrets (refresh tokens, above all) by account, for one game. */
export interface Keychain {
  readonly tier: KeychainTier;
  /** Undefined when nothing is kept for the account. @throws KeychainError `keychain_unusable` */
  get(account: string): Promise<string | undefined>;
  /** Replaces what was kept. @throws KeychainError `keychain_unusable` */
  set(account: string, secret: string): Promise<void>;
  /** False when nothing was kept. @throws KeychainError `keychain_unusable` */
  delete(account: string): Promise<boolean>;
}
