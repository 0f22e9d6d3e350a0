import { isAbsolute } from 'node:path';
import { ArgumentError } from '../../model/errors/errors.ts';
import { keychainTiers, type PlacedKeychain } from './keychain.ts';
import type { KeychainOptions } from './keychain-options.ts';
import { checkService } from './names.ts';

/**
 * Opens the best keychain among the tiers allowed; `tier` and `backend` of the result say which it is. A weaker tier is
 * taken only if the caller listed it. Entries that another backend keeps are found all the same.
 *
 * @throws ArgumentError `missing_service`, `invalid_service`, `invalid_tiers`, `invalid_folder`
 * @throws KeychainError when none can be used: what the first of them said, one that is installed if there is any
 */
export async function openKeychain(options: KeychainOptions): Promise<PlacedKeychain> {
  const { service, allow, folder } = options;
  checkService(service);
  if (allow.length === 0 || allow.some(tier => !keychainTiers.includes(tier))) {
    throw new ArgumentError('invalid_tiers', `allow must name some of: ${keychainTiers.join(', ')}.`);
  }
  if (folder !== undefined && !isAbsolute(folder)) {
    throw new ArgumentError('invalid_folder', 'folder must be an absolute path.');
  }
  const { openBest } = await import('./open-best.ts');
  return openBest(options);
}
