import { ArgumentError, KeychainError } from '../../model/errors.ts';
import { type Logger, silentLogger } from '../../wire/ports.ts';
import { type Keychain, type KeychainTier, keychainTiers } from './keychain.ts';
import { memoryKeychain } from './memory.ts';
import { openSystemKeychain } from './system.ts';

export interface KeychainOptions {
  /** What entries are filed under; the game's own name. */
  readonly service: string;
  /** The tiers that are good enough. Only these are tried, best first, whatever their order here. */
  readonly allow: readonly KeychainTier[];
  /** Told when a better tier of the list could not be used. */
  readonly logger?: Logger | undefined;
}

/** How each tier is opened. */
export type KeychainOpeners = Readonly<Record<KeychainTier, (service: string) => Promise<Keychain> | Keychain>>;

const systemOpeners: KeychainOpeners = { system: service => openSystemKeychain(service), memory: memoryKeychain };

/**
 * Opens the best keychain among the tiers allowed; `tier` of the result says which it is. A weaker tier is taken only
 * if the caller listed it.
 *
 * @throws ArgumentError `missing_service`, `invalid_tiers`
 * @throws KeychainError of the best tier that was tried, when none can be used
 */
export async function openKeychain(
  { service, allow, logger = silentLogger }: KeychainOptions,
  openers: KeychainOpeners = systemOpeners,
): Promise<Keychain> {
  if (service === '') throw new ArgumentError('missing_service', 'service is needed.');
  const tiers = keychainTiers.filter(tier => allow.includes(tier));
  if (tiers.length === 0 || allow.some(tier => !keychainTiers.includes(tier))) {
    throw new ArgumentError('invalid_tiers', `allow must name some of: ${keychainTiers.join(', ')}.`);
  }
  const failures: unknown[] = [];
  for (const tier of tiers) {
    try {
      return await openers[tier](service);
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error;
      logger.warn({ tier, code: error.code }, 'this keychain cannot be used');
      failures.push(error);
    }
  }
  throw failures[0];
}
